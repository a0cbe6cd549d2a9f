"""The focus of a workspace, the radar of a plan or task, and lists of them."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.box import START_MS, WORKSPACE, Box, settings_for
from tests.support.mind import Mind
from tests.support.tasks import STEP, begun
from thoughtbox.app import Thoughtbox
from thoughtbox.domains.mind.scope import scope_of
from thoughtbox.domains.mind.steps import StepRef, resolve_step
from thoughtbox.errors import ThoughtboxError
from thoughtbox.operations.caller import ANONYMOUS
from thoughtbox.world import World

DAY_MS = 86_400_000


def test_the_focus_is_set_seen_and_cleared(mind: Mind):
    begun(mind)
    assert mind.tasks_focus_get() == {"focus": None}
    assert mind.tasks_focus_set(target="TASK-001") == {"previous": None, "focus": "TASK-001"}
    before = mind.head()
    assert mind.tasks_focus_set(target="TASK-001") == {"previous": "TASK-001", "focus": "TASK-001"}
    assert mind.head() == before
    assert mind.tasks_focus_set(plan="PLAN-001") == {"previous": "TASK-001", "focus": "PLAN-001"}
    assert mind.tasks_focus_get() == {"focus": "PLAN-001"}
    assert mind.tasks_focus_clear() == {"previous": "PLAN-001", "cleared": True}
    assert mind.tasks_focus_clear() == {"previous": None, "cleared": False}


def test_only_what_is_there_comes_into_focus(quick: Mind):
    begun(quick)
    error = quick.refused("tasks_focus_set", target="TASK-002")
    assert error.code == "UNKNOWN_ID"
    assert quick.send(error.details["suggestions"][0])["result"]["id"] == "TASK-001"
    assert quick.refused("tasks_focus_set").code == "INVALID_INPUT"
    assert quick.refused("tasks_focus_set", target="CARD-1").code == "INVALID_INPUT"


def test_without_a_target_the_focus_is_meant_and_an_explicit_target_wins(quick: Mind):
    begun(quick)
    quick.tasks_create(title="Another")
    quick.tasks_focus_set(target="TASK-001")
    assert quick.notes_commit(content="x")["entry"]["branch"] == "task/TASK-001"
    assert quick.tasks_radar()["target"]["id"] == "TASK-001"
    assert quick.tasks_close_step(checkpoints="gate")["task"] == "TASK-001"
    assert quick.notes_commit(content="x", target="PLAN-002")["entry"]["branch"] == "plan/PLAN-002"
    assert quick.tasks_radar(plan="PLAN-002")["target"]["id"] == "PLAN-002"
    quick.tasks_focus_clear()
    assert quick.notes_commit(content="x")["entry"]["branch"] == "main"


@pytest.mark.parametrize("tool", ["tasks_radar", "tasks_snapshot", "tasks_resume_super", "tasks_lint", "tasks_done"])
def test_with_neither_target_nor_focus_the_call_says_what_is_missing(quick: Mind, tool: str):
    error = quick.refused(tool)
    assert error.details["hints"] == [{"kind": "missing_required", "field": "target"}]
    assert quick.send(error.details["suggestions"][0])["result"]["targets"] == []


def test_a_plan_in_focus_is_no_task(quick: Mind):
    begun(quick)
    quick.tasks_focus_set(plan="PLAN-001")
    assert "PLAN-001" in quick.refused("tasks_decompose", steps=[STEP]).message


def test_the_radar_of_a_task_says_where_it_stands(quick: Mind):
    begun(quick, {**STEP, "blockers": ["No numbers yet"], "next_action": "Turn counting on"}, STEP)
    quick.tasks_edit(task="TASK-001", description="Reads are slow.\nNobody knows why.")
    quick.tasks_verify(task="TASK-001", path="s:0", checkpoints={"tests": True})
    answer = quick.tasks_radar(task="TASK-001")
    assert answer["requested"] == {"target": "TASK-001"}
    assert answer["focus"] is None
    assert answer["reasoning_ref"]["branch"] == "task/TASK-001"
    assert answer["radar"] == {
        "now": "TASK-001 Measure reads (TODO): s:0 Count reads",
        "why": "Reads are slow.",
        "verify": ["Numbers for a week"],
        "next": ["Turn counting on"],
        "blockers": ["s:0: No numbers yet"],
    }
    steps = answer["steps"]
    assert (steps["total"], steps["open"], steps["completed"]) == (2, 2, 0)
    assert (steps["missing_criteria"], steps["missing_tests"], steps["missing_security"]) == (2, 1, 0)
    assert steps["first_open"]["step_id"] == "STEP-00000001"


def test_the_radar_says_what_comes_after_the_last_step_and_before_the_first(quick: Mind):
    begun(quick, STEP)
    quick.tasks_create(parent="PLAN-001", title="Empty")
    assert quick.tasks_radar(task="TASK-002")["radar"]["next"] == ["Add steps with tasks_decompose"]
    assert quick.tasks_radar(task="TASK-002")["radar"]["why"] == "Part of PLAN-001 Move the cache"
    quick.tasks_close_step(task="TASK-001", checkpoints="gate")
    assert quick.tasks_radar(task="TASK-001")["radar"]["next"] == ["Complete it with tasks_complete"]
    quick.tasks_complete(task="TASK-001")
    assert quick.tasks_radar(task="TASK-001")["radar"]["next"] == []


def test_what_is_marked_as_blocked_is_among_the_blockers(quick: Mind):
    begun(quick)
    quick.tasks_define(task="TASK-001", path="s:1", blocked=True, block_reason="No machine")
    quick.tasks_edit(task="TASK-001", blocked=True)
    assert quick.tasks_radar(task="TASK-001")["radar"]["blockers"] == [
        "The task is marked as blocked.",
        "s:1: No machine",
    ]
    quick.tasks_define(task="TASK-001", path="s:1", blocked=False)
    assert quick.tasks_radar(task="TASK-001")["radar"]["blockers"] == ["The task is marked as blocked."]


def test_the_horizon_of_a_plan_counts_what_is_active_and_what_is_stale(mind: Mind):
    plan = mind.tasks_create(title="Move the cache")["id"]
    for number in range(5):
        task = mind.tasks_create(parent=plan, title=f"Part {number}")["id"]
        if number:
            mind.tasks_complete(task=task, status="ACTIVE")
    horizon = mind.tasks_radar(plan=plan)["radar"]["horizon"]
    assert horizon.items() >= {"active": 4, "active_limit": 3, "over_limit": True, "todo": 1, "stale": 0}.items()
    assert [task["id"] for task in horizon["active_tasks"]] == ["TASK-002", "TASK-003", "TASK-004"]


def test_a_task_is_stale_by_the_time_of_the_newest_record_not_by_the_clock():
    clock = [START_MS]
    box = Box()
    box.close()
    box.app = Thoughtbox(settings_for(None), world=World(now_ms=lambda: clock[0], random_bytes=bytes))
    late = Mind(box)
    plan = late.tasks_create(title="Move the cache")["id"]
    task = late.tasks_create(parent=plan, title="Measure")["id"]
    late.tasks_complete(task=task, status="ACTIVE")
    clock[0] += 15 * DAY_MS
    assert late.tasks_radar(plan=plan)["radar"]["horizon"]["stale"] == 0
    late.notes_commit(content="Two weeks later")
    horizon = late.tasks_radar(plan=plan)["radar"]["horizon"]
    assert (horizon["stale"], horizon["stale_after_days"]) == (1, 14)
    box.close()


def test_plans_and_tasks_are_listed_a_page_at_a_time(mind: Mind):
    for number in range(3):
        plan = mind.tasks_create(title=f"Plan {number}")["id"]
        mind.tasks_create(parent=plan, title=f"Task {number}", steps=[STEP])
    mind.tasks_complete(task="TASK-002", status="ACTIVE")
    seen, cursor = [], None
    while True:
        page = mind.tasks_context(limit=2, **({"cursor": cursor} if cursor else {}))
        seen += [target["id"] for target in page["targets"]]
        cursor = page["pagination"]["next_cursor"]
        if not page["pagination"]["has_more"]:
            break
    assert seen == ["PLAN-001", "PLAN-002", "PLAN-003", "TASK-001", "TASK-002", "TASK-003"]
    assert [target["id"] for target in mind.tasks_context(status="ACTIVE")["targets"]] == ["TASK-002"]
    assert [target["id"] for target in mind.tasks_context(plan="PLAN-003")["targets"]] == ["TASK-003"]
    assert [target["id"] for target in mind.tasks_context(kind="plan")["targets"]] == seen[:3]
    assert mind.tasks_context(plan="PLAN-002")["targets"][0]["steps"] == {"total": 1, "open": 1}
    assert mind.refused("tasks_context", cursor="x").code == "INVALID_INPUT"
    assert mind.refused("tasks_context", plan="PLAN-009").code == "UNKNOWN_ID"


def resolved(mind: Mind, step: str, *, overridden: bool = False, **scope: Any) -> tuple[StepRef | None, list[str]]:
    """What a step comes to, and the codes of what is warned of."""

    def ask(tx: Any) -> tuple[StepRef | None, list[str]]:
        found = resolve_step(tx, scope_of(tx, **scope), step, overridden=overridden)
        return found, [remark.code for remark in tx.remarks]

    return mind.box.app.dispatcher.ask(WORKSPACE, ANONYMOUS, ask).result()


def test_a_step_is_named_by_focus_by_id_or_by_path(mind: Mind):
    begun(mind)
    mind.tasks_decompose(task="TASK-001", parent="s:1", steps=[STEP])
    first = StepRef("TASK-001", "STEP-00000001", "s:0")
    below = StepRef("TASK-001", "STEP-00000003", "s:1.s:0")
    assert resolved(mind, "focus", target="TASK-001") == (first, [])
    assert resolved(mind, "s:1.s:0", target="TASK-001") == (below, [])
    assert resolved(mind, "STEP-00000003", target="TASK-001") == (below, [])
    assert (below.tag, below.meta()) == (
        "step:step-00000003",
        {"task_id": "TASK-001", "step_id": "STEP-00000003", "path": "s:1.s:0"},
    )
    mind.tasks_focus_set(task="TASK-001")
    mind.tasks_close_step(checkpoints="gate")
    assert resolved(mind, "focus") == (StepRef("TASK-001", "STEP-00000002", "s:1"), [])


@pytest.mark.parametrize(
    ("step", "code"),
    [
        ("s:7", "UNKNOWN_ID"),
        ("STEP-0000000A", "UNKNOWN_ID"),
        ("STEP-00000002", "UNKNOWN_ID"),
        ("first", "INVALID_INPUT"),
        ("s:01", "INVALID_INPUT"),
        ("focus", "INVALID_INPUT"),
    ],
)
def test_what_names_no_step_of_the_task_is_refused(quick: Mind, step: str, code: str):
    begun(quick, STEP)
    begun(quick, STEP)
    quick.tasks_close_step(task="TASK-001", checkpoints="gate")
    with pytest.raises(ThoughtboxError, match=code) as error:
        resolved(quick, step, target="TASK-001")
    for suggestion in error.value.details.get("suggestions", ()):
        assert quick.send(suggestion)["success"]


def test_a_step_goes_with_a_task_only(quick: Mind):
    begun(quick)
    with pytest.raises(ThoughtboxError, match="INVALID_INPUT"):
        resolved(quick, "focus", target="PLAN-001")
    with pytest.raises(ThoughtboxError, match="INVALID_INPUT"):
        resolved(quick, "focus", branch="main", overridden=True)
    assert resolved(quick, "focus") == (None, ["STEP_CONTEXT_IGNORED"])
    quick.tasks_focus_set(plan="PLAN-001")
    assert resolved(quick, "focus") == (None, ["STEP_CONTEXT_IGNORED"])
