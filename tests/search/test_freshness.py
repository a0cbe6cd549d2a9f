"""Reading your own writes: who searches sees all that was written before, or is told that they do not."""

from __future__ import annotations

import threading
from concurrent.futures import CancelledError, Future
from typing import Any

import pytest

from tests.search.conftest import NOTE, Library
from tests.support.box import WORKSPACE
from tests.support.forks import PATIENCE
from thoughtbox.errors import LedgerBroken, StorageError
from thoughtbox.ledger.keyring import Keyring
from thoughtbox.ledger.record import Draft
from thoughtbox.operations import Example, Input, Output, Room, Tx, freshness
from thoughtbox.operations.dispatch import Call, Dispatcher
from thoughtbox.operations.registry import Table
from thoughtbox.search.texts import Texts


class Write(Input):
    text: str


class Written(Output):
    seq: int


class Search(Input):
    query: str


class Results(Output):
    found: list[int]


def table() -> Table:
    table = Table()
    room = Room("notes", summary="Notes.", table=table)

    @room.operation("note_write", example=Example({"text": "t"}), writes=True)
    def note_write(tx: Tx, call: Write) -> Written:
        """Write a note."""
        draft = Draft(kind="observation", topic=NOTE, text=call.text, session="s")
        return Written(seq=tx.append(draft, stream="notes").seq)

    @room.operation("note_search", example=Example({"query": "q"}), fresh=(Texts,))
    def note_search(tx: Tx, call: Search) -> Results:
        """Find notes."""
        return Results(found=sorted(hit.seq for hit in tx.ask(Texts).find(call.query).hits))

    return table


class Notes:
    """The operations above, on a library's store."""

    def __init__(self, library: Library) -> None:
        self._dispatcher = Dispatcher(
            library.engine, library.views, world=library.world, keyring=Keyring(None, library.world), table=table()
        )

    def submit(self, operation: str, arguments: dict[str, Any], **options: Any) -> Future[dict[str, Any]]:
        return self._dispatcher.submit(Call(operation=operation, workspace=WORKSPACE, arguments=arguments, **options))

    def write(self, *texts: str) -> None:
        for future in [self.submit("note_write", {"text": text}) for text in texts]:
            future.result(PATIENCE)

    def search(self, query: str, **options: Any) -> dict[str, Any]:
        return self.submit("note_search", {"query": query}, **options).result(PATIENCE)


@pytest.fixture
def notes(library: Library) -> Notes:
    return Notes(library)


