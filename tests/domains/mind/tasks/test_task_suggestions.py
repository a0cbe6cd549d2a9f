"""Every call that an answer names succeeds when it is sent exactly as it stands, whatever state a task is in."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.box import Box
from tests.support.mind import Mind
from tests.support.tasks import OTHER, STEP, begun
from thoughtbox.errors import ThoughtboxError
from thoughtbox.operations import TABLE

TASK = {"task": "TASK-001"}
States = dict[str, list[tuple[str, dict[str, Any]]]]

STATES: States = {
    "new": [],
    "active": [("tasks_complete", {**TASK, "status": "ACTIVE"})],
    "half done": [("tasks_close_step", {**TASK, "checkpoints": "gate"})],
    "all done": [
        ("tasks_close_step", {**TASK, "path": "s:0", "checkpoints": "gate"}),
        ("tasks_close_step", {**TASK, "path": "s:1", "checkpoints": "gate"}),
    ],
    "complete": [
        ("tasks_close_step", {**TASK, "path": "s:0", "checkpoints": "gate"}),
        ("tasks_close_step", {**TASK, "path": "s:1", "checkpoints": "gate"}),
        ("tasks_complete", {**TASK}),
    ],
    "canceled": [("tasks_complete", {**TASK, "status": "CANCELED"})],
    "parked": [("tasks_complete", {**TASK, "status": "PARKED", "parked_for_s": 60})],
    "leased": [("tasks_step_lease_claim", {**TASK, "agent_id": "ada"})],
    "proof required": [("tasks_define", {**TASK, "proof_tests_mode": "require", "proof_docs_mode": "require"})],
    "blocked": [("tasks_define", {**TASK, "blocked": True, "blockers": ["No numbers"]})],
    "research": [("tasks_define", {**TASK, "title": "Explore reads", "success_criteria": []})],
    "anchored": [("tasks_edit", {**TASK, "tags": ["a:cache"]})],
    "noted": [("tasks_note", {**TASK, "note": "Reads dominate."})],
    "strict": [("tasks_edit", {**TASK, "reasoning_mode": "strict"})],
    "strict and claimed": [
        ("tasks_edit", {**TASK, "reasoning_mode": "strict"}),
        (
            "think_card",
            {"target": "TASK-001", "step": "focus", "card": {"id": "H1", "type": "hypothesis", "title": "Cold"}},
        ),
    ],
    "strict and one-sided": [
        ("tasks_edit", {**TASK, "reasoning_mode": "strict"}),
        (
            "think_card",
            {"target": "TASK-001", "step": "focus", "card": {"id": "H1", "type": "hypothesis", "title": "Cold"}},
        ),
        (
            "think_card",
            {"target": "TASK-001", "card": {"id": "T1", "type": "test", "title": "Measure"}, "supports": ["H1"]},
        ),
    ],
    "thought about": [
        ("think_card", {"target": "TASK-001", "card": {"id": "D1", "type": "decision", "title": "A vs B"}}),
        ("think_pin", {"target": "TASK-001", "targets": ["D1"]}),
        (
            "think_card",
            {"target": "TASK-001", "card": {"type": "decision", "title": "d", "tags": "v:draft"}},
        ),
    ],
    "no steps": [("tasks_create", {"parent": "PLAN-001", "title": "Empty"}), ("tasks_focus_set", {"task": "TASK-002"})],
}

READS: list[tuple[str, dict[str, Any]]] = [
    ("tasks_snapshot", {}),
    ("tasks_snapshot", {"max_chars": 2_500}),
    ("tasks_resume_super", {"view": "audit"}),
    ("tasks_snapshot", {"plan": "PLAN-001"}),
    ("tasks_lint", {}),
    ("tasks_lint", {"plan": "PLAN-001"}),
    ("tasks_close_step", {}),
    ("tasks_close_step", {"checkpoints": "gate"}),
    ("tasks_done", {}),
    ("tasks_complete", {}),
    ("tasks_decompose", {"steps": [STEP]}),
    ("tasks_note", {"note": "x", "expected_revision": 99}),
    ("tasks_note", {"note": "x", "path": "s:77"}),
]


def calls_in(value: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every call that an answer or an error names, wherever it stands."""
    if isinstance(value, list):
        for part in value:
            yield from calls_in(part)
    if not isinstance(value, dict):
        return
    for tool, arguments in (("tool", "args"), ("tool", "arguments"), ("target", "params")):
        if isinstance(value.get(tool), str) and isinstance(value.get(arguments), dict):
            yield value[tool], value[arguments]
    for part in value.values():
        yield from calls_in(part)


def told(mind: Mind, tool: str, arguments: dict[str, Any]) -> Any:
    try:
        return mind.whole(tool, **arguments)
    except ThoughtboxError as error:
        return error.details


def prepared(state: str) -> Mind:
    mind = Mind(Box())
    begun(mind, STEP, OTHER)
    mind.tasks_focus_set(task="TASK-001")
    for tool, arguments in STATES[state]:
        mind.whole(tool, **arguments)
    return mind


def _is_elsewhere(mind: Mind, tool: str, arguments: dict[str, Any]) -> bool:
    """Whether the call is about a part of the room that is not there: where anchors are opened, any of them is."""
    if tool == "open" and str(arguments["id"]).startswith("a:"):
        return "success" not in told(mind, "open", {"id": "a:of-nothing"})
    return tool not in TABLE.operations


@pytest.mark.parametrize("state", STATES)
def test_every_call_that_an_answer_names_succeeds_as_it_stands(state: str):
    mind = prepared(state)
    named = [call for read, arguments in READS for call in calls_in(told(mind, read, arguments))]
    mind.box.close()
    unique = {repr(call): call for call in named}
    assert unique
    for tool, arguments in unique.values():
        mind = prepared(state)
        if _is_elsewhere(mind, tool, arguments):
            continue
        if state != "no steps":
            mind.tasks_focus_set(task="TASK-001")
        assert mind.box.call(tool, arguments)["success"], (tool, arguments)
        mind.box.close()
