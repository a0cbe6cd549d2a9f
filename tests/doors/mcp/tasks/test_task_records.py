"""Tasks as the ledger keeps them: how long, who is at work on them, and what an import may bring. A clock that is
looked at goes on by a second."""

from __future__ import annotations

import copy
from collections.abc import Callable
from contextlib import suppress
from random import Random
from typing import Any, TypeVar

import pytest

from tests.faults.test_imported_nonsense import NONSENSE, places, put
from tests.support.box import WORKSPACE, Box
from tests.support.boxes import OpenBox
from tests.support.exports import Placed, export_of, records_in
from thoughtbox.errors import ImportRefused, NotCanonical
from thoughtbox.ledger import leases
from thoughtbox.ledger.export import export_lines
from thoughtbox.ledger.importing import import_lines
from thoughtbox.ledger.leases import LASTS_MS, Lease
from thoughtbox.ledger.record import refs
from thoughtbox.operations import task_records
from thoughtbox.operations.caller import Caller
from thoughtbox.operations.registry import TABLE
from thoughtbox.operations.task_records import Begin, Outcome, TaskState, stream_of, task_in
from thoughtbox.operations.tx import Tx

T = TypeVar("T")

TTL = 60_000
STREAM = stream_of("a task's id")
CALLER = Caller(agent="tester")
ANSWER = '{"b":1.0,"a":"\\u0000"}'


def do(box: Box, work: Callable[[Tx], T]) -> T:
    return box.app.dispatcher.do(WORKSPACE, CALLER, work, what="task").result()


def look(box: Box, stream: str = STREAM) -> TaskState | None:
    return box.app.dispatcher.ask(WORKSPACE, CALLER, lambda tx: task_in(tx, stream)).result()


def begin(box: Box, stream: str = STREAM, *, most: int = 9) -> TaskState | None:
    what = Begin("ledger_verify", {"deep": True}, "some-token", TTL, holder="tester", most=most)
    return do(box, lambda tx: task_records.begin(tx, stream, what))


def end(box: Box, outcome: Outcome, stream: str = STREAM) -> bool:
    return do(box, lambda tx: task_records.end(tx, stream, outcome))


def renew(box: Box) -> None:
    lease = Lease(WORKSPACE, STREAM, "tester", "half of it")
    box.app.engine.write("", lambda sql: leases.renew(sql, [lease], box.app.world.now_ms())).result()


