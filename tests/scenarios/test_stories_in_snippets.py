"""The stories of all rooms once more, told by an agent that sees `execute` alone."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.scenarios import test_memory_cycle, test_mind, test_thoughts, test_trail, test_trail_and_thoughts
from tests.support.agent import Agent
from tests.support.coding_agent import CodingAgent

ROOMS = (test_trail, test_thoughts, test_trail_and_thoughts, test_mind)

Story = Callable[..., object]

A_SNIPPET_LEAVES_TWO_RECORDS = "counts the records, and a snippet leaves two also when it fails"
OTHERWISE = {
    "test_bad_input_gets_an_error_that_names_the_field_and_changes_nothing": A_SNIPPET_LEAVES_TWO_RECORDS,
    "test_a_thought_that_cannot_be_is_refused_and_nothing_is_written": A_SNIPPET_LEAVES_TWO_RECORDS,
    "test_a_long_tree_is_cut_to_the_budget_and_says_so": A_SNIPPET_LEAVES_TWO_RECORDS,
    "test_thoughts_cannot_be_linked_afterwards": "reads an error word by word, and a snippet adds its line",
    "test_nine_tools_are_shown_and_none_of_them_links_edits_or_deletes": "about the list of tools",
    "test_each_tool_takes_and_answers_what_the_document_says": "about the list of tools",
    "test_the_tree_can_be_read_as_it_was_before": "a snippet reads as of now",
    "test_a_deleted_session_explains_nothing_any_more_but_did_then": "a snippet reads as of now",
    "test_the_same_key_again_returns_the_first_answer_and_writes_nothing": "a key is for one and the same snippet",
}
"""Stories that are not about what operations do, and why they cannot be told in snippets."""


def test_what_is_told_otherwise_is_a_story():
    assert OTHERWISE.keys() <= {name for room in ROOMS for name in vars(room)}


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


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("story", "given"), list(told(ROOMS)))
def test_a_story_is_told_in_snippets(agent: Agent, story: Story, given: dict[str, Any]):
    coding = CodingAgent(agent)

    story(agent=coding, **given)

    assert coding.snippets


def test_a_guarded_cycle_is_told_in_snippets(start_agent: Callable[..., Agent], tmp_path: Path):
    test_memory_cycle.test_a_cycle_from_the_snapshot_to_what_is_remembered_through_its_tools(
        lambda **settings: CodingAgent(start_agent(**settings)), tmp_path
    )
