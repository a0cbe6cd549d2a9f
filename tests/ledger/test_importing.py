"""An import lets others write, is seen whole or not at all, and leaves nothing when it does not come to its end."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from typing import Any

import pytest

from tests.support.box import WORKSPACE, Box
from tests.support.forks import PATIENCE
from tests.support.thinker import Client
from thoughtbox.engine.protocol import Sql
from thoughtbox.errors import ImportRefused, InvalidRecord, StorageBusy
from thoughtbox.ledger import importing
from thoughtbox.ledger.comparison import compare
from thoughtbox.ledger.export import export_lines
from thoughtbox.ledger.importing import Lines, import_files, import_lines, undo_if_left
from thoughtbox.ledger.keeper import checkpoint
from thoughtbox.ledger.ledger import Ledger, forget_heads
from thoughtbox.ledger.record import Record
from thoughtbox.ledger.replay import catch_up
from thoughtbox.ledger.tree import WIDTH, Tree
from thoughtbox.ledger.verdict import Verdict
from thoughtbox.ledger.verify import verify_workspace

Boxes = Callable[..., Box]


@pytest.fixture(autouse=True)
def small_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every record is a slice of its own, and of the file not more than a few are read ahead."""
    monkeypatch.setattr(importing, "SLICE_SECONDS", 0.0)
    monkeypatch.setattr(importing, "AHEAD_RECORDS", 3)
    monkeypatch.setattr(importing, "DELETED_AT_ONCE", 4)


def export(box: Box, workspace: str = WORKSPACE) -> list[bytes]:
    return box.app.engine.read(lambda sql: list(export_lines(sql, workspace))).result()


def fill(box: Box, count: int = 20, *, begin: int = 0) -> None:
    for number in range(begin, begin + count):
        box.thought_record(sessionId=f"s{number % 3}", thoughtType="note", content=f"{number}", actionId="deploy")


def verify(box: Box) -> Verdict:
    return box.app.engine.read(lambda sql: verify_workspace(sql, WORKSPACE, keys=box.app.keyring.verifiers)).result()


def with_a_look(lines: list[bytes], at: int, look: Callable[[], None]) -> Lines:
    """The file's lines; the second time they are read, somebody looks at the store before line `at`."""
    readings = 0

    def read() -> Iterator[bytes]:
        nonlocal readings
        readings += 1
        for number, line in enumerate(lines):
            if readings == 2 and number == at:
                look()
            yield line

    return read


def take_in(box: Box, *files: list[bytes] | Lines) -> list[int]:
    readers = [(lambda file=file: file) if isinstance(file, list) else file for file in files]
    return [done.added for done in import_files(box.app.engine, box.app.views, readers)]


def assert_views_are_what_the_ledger_makes_of_them(box: Box) -> None:
    found = box.app.engine.scratch(lambda sql: compare(sql, box.app.views)).result()
    assert (found.uncompared, found.differences) == ((), ())