def pass_ms(box: Box, ms: int) -> None:
    for _ in range(ms // 1000):
        box.app.world.now_ms()


def test_a_result_is_kept_word_for_word_as_long_as_was_said_and_no_longer(open_box: OpenBox):
    box = open_box()
    begin(box)
    pass_ms(box, 5_000)
    assert end(box, Outcome("completed", ANSWER))

    kept = look(open_box())
    assert kept is not None
    assert kept.outcome == Outcome("completed", ANSWER)
    assert (kept.operation, kept.principal) == ("ledger_verify", "some-token")
    assert kept.lifetime_ms > TTL + 5_000, "counted from its end"

    box = open_box()
    pass_ms(box, TTL)
    assert look(box) is not None
    pass_ms(box, 10_000)
    assert look(box) is None


def test_a_task_is_worked_on_as_long_as_somebody_says_so(box: Box):
    begin(box)
    for _ in range(5):
        pass_ms(box, LASTS_MS - 5_000)
        renew(box)
    working = look(box)
    assert working is not None
    assert working.lease is not None
    assert working.lease.note == "half of it"
    assert working.lifetime_ms > TTL + 4 * (LASTS_MS - 5_000), "it does not expire meanwhile"

    pass_ms(box, LASTS_MS)
    assert look(box) is None, "nobody is at it, and it began longer ago than it is kept"

    begin(box, stream_of("another"))
    pass_ms(box, LASTS_MS)
    left = look(box, stream_of("another"))
    assert left is not None
    assert (left.lease, left.outcome, left.lifetime_ms) == (None, None, TTL)


def test_a_task_ends_once_and_what_comes_later_changes_nothing(box: Box):
    begin(box)
    do(box, lambda tx: task_records.ask(tx, STREAM, "asked-1", {"method": "m"}))
    assert end(box, Outcome("cancelled"))

    assert not end(box, Outcome("completed", ANSWER))
    do(box, lambda tx: task_records.tell(tx, STREAM, {"asked-1": "{}"}))

    ended = look(box)
    assert ended is not None
    assert (ended.outcome, ended.told, ended.lease) == (Outcome("cancelled"), {}, None)
    assert not end(box, Outcome("cancelled"), stream_of("unknown"))


def test_only_so_many_of_one_holder_are_under_way_and_those_that_nobody_works_on_do_not_count(box: Box):
    assert begin(box, stream_of("1"), most=2)
    assert begin(box, stream_of("2"), most=2)
    assert begin(box, stream_of("3"), most=2) is None
    assert look(box, stream_of("3")) is None

    end(box, Outcome("cancelled"), stream_of("1"))
    assert begin(box, stream_of("4"), most=2)
    pass_ms(box, LASTS_MS)
    assert begin(box, stream_of("5"), most=1)


def test_a_task_stands_as_of_any_record_as_it_stood_then(box: Box):
    begin(box)
    do(box, lambda tx: task_records.ask(tx, STREAM, "asked-1", {"method": "m"}))
    do(box, lambda tx: task_records.tell(tx, STREAM, {"asked-1": '{"x":1}'}))
    end(box, Outcome("completed", ANSWER))

    stood = [
        box.app.dispatcher.ask(WORKSPACE, CALLER, lambda tx, seq=seq: task_in(tx.at(seq), STREAM)).result()
        for seq in range(5)
    ]

    assert stood[0] is None
    assert [list(one.asked) for one in stood[1:] if one] == [[], ["asked-1"], [], []]
    assert [one.told for one in stood[1:] if one] == [{}, {}, {"asked-1": {"x": 1}}, {"asked-1": {"x": 1}}]
    assert [one.outcome is not None for one in stood[1:] if one] == [False, False, False, True]


def test_arguments_of_a_task_are_kept_without_secrets(box: Box):
    arguments = {"query": "where is ghp_abcdefghijklmnopqrstuvwxyz0123", "password": "x", "limit": 3}
    what = Begin("transcripts_search", arguments, None, TTL, holder="tester", most=1)

    do(box, lambda tx: task_records.begin(tx, STREAM, what))

    record = box.app.dispatcher.ask(WORKSPACE, CALLER, lambda tx: tx.ledger.record(1)).result()
    assert record is not None
    assert record.attrs["args"] == {"query": "where is <redacted>", "password": "<redacted>", "limit": 3}


def recorded() -> list[Placed]:
    """All records that tasks have."""
    box = Box()
    for outcome in (
        Outcome("completed", ANSWER, is_error=True),
        Outcome("failed", error={"code": -32603, "message": "it failed"}),
        Outcome("cancelled"),
    ):
        stream = stream_of(outcome.status)
        begin(box, stream)
        do(box, lambda tx, stream=stream: task_records.ask(tx, stream, "asked-1", {"method": "m"}))
        do(box, lambda tx, stream=stream: task_records.tell(tx, stream, {"asked-1": "{}"}))
        end(box, outcome, stream)
    lines = box.app.engine.read(lambda sql: list(export_lines(sql, WORKSPACE))).result()
    box.close()
    return records_in(lines)


def taken_in(records: list[Placed]) -> Box | None:
    """A store with these records; None when they are refused."""
    try:
        lines = export_of(records, WORKSPACE)
    except (NotCanonical, TypeError, KeyError, AttributeError):
        return None
    box = Box()
    try:
        import_lines(box.app.engine, box.app.views, lines, check=TABLE.check)
    except ImportRefused:
        box.close()
        return None
    return box


def test_imported_tasks_are_what_they_were_and_nobody_works_on_them():
    records = recorded()
    box = taken_in(records[:-1])
    assert box is not None
    found = {status: look(box, stream_of(status)) for status in ("completed", "failed", "cancelled")}
    box.close()

    assert found["completed"] is not None
    assert found["completed"].outcome == Outcome("completed", ANSWER, is_error=True)
    assert found["failed"] is not None
    assert found["failed"].outcome == Outcome("failed", error={"code": -32603, "message": "it failed"})
    assert found["cancelled"] is not None
    assert (found["cancelled"].outcome, found["cancelled"].lease) == (None, None)


def test_an_imported_task_that_was_changed_is_refused_or_can_be_read():
    whole, chance = recorded(), Random(20_260_801)
    refused = 0
    for _ in range(60):
        records = [Placed(stream, copy.deepcopy(envelope)) for stream, envelope in whole]
        number = chance.randrange(len(records))
        envelope = records[number].envelope
        match chance.randrange(4):
            case 0:
                records.insert(chance.randrange(len(records)), records.pop(number))
            case 1:
                records[number] = Placed(chance.choice([one.stream for one in whole]), envelope)
            case _:
                put(envelope, chance.choice([path for path in places(envelope) if path != ("id",)]), nonsense(chance))
        with suppress(Exception):
            envelope["refs"] = refs(envelope["attrs"])
        anew = [Placed(stream, {**one, "id": f"th:{seq}"}) for seq, (stream, one) in enumerate(records, 1)]
        box = taken_in(anew)
        if box is None:
            refused += 1
            continue
        for stream in {one.stream for one in anew}:
            look(box, stream)
        box.close()
    assert 0 < refused < 60


def nonsense(chance: Random) -> Any:
    return copy.deepcopy(chance.choice(NONSENSE))


@pytest.mark.parametrize(
    ("number", "path", "to", "says"),
    [
        (1, ("data", "ttlMs"), 0, "data.ttlMs"),
        (2, ("data", "request"), "no json", "it is no JSON"),
        (3, ("data", "response"), "[]", "it is no JSON object"),
        (4, ("data", "status"), "done", "data.status"),
        (4, ("data", "status"), "cancelled", "has another outcome"),
        (4, ("data", "answer"), "{", "data.answer"),
        (8, ("attrs", "callId"), "th:1", "it ends another task"),
    ],
)
def test_a_record_that_is_no_tasks_is_refused_in_words(number: int, path: tuple[str, ...], to: Any, says: str):
    records = recorded()
    envelope = records[number - 1].envelope
    put(envelope, path, to)
    envelope["refs"] = refs(envelope["attrs"])
    box = Box()

    with pytest.raises(ImportRefused) as refusal:
        import_lines(box.app.engine, box.app.views, export_of(records, WORKSPACE), check=TABLE.check)

    box.close()
    assert says in refusal.value.message
