"""Every read of the mind room, as of every record of a random history: it answers again what it answered then."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.box import Box
from tests.support.boxes import OpenBox, open_box
from tests.support.mind_history import Arguments, MindHistory, MindQuestions
from thoughtbox import domains
from thoughtbox.errors import ThoughtboxError
from thoughtbox.operations import TABLE

__all__ = ["open_box"]

domains.load()

OUTSIDE = {"transcripts_search", "transcripts_open", "transcripts_digest"}
"""What they read is not in the store."""
READS = [one for one in TABLE if one.room == "mind" and not one.writes and one.name not in OUTSIDE]
OF_THE_MOMENT = {"timestamp", "runner_status", "expires_in_ms", "lease_active", "stale", "runners", "as_of"}
"""Fields that say when it was asked, or what has run out by then."""


UNORDERED = {"mind_search", "tasks_jobs_radar"}
"""How well a hit fits depends on all that was ever written, and what has run out comes first."""


def ask(history: MindHistory, operation: str, arguments: Arguments, as_of: int | None = None) -> Any:
    while True:
        try:
            answer = history.client.call(operation, **arguments, as_of=as_of)
        except ThoughtboxError as error:
            return error.payload()
        if not any(warning["code"] == "BEHIND" for warning in answer["warnings"]):
            return timeless(answer, operation)


def timeless(value: Any, operation: str) -> Any:
    """An answer without what no record holds."""
    if isinstance(value, dict):
        if value.get("kind") == "runner":
            return value["id"]
        return {name: timeless(part, operation) for name, part in value.items() if name not in OF_THE_MOMENT}
    if isinstance(value, list):
        parts = [timeless(part, operation) for part in value]
        return sorted(parts, key=repr) if operation in UNORDERED else parts
    return value


def walk(box: Box, seed: object, *, steps: int, every: int) -> None:
    history = MindHistory(box, seed)
    asked: list[tuple[str, Arguments, int, Any]] = []
    for step in range(steps):
        history.step()
        questions = MindQuestions(history, (seed, step))
        for operation in READS[step % every :: every]:
            arguments = questions.arguments(operation)
            if operation.name in UNORDERED:
                arguments = {name: value for name, value in arguments.items() if name == "query"} | {"limit": 50}
            asked.append((operation.name, arguments, history.records(), ask(history, operation.name, arguments)))
    assert {each[0] for each in asked} == {operation.name for operation in READS}
    for operation, arguments, seq, answer in asked:
        assert ask(history, operation, arguments, as_of=seq) == answer, (seed, operation, arguments, seq)


@pytest.mark.parametrize("seed", range(2))
def test_every_read_of_the_mind_answers_as_of_a_record_what_it_answered_then(seed: int):
    box = Box()
    walk(box, seed, steps=90, every=3)
    box.close()


def test_it_does_so_on_both_engines(open_box: OpenBox):
    walk(open_box(), "both", steps=24, every=4)


@pytest.mark.torture
@pytest.mark.parametrize("seed", range(100, 130))
def test_it_does_so_in_long_histories(seed: int):
    box = Box()
    walk(box, seed, steps=300, every=2)
    box.close()
