"""Every read of the memory room, as of every record of a random history: it answers again what it answered then."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.support.box import Box
from tests.support.boxes import OpenBox, open_box
from tests.support.chance import Arguments
from tests.support.memory_history import MemoryHistory, MemoryQuestions
from thoughtbox import domains
from thoughtbox.errors import ThoughtboxError
from thoughtbox.operations import TABLE

__all__ = ["open_box"]

domains.load()

OUTSIDE = {
    *("list_presets", "validate_config", "get_config", "get_project_context", "health_check"),
    *("check_compliance", "get_workflow_status", "experiences_alike"),
}
"""What they read is the project's files, the store as a whole, what this process remembers of reads, or rare words."""
READS = [one for one in TABLE if one.room == "memory" and not one.writes and one.name not in OUTSIDE]
OF_THE_MOMENT = {"active", "rank"}
"""Fields that say whether something has run out by now, and how well something fits."""


def ask(history: MemoryHistory, operation: str, arguments: Arguments, as_of: int | None = None) -> Any:
    while True:
        try:
            answer = history.client.call(operation, **arguments, as_of=as_of)
        except ThoughtboxError as error:
            return error.payload()
        if answer.get("notice", {}).get("code") != "BEHIND":
            return timeless(answer, operation)


def timeless(value: Any, operation: str) -> Any:
    """An answer without what no record holds."""
    if isinstance(value, dict):
        return {name: timeless(part, operation) for name, part in value.items() if name not in OF_THE_MOMENT}
    if isinstance(value, list):
        parts = [timeless(part, operation) for part in value]
        return sorted(parts, key=repr) if operation == "search_experiences" else parts
    return value


def walk(box: Box, seed: object, *, steps: int, every: int) -> None:
    history = MemoryHistory(box, seed)
    asked: list[tuple[str, Arguments, int, Any]] = []
    for step in range(steps):
        history.step()
        for operation in READS[step % every :: every]:
            arguments = MemoryQuestions(history, (seed, step), operation.name).arguments(operation)
            asked.append((operation.name, arguments, history.records(), ask(history, operation.name, arguments)))
    assert {each[0] for each in asked} == {operation.name for operation in READS}
    for operation, arguments, seq, answer in asked:
        assert ask(history, operation, arguments, as_of=seq) == answer, (seed, operation, arguments, seq)


@pytest.mark.parametrize("seed", range(2))
def test_every_read_of_memory_answers_as_of_a_record_what_it_answered_then(seed: int, tmp_path: Path):
    box = Box(THOUGHTBOX_PROJECT_ROOT=str(tmp_path))
    walk(box, seed, steps=90, every=3)
    box.close()


def test_it_does_so_on_both_engines(open_box: OpenBox):
    walk(open_box(), "both", steps=24, every=4)


@pytest.mark.torture
@pytest.mark.parametrize("seed", range(100, 130))
def test_it_does_so_in_long_histories(seed: int, tmp_path: Path):
    box = Box(THOUGHTBOX_PROJECT_ROOT=str(tmp_path))
    walk(box, seed, steps=300, every=2)
    box.close()
