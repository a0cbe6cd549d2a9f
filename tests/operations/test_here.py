"""Calls that may be done in the calling thread: the same answers and refusals, whichever way they go."""

from __future__ import annotations

import json
import re
import threading
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest

from tests.operations.workshop import Bench, Workshop
from tests.support.box import Box
from tests.support.forks import PATIENCE
from thoughtbox import domains
from thoughtbox.errors import InvalidPayload, PhaseViolation, ThoughtboxError
from thoughtbox.operations.caller import Focus, Landing
from thoughtbox.operations.operation import Operation
from thoughtbox.operations.registry import TABLE

domains.load()

_MEASURED = re.compile(r'"durationMs": \d+')
"""How long something took is another time each time."""


def test_every_way_of_a_call_comes_to_the_same_here(workshop: Workshop):
    def call(operation: str, **arguments: Any) -> dict[str, Any]:
        return workshop.submit(operation, here=True, **arguments).result(PATIENCE)

    landing = Landing()
    assert call("make", text="one", landing=landing) == {"id": "th:1", "count": 1}
    assert landing.focus == Focus("none").on(Bench("one"))
    assert call("count") == {"count": 1}
    assert call("count", as_of=0) == {"count": 0}
    with pytest.raises(InvalidPayload, match="it broke"):
        call("make", text="bad")
    with pytest.raises(ThoughtboxError, match="unknown argument"):
        call("make", text="two", colour="red")
    assert call("find", query="one") == {"found": [1]}
    with pytest.raises(PhaseViolation):
        call("try_the_lock", text="two")
    assert call("make_in_slices", texts=["a", "b"]) == {"ids": ["th:3", "th:4"], "refused": ["2 records more"]}
    first = call("make", text="keyed", key="k")
    assert call("make", text="keyed", key="k") == first
    assert [text for text, _ in workshop.records()] == ["one", "two was tried", "a", "b", "make", "keyed", "make"]


def test_what_is_one_transaction_is_done_at_once_on_sqlite_when_nobody_else_is_there(workshop: Workshop):
    workshop.call("make", text="one")
    workshop.call("find", query="one")  # from now on the index has caught up
    told: list[dict[str, Any]] = []
    for operation, arguments in (("count", {}), ("find", {"query": "one"}), ("make", {"text": "two"})):
        asked = workshop.submit(operation, here=True, **arguments)
        assert asked.done() or workshop.engine.dialect != "sqlite"
        told.append(asked.result(PATIENCE))
    assert told == [{"count": 1}, {"found": [1]}, {"id": "th:2", "count": 2}]
    with pytest.raises(PhaseViolation):
        workshop.submit("try_the_lock", text="three", here=True).result(PATIENCE)


def test_of_a_call_in_slices_only_the_first_is_done_here(workshop: Workshop):
    threads: list[int] = []

    workshop.submit(
        "make_in_slices", texts=["a", "b"], here=True, progress=lambda *_: threads.append(threading.get_ident())
    ).result(PATIENCE)

    assert len(threads) == 2
    assert threading.get_ident() not in threads


@pytest.mark.sampled(12)
@pytest.mark.parametrize("operation", list(TABLE), ids=lambda operation: operation.name)
def test_the_example_of_an_operation_is_answered_alike_here_and_elsewhere(operation: Operation, tmp_path: Path):
    def lived(project: Path, *, here: bool) -> str:
        box = Box(THOUGHTBOX_PROJECT_ROOT=str(project))
        try:
            calls = [*operation.example.given, (operation.name, operation.example.arguments)]
            told = [outcome(box.submit(name, dict(given), here=here)) for name, given in calls]
        finally:
            box.close()
        return _MEASURED.sub("", json.dumps(told).replace(str(project), "project"))

    assert lived(tmp_path / "a", here=True) == lived(tmp_path / "b", here=False)


def outcome(future: Future[dict[str, Any]]) -> Any:
    try:
        return future.result(PATIENCE)
    except ThoughtboxError as error:
        return error.payload()
