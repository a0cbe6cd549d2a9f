"""Appending and reading back, on both engines."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256

import pytest

from tests.support.box import WORKSPACE, Box
from thoughtbox.engine.protocol import Sql
from thoughtbox.errors import InvalidRecord, NotCanonical
from thoughtbox.ledger import chain
from thoughtbox.ledger.canonical import canonical
from thoughtbox.ledger.ledger import Ledger
from thoughtbox.ledger.record import Draft, Record, Source


def append(box: Box, text: str, *, stream: str = "test/a", workspace: str = WORKSPACE, **more: object) -> Record:
    draft = Draft(kind="observation", topic="test.note", text=text, session="a", **more)  # ty: ignore[invalid-argument-type]
    return box.app.engine.write(
        workspace,
        lambda sql: ledger(box, sql, workspace).append(draft, stream=stream, source=Source(), world=box.app.world),
    ).result()


def ledger(box: Box, sql: Sql, workspace: str = WORKSPACE) -> Ledger:
    return Ledger(sql, workspace, box.app.views)


def test_records_are_numbered_by_workspace_and_placed_by_stream(box: Box):
    places = [
        (record.seq, record.stream, record.stream_index)
        for record in (append(box, "x", stream=stream) for stream in ["test/a", "test/b", "test/a"])
    ]

    assert places == [(1, "test/a", 0), (2, "test/b", 0), (3, "test/a", 1)]


def test_workspaces_have_numbers_of_their_own(box: Box):
    append(box, "x", workspace="one")

    assert append(box, "x", workspace="two").seq == 1


def test_each_hash_covers_the_bytes_and_the_hash_before(box: Box):
    first, second = append(box, "first"), append(box, "second")

    assert first.content_hash == sha256(canonical(dict(first.envelope))).digest()
    assert first.hash == chain.link(chain.genesis(WORKSPACE, "test/a"), first.content_hash)
    assert second.hash == chain.link(first.hash, second.content_hash)


def test_a_chain_cannot_be_moved_because_its_beginning_names_its_place(box: Box):
    same = Draft(kind="observation", topic="test.note", text="x", session="a")
    hashes = set()
    for workspace, stream in [("one", "test/a"), ("two", "test/a"), ("three", "test/b")]:
        record = box.app.engine.write(
            workspace,
            lambda sql, w=workspace, s=stream: Ledger(sql, w, box.app.views).append(
                same, stream=s, source=Source(), world=box.app.world
            ),
        ).result()
        hashes.add(record.hash)

    assert len(hashes) == 3


def test_what_is_read_back_is_what_was_written(open_box: Callable[..., Box]):
    box = open_box()
    written = append(box, "Ünïcode 🙂 \u2028 and all", confidence=0.25, labels=["a"], metrics={"n": 1.5})
    box.close()

    again = open_box()
    read = again.app.engine.read(lambda sql: ledger(again, sql).record(1)).result()

    assert read == written


def test_records_can_be_asked_for_by_number_in_any_quantity(box: Box):
    for number in range(7):
        append(box, str(number))

    found = box.app.engine.read(lambda sql: ledger(box, sql).records([7, 3, 3, 99, *range(10_000, 11_000)])).result()

    assert [record.seq for record in found] == [3, 7]


def test_a_draft_whose_attributes_do_not_fit_its_kind_is_refused_and_nothing_is_written(box: Box):
    with pytest.raises(InvalidRecord):
        append(box, "x", attrs={"steps": []})

    assert append(box, "y").seq == 1


def test_a_value_without_canonical_form_is_refused_and_nothing_is_written(box: Box):
    with pytest.raises(NotCanonical, match="score"):
        append(box, "x", data={"score": float("nan")})

    assert append(box, "y").seq == 1


def test_many_threads_append_without_gaps_or_doubles(box: Box):
    with ThreadPoolExecutor(16) as threads:
        records = list(threads.map(lambda number: append(box, str(number), stream=f"test/{number % 5}"), range(300)))

    assert sorted(record.seq for record in records) == list(range(1, 301))
    assert box.ledger_verify()["valid"]


def test_a_failed_call_in_a_batch_does_not_disturb_its_neighbours(box: Box):
    def attempt(number: int) -> bool:
        try:
            append(box, str(number), attrs={"wrong": 1} if number % 3 == 0 else {})
        except InvalidRecord:
            return False
        return True

    with ThreadPoolExecutor(16) as threads:
        worked = list(threads.map(attempt, range(120)))

    assert sum(worked) == 80
    verdict = box.ledger_verify()
    assert (verdict["valid"], verdict["records"]) == (True, 80)


def test_the_ledger_can_be_read_as_it_was(box: Box):
    for number in range(5):
        append(box, str(number))

    def earlier(sql: Sql) -> tuple[object, ...]:
        then = Ledger(sql, WORKSPACE, box.app.views, as_of=3)
        head = then.stream_head("test/a")
        return (
            then.last_seq(),
            head and head.length,
            [record.text for record in then.stream("test/a")],
            then.record(4),
            [record.seq for record in then.tail(1)],
        )

    assert box.app.engine.read(earlier).result() == (3, 3, ["0", "1", "2"], None, [2, 3])


@pytest.mark.parametrize("seq", range(5))
def test_as_of_a_record_there_are_the_streams_of_then(box: Box, seq: int):
    for stream in ("test/b", "test/a", "test/b", "other/c"):
        append(box, "x", stream=stream)

    def asked(sql: Sql) -> tuple[int, list[str], list[str]]:
        then = Ledger(sql, WORKSPACE, box.app.views, as_of=seq)
        return then.stream_count(), then.streams("", limit=9), then.streams("test/", after="test/a", limit=9)

    known = ["test/b", "test/a", "test/b", "other/c"][:seq]
    assert box.app.engine.read(asked).result() == (
        len(set(known)),
        sorted(set(known)),
        ["test/b"] if seq else [],
    )


def test_the_newest_record_is_the_one_asked_for_also_where_later_ones_were_just_written(box: Box):
    append(box, "x")

    def write(sql: Sql) -> tuple[int, int]:
        draft = Draft(kind="observation", topic="test.note", text="y", session="a")
        ledger(box, sql).append(draft, stream="test/a", source=Source(), world=box.app.world)
        return ledger(box, sql).last_seq(), Ledger(sql, WORKSPACE, box.app.views, as_of=1).last_seq()

    assert box.app.engine.write(WORKSPACE, write).result() == (2, 1)


def test_a_record_later_than_any_number_is_now(box: Box):
    append(box, "x")

    def asked(sql: Sql) -> int:
        return len(list(Ledger(sql, WORKSPACE, box.app.views, as_of=10**30).tail(0)))

    assert box.app.engine.read(asked).result() == 1


def test_a_read_in_memory_right_behind_a_write_sees_all_of_it():
    box = Box()
    waiting = [
        box.submit("thought_record", {"sessionId": f"s{n % 3}", "thoughtType": "note", "content": "x"})
        for n in range(50)
    ]

    verdict = box.submit("ledger_verify", {}).result()

    assert all(future.result()["success"] for future in waiting)
    assert verdict["valid"]
    box.close()
