"""Plans and tasks for tests, begun in a line."""

from __future__ import annotations

from typing import Any

from tests.support.mind import Mind

STEP = {"title": "Count reads", "success_criteria": ["Numbers for a week"], "tests": ["make bench"]}
OTHER = {"title": "Draw the curve", "success_criteria": ["It is drawn"], "tests": ["look at it"]}


def begun(mind: Mind, *steps: dict[str, Any], **fields: Any) -> str:
    """A task of a plan of its own; two steps when none are given."""
    plan = mind.tasks_create(title="Move the cache")["id"]
    given = list(steps) or [STEP, OTHER]
    return mind.tasks_create(parent=plan, title="Measure reads", steps=given, **fields)["id"]


def events(mind: Mind, task: str) -> list[dict[str, Any]]:
    """All events of a plan or task, the oldest first."""
    return [event for event in mind.tasks_delta(limit=200)["events"] if event["task"] == task]


def types(mind: Mind, task: str) -> list[str]:
    return [event["type"] for event in events(mind, task)]


def revision(mind: Mind, task: str) -> int:
    return mind.tasks_radar(target=task)["target"]["revision"]


def first_open(mind: Mind, task: str) -> Any:
    return mind.tasks_radar(target=task)["steps"]["first_open"]


def act(mind: Mind, action: dict[str, Any]) -> dict[str, Any]:
    """What a capsule or a lint names as the next call, sent as it stands."""
    return mind.box.call(action["tool"], action["args"])