def look_while_importing(box: Box, other: Box, lines: list[bytes]) -> dict[str, Any]:
    """What another process sees of the workspace in the middle of an import into it."""
    seen: dict[str, Any] = {}

    def look() -> None:
        seen["status"] = other.ledger_status()
        seen["action"] = other.thought_for_action(actionId="deploy")
        seen["export"] = export(other)
        seen["verdict"] = verify(other)
        seen["tail"] = other.ledger_tail()
        seen["rows"] = other.app.engine.read(
            lambda sql: sql.row("SELECT COUNT(*) FROM records WHERE workspace = ?", (WORKSPACE,))
        ).result()
        with pytest.raises(StorageBusy, match=f"being imported into workspace {WORKSPACE}"):
            other.thought_plan(sessionId="s", planDescription="meanwhile")

    take_in(box, with_a_look(lines, len(lines) // 2, look))
    assert seen
    return seen


def on_a_file(open_box: Boxes) -> tuple[Box, Box, Box]:
    return open_box("source"), open_box("target"), open_box("target")


def test_nothing_is_seen_of_an_import_into_an_empty_workspace_before_its_end(open_box: Boxes):
    source, box, other = on_a_file(open_box)
    fill(source)

    seen = look_while_importing(box, other, export(source))

    assert seen["rows"][0] > 0
    assert seen["status"]["records"] == 0
    assert seen["action"]["count"] == 0
    assert (seen["verdict"].valid, seen["verdict"].records) == (True, 0)
    assert other.ledger_status()["records"] == 20
    assert export(other) == export(source)
    assert_views_are_what_the_ledger_makes_of_them(other)


def test_a_workspace_is_read_as_it_was_while_the_rest_of_a_file_comes_in(open_box: Boxes):
    source, box, other = on_a_file(open_box)
    fill(source, 8)
    take_in(box, export(source))
    before = export(other), other.ledger_status(), other.thought_for_action(actionId="deploy"), other.ledger_tail()
    fill(source, 20, begin=8)

    seen = look_while_importing(box, other, export(source))

    assert seen["rows"][0] > 8
    assert (seen["export"], seen["status"], seen["action"], seen["tail"]) == before
    assert (seen["verdict"].valid, seen["verdict"].records) == (True, 8)
    assert export(other) == export(source)
    assert verify(other).valid
    assert_views_are_what_the_ledger_makes_of_them(other)


def test_other_workspaces_are_written_to_while_records_come_in(open_box: Boxes):
    source, box, other = on_a_file(open_box)
    fill(source)
    elsewhere = []

    def write() -> None:
        elsewhere.append(Client(other, workspace="elsewhere").call("thought_plan", sessionId="s", planDescription="x"))

    take_in(box, with_a_look(export(source), 15, write))

    assert elsewhere
    assert len(export(other, "elsewhere")) == 4


def test_who_shares_a_commit_with_the_beginning_of_an_import_is_kept_out_like_all_others(box: Box):
    go_on = threading.Event()

    def begin(sql: Sql) -> None:
        forget_heads(sql)
        sql.run("UPDATE workspaces SET importing = 7 WHERE workspace = ?", (WORKSPACE,))

    def think() -> Future[dict[str, Any]]:
        return box.submit("thought_record", {"sessionId": "s", "thoughtType": "note", "content": "x"})

    fill(box, 3)
    waiting = box.app.engine.write(WORKSPACE, lambda sql: go_on.wait(PATIENCE))
    before, beginning, behind = think(), box.app.engine.write(WORKSPACE, begin), think()
    go_on.set()

    assert waiting.result()
    assert before.result()["success"]
    beginning.result()
    with pytest.raises(StorageBusy, match="being imported"):
        behind.result()
    with pytest.raises(StorageBusy, match="being imported"):
        think().result()


def test_the_tree_takes_in_nothing_of_an_import_before_its_end(open_box: Boxes, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(importing, "AHEAD_RECORDS", 100)
    source, box, other = on_a_file(open_box)
    fill(source, 10)
    take_in(box, export(source))
    fill(source, 2 * WIDTH, begin=10)
    reached = []

    take_in(
        box,
        with_a_look(export(source), 2 * WIDTH, lambda: reached.append(catch_up(other.app.engine, Tree, WORKSPACE, 10))),
    )

    assert reached == [0]
    assert catch_up(other.app.engine, Tree, WORKSPACE, 2 * WIDTH + 10) == 2 * WIDTH
    assert checkpoint(other.app.engine, other.app.views, other.app.keyring, other.app.world, WORKSPACE)
    assert verify(other).valid


class _Stop(Exception):
    """Something that goes wrong in the middle."""


def fails() -> None:
    raise _Stop


@pytest.mark.parametrize("present", [0, 6])
def test_an_import_that_breaks_off_leaves_nothing(open_box: Boxes, present: int):
    source, box, other = on_a_file(open_box)
    if present:
        fill(source, present)
        take_in(box, export(source))
    before = export(other)
    fill(source, 20, begin=present)
    lines = export(source)

    with pytest.raises(_Stop):
        take_in(box, with_a_look(lines, 15, fails))

    assert export(other) == before
    assert verify(other).valid
    other.thought_plan(sessionId="s9", planDescription="open again")
    assert other.ledger_status()["records"] == present + 1
    assert_views_are_what_the_ledger_makes_of_them(other)


@pytest.mark.parametrize("present", [0, 6])
def test_an_import_whose_process_is_gone_is_taken_back_when_the_store_is_next_opened(
    open_box: Boxes, present: int, monkeypatch: pytest.MonkeyPatch
):
    source, box = open_box("source"), open_box("target")
    if present:
        fill(source, present)
        take_in(box, export(source))
    before = export(box)
    fill(source, 20, begin=present)
    lines = export(source)
    with monkeypatch.context() as dying:
        # Whoever is killed takes nothing back.
        dying.setattr(importing, "undo", lambda engine, views: None)
        with pytest.raises(_Stop):
            take_in(box, with_a_look(lines, 15, fails))
    assert box.app.engine.read(lambda sql: sql.standing().imports).result() == 1

    again = open_box("target")

    assert again.app.engine.read(lambda sql: sql.standing().imports).result() == 0
    assert export(again) == before
    assert verify(again).valid
    assert_views_are_what_the_ledger_makes_of_them(again)
    assert take_in(box, lines) == [20]
    assert export(again) == lines


def test_an_import_that_is_under_way_is_not_taken_for_a_dead_one(open_box: Boxes):
    source, box, _ = on_a_file(open_box)
    fill(source)
    lines = export(source)

    def another_starts() -> None:
        starting = open_box("target")
        undo_if_left(starting.app.engine, starting.app.views)

    take_in(box, with_a_look(lines, 15, another_starts))

    assert export(box) == lines


def test_who_was_taken_for_dead_is_told_and_writes_nothing_more(open_box: Boxes, monkeypatch: pytest.MonkeyPatch):
    source, box, other = on_a_file(open_box)
    fill(source)

    with pytest.raises(StorageBusy, match="another process has ended the import"):
        take_in(box, with_a_look(export(source), 15, lambda: importing.undo(other.app.engine, other.app.views)))

    assert other.ledger_status()["records"] == 0
    assert_views_are_what_the_ledger_makes_of_them(other)


def test_of_several_files_all_are_taken_in_or_none(open_box: Boxes):
    one, two, box = open_box("one"), open_box("two"), open_box("target")
    fill(one, 9)
    first = export(one)
    fill(one, 5, begin=9)
    longer = export(one)
    fill(two, 4)
    foreign = export(two)[:3]

    with pytest.raises(ImportRefused):
        take_in(box, first, foreign)
    assert box.ledger_status()["records"] == 0

    assert take_in(box, first, longer) == [9, 5]
    assert export(box) == longer
    assert_views_are_what_the_ledger_makes_of_them(box)


def test_a_file_that_changes_while_it_is_read_is_refused(open_box: Boxes):
    source, box = open_box("source"), open_box("target")
    fill(source)
    lines = export(source)

    def replaced() -> None:
        lines[16] = lines[16].replace(b'"text":"15"', b'"text":"51"')

    with pytest.raises(ImportRefused, match="has changed while it was read"):
        take_in(box, with_a_look(lines, 10, replaced))

    assert box.ledger_status()["records"] == 0
    assert_views_are_what_the_ledger_makes_of_them(box)


def test_a_record_that_its_room_cannot_read_is_refused_and_nothing_stays(open_box: Boxes):
    source, box = open_box("source"), open_box("target")
    fill(source, 8)
    asked: list[tuple[str, int, int]] = []

    def check(record: Record, before: Ledger) -> None:
        head = before.stream_head(record.stream)
        asked.append((record.id, before.last_seq(), head.length if head else 0))
        if record.text == "5":
            raise InvalidRecord("the room knows no number 5")

    with pytest.raises(ImportRefused, match=r"line 7: th:6, a .*: the room knows no number 5"):
        import_lines(box.app.engine, box.app.views, export(source), check=check)

    assert asked == [(f"th:{number + 1}", number, number // 3) for number in range(6)]
    assert box.ledger_status()["records"] == 0
    assert box.app.engine.read(lambda sql: sql.row("SELECT COUNT(*) FROM records")).result() == (0,)
    assert_views_are_what_the_ledger_makes_of_them(box)


def test_a_file_that_is_here_already_is_compared_and_nothing_is_written(open_box: Boxes):
    source, box, other = on_a_file(open_box)
    fill(source)
    lines = export(source)
    take_in(box, lines)

    with_nobody_kept_out: list[dict[str, Any]] = []
    again = with_a_look(
        lines, 10, lambda: with_nobody_kept_out.append(other.thought_plan(sessionId="s", planDescription="x"))
    )

    assert take_in(box, again) == [0]
    assert with_nobody_kept_out
