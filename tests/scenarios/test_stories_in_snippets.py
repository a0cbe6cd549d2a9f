"""The stories of all rooms once more, told by an agent that sees `execute` alone."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from itertools import product
from types import ModuleType
from typing import Any

import pytest

from tests.scenarios import test_memory_cycle, test_mind, test_thoughts, test_trail, test_trail_and_thoughts
from tests.support.agent import Agent
from tests.support.coding_agent import CodingAgent

ROOMS = (test_trail, test_thoughts, test_trail_and_thoughts, test_mind, test_memory_cycle)

Story = Callable[..., object]

OTHERWISE: dict[str, str] = {}
"""Stories that are about something else than operations, and why they cannot be told in snippets."""


def told(rooms: tuple[ModuleType, ...]) -> Iterator[Any]:
    """Every story that needs an agent and nothing else, with each of its parameters."""
    for room in rooms:
        for name, story in vars(room).items():
            if not name.startswith("test_") or name in OTHERWISE:
                continue
            marks = [mark for mark in getattr(story, "pytestmark", []) if mark.name == "parametrize"]
            names = [part.strip() for mark in marks for part in _names(mark.args[0])]
            if set(inspect.signature(story).parameters) - set(names) != {"agent"}:
                continue
            for number, values in enumerate(product(*(mark.args[1] for mark in marks))):
                flat = [one for value, mark in zip(values, marks, strict=True) for one in _values(value, mark)]
                given = dict(zip(names, flat, strict=True))
                yield pytest.param(story, given, id=f"{name}-{number}" if marks else name)


def _names(said: Any) -> list[str]:
    return said.split(",") if isinstance(said, str) else list(said)


def _values(value: Any, mark: Any) -> list[Any]:
    return list(value) if len(_names(mark.args[0])) > 1 else [value]


@pytest.mark.parametrize(("story", "given"), list(told(ROOMS)))
def test_a_story_is_told_in_snippets(agent: Agent, story: Story, given: dict[str, Any]):
    coding = CodingAgent(agent)

    story(agent=coding, **given)

    assert coding.snippets
