"""Cards and tasks to read."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.mind import Mind

Card = dict[str, Any]


def card(mind: Mind, id: str, type: str, *, supports: Any = None, blocks: Any = None, **rest: Any) -> str:
    """Write a card; what is not of the card says where."""
    of_card = {name: rest.pop(name) for name in ("title", "text", "status", "tags", "meta") if name in rest}
    said = {"id": id, "type": type, "title": f"Title of {id}", **of_card}
    return mind.think_card(card=said, supports=supports, blocks=blocks, **rest)["card_id"]


def ids(cards: list[Card]) -> list[str]:
    return [one["id"] for one in cards]


def nodes(mind: Mind, *ops: dict[str, Any], **scope: Any) -> None:
    """Put nodes and edges into the graph that are no cards."""
    mind.graph_apply(ops=list(ops), **scope)


def focus(mind: Mind, task: str) -> None:
    """Make a task what calls are about."""
    mind.tasks_focus_set(task=task)


@pytest.fixture
def task(quick: Mind) -> str:
    """A task with two steps, the first of which has one below it."""
    return new_task(quick)


def new_task(mind: Mind) -> str:
    plan = mind.tasks_create(kind="plan", title="Plan")["id"]
    steps = [{"title": title, "success_criteria": ["it holds"]} for title in ("First", "Second")]
    made = mind.tasks_create(parent=plan, title="Task", steps=steps)["id"]
    mind.tasks_decompose(task=made, parent="s:0", steps=[{"title": "Below", "success_criteria": ["it holds"]}])
    return made