def count_writes(library: Library, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    lanes: list[str] = []
    write = library.engine.write
    monkeypatch.setattr(library.engine, "write", lambda lane, work: (lanes.append(lane), write(lane, work))[1])
    return lanes


def test_what_was_written_just_now_is_found_at_once(notes: Notes):
    for number in range(1, 6):
        notes.write(f"cache {number}")
        assert notes.search("cache") == {"found": list(range(1, number + 1))}


def test_a_search_right_behind_many_writes_sees_them_all(notes: Notes):
    notes.write(*["cache"] * 600, "needle")

    assert notes.search("needle") == {"found": [601]}


def test_every_one_of_many_searchers_sees_what_was_written_before(notes: Notes):
    notes.write(*["cache"] * 300, "needle")

    answers = [notes.submit("note_search", {"query": "needle"}) for _ in range(12)]

    assert [answer.result(PATIENCE) for answer in answers] == [{"found": [301]}] * 12


def test_nothing_is_written_when_nothing_lags(library: Library, notes: Notes, monkeypatch: pytest.MonkeyPatch):
    notes.write("cache")
    notes.search("cache")
    writes = count_writes(library, monkeypatch)

    assert notes.search("cache") == {"found": [1]}
    assert writes == []


def test_an_empty_workspace_is_searched_without_ado(library: Library, notes: Notes, monkeypatch: pytest.MonkeyPatch):
    writes = count_writes(library, monkeypatch)

    assert notes.search("cache") == {"found": []}
    assert writes == []


def test_a_search_as_of_what_is_taken_in_waits_for_nothing(
    library: Library, notes: Notes, monkeypatch: pytest.MonkeyPatch
):
    notes.write("cache", "cache")
    library.catch_up()
    notes.write("cache")
    writes = count_writes(library, monkeypatch)

    assert notes.search("cache", as_of=2) == {"found": [1, 2]}
    assert writes == []
    assert notes.search("cache", as_of=9) == {"found": [1, 2, 3]}
    assert writes == [WORKSPACE]


def test_a_search_that_could_not_wait_any_longer_says_so(notes: Notes, monkeypatch: pytest.MonkeyPatch):
    notes.write(*["cache"] * 3)
    monkeypatch.setattr(freshness, "LONGEST_SECONDS", 0.0)

    answer = notes.search("cache")

    assert answer["found"] == []
    assert answer["notice"]["code"] == "BEHIND"
    assert "th:0 of th:3" in answer["notice"]["message"]


@pytest.mark.parametrize("open_library", ["sqlite", "postgres"], indirect=True)
def test_a_search_does_not_wait_for_whoever_holds_the_store(
    library: Library, notes: Notes, monkeypatch: pytest.MonkeyPatch
):
    notes.write("cache")
    monkeypatch.setattr(freshness, "LONGEST_SECONDS", 0.1)
    goes_on = threading.Event()
    held = library.engine.write(WORKSPACE, lambda sql: goes_on.wait(PATIENCE))

    answer = notes.search("cache")

    assert not held.done()
    assert answer["notice"]["code"] == "BEHIND"
    goes_on.set()
    held.result(PATIENCE)


def test_a_search_whose_view_cannot_catch_up_answers_from_what_there_is(
    library: Library, notes: Notes, monkeypatch: pytest.MonkeyPatch
):
    notes.write("cache")
    library.catch_up()
    notes.write("cache")

    def broken(self: Texts, after: int, limit: int) -> int:
        raise LedgerBroken("a record is damaged")

    monkeypatch.setattr(Texts, "advance", broken)

    answer = notes.search("cache")

    assert answer["found"] == [1]
    assert "th:1 of th:2" in answer["notice"]["message"]


def test_a_view_that_does_not_move_is_not_waited_for(notes: Notes, monkeypatch: pytest.MonkeyPatch):
    notes.write("cache")
    monkeypatch.setattr(Texts, "advance", lambda self, after, limit: after)

    assert notes.search("cache")["notice"]["code"] == "BEHIND"


def test_the_caller_is_not_held_up_while_views_catch_up(library: Library, notes: Notes):
    notes.write("cache")
    goes_on = threading.Event()
    held = library.engine.write(WORKSPACE, lambda sql: goes_on.wait(PATIENCE))

    answer = notes.submit("note_search", {"query": "cache"})

    assert not answer.done()
    goes_on.set()
    assert held.result(PATIENCE)
    assert answer.result(PATIENCE) == {"found": [1]}


def test_a_search_that_is_given_up_takes_back_what_has_not_begun(library: Library, notes: Notes):
    notes.write("cache")
    begun, goes_on = threading.Event(), threading.Event()

    def hold(_: object) -> None:
        begun.set()
        assert goes_on.wait(PATIENCE)

    held = library.engine.write(WORKSPACE, hold)
    assert begun.wait(PATIENCE)
    answer = notes.submit("note_search", {"query": "cache"})

    assert answer.cancel()
    goes_on.set()
    held.result(PATIENCE)

    with pytest.raises(CancelledError):
        answer.result(PATIENCE)
    library.engine.write(WORKSPACE, lambda sql: None).result(PATIENCE)
    assert library.reached() == 0


def test_a_search_that_fails_fails_as_any_read_does(notes: Notes, monkeypatch: pytest.MonkeyPatch):
    notes.write("cache")

    def fails(self: Texts, query: str) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(Texts, "find", fails)

    with pytest.raises(ZeroDivisionError):
        notes.search("cache")


def test_a_search_on_a_closed_store_is_refused(library: Library, notes: Notes):
    notes.write("cache")
    library.close()

    with pytest.raises(StorageError):
        notes.search("cache")
