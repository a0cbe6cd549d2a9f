"""Plans, tasks and steps are begun, changed and noted on."""

from __future__ import annotations

import pytest

from tests.support.box import WORKSPACE
from tests.support.mind import Mind
from tests.support.tasks import OTHER, STEP, begun, first_open, revision, types
from thoughtbox.domains.mind.records import write_branch
from thoughtbox.operations import Tx
from thoughtbox.operations.caller import ANONYMOUS


def test_a_task_belongs_to_a_plan_and_is_refused_without_one(quick: Mind):
    error = quick.refused("tasks_create", kind="task", title="Measure")
    assert error.code == "INVALID_INPUT"
    assert error.details["hints"] == [{"kind": "missing_required", "field": "parent"}]
    assert quick.send(error.details["suggestions"][0])["result"]["id"] == "PLAN-001"
    assert quick.refused("tasks_create", parent="PLAN-007", title="Measure").code == "UNKNOWN_ID"
    wrong = quick.refused("tasks_create", parent="TASK-001", title="Measure")
    assert wrong.details["hints"] == [{"kind": "prefix", "field": "parent", "allowed": ["PLAN-"]}]


def test_the_kind_is_task_with_a_parent_and_plan_without(quick: Mind):
    assert quick.tasks_create(title="Move the cache")["kind"] == "plan"
    assert quick.tasks_create(title="Measure", parent="PLAN-001")["kind"] == "task"
    assert quick.refused("tasks_create", kind="plan", parent="PLAN-001", title="x").code == "INVALID_INPUT"
    assert quick.refused("tasks_create", title="x", steps=[STEP]).code == "INVALID_INPUT"


def test_a_task_without_a_parent_goes_to_the_plan_in_focus(quick: Mind):
    quick.tasks_create(title="One")
    quick.tasks_create(title="Two")
    quick.tasks_focus_set(plan="PLAN-002")
    task = quick.tasks_create(kind="task", title="Measure")["id"]
    assert quick.tasks_radar(task=task)["target"]["parent_plan_id"] == "PLAN-002"
    quick.tasks_focus_set(task=task)
    other = quick.tasks_create(kind="task", title="Draw")["id"]
    assert quick.tasks_radar(task=other)["target"]["parent_plan_id"] == "PLAN-002"


def test_a_plan_and_a_task_have_all_their_fields(quick: Mind):
    plan = {
        "description": "Off the old machine",
        "context": "It is full",
        "contract": "No downtime",
        "contract_data": {"minutes": 0},
        "priority": "HIGH",
        "tags": ["A:Cache", "a:cache"],
        "checklist": ["Measure", "Move"],
    }
    quick.tasks_create(title="Move the cache", **plan)
    quick.tasks_create(title="Wait for it")
    quick.tasks_create(parent="PLAN-001", title="Measure", depends_on=["PLAN-002"], reasoning_mode="strict")
    quick.tasks_edit(plan="PLAN-001", plan_doc="PLAN.md", plan_current=1)
    task = {"domain": "storage", "phase": "one", "component": "cache", "assignee": "ada", "blocked": True}
    quick.tasks_edit(task="TASK-001", **task)

    shown = quick.tasks_radar(plan="PLAN-001")["target"]
    assert shown.items() >= {**plan, "tags": ["a:cache"], "plan_doc": "PLAN.md", "plan_current": 1}.items()
    assert (shown["status"], shown["revision"]) == ("TODO", 1)
    assert shown["updated_at_ms"] > shown["created_at_ms"]
    other = quick.tasks_radar(task="TASK-001")["target"]
    assert other.items() >= {**task, "reasoning_mode": "strict", "depends_on": ["PLAN-002"]}.items()
    assert (other["priority"], other["tags"], other["parent_plan_id"]) == ("MEDIUM", [], "PLAN-001")


def test_a_new_workspace_still_has_its_own_branch_for_what_is_about_no_task(quick: Mind):
    quick.tasks_create(title="Move the cache")
    assert quick.notes_commit(content="x")["entry"]["branch"] == "main"
    assert quick.tasks_radar(plan="PLAN-001")["reasoning_ref"] == {
        "branch": "plan/PLAN-001",
        "notes_doc": "notes",
        "trace_doc": "PLAN-001-trace",
        "graph_doc": "PLAN-001-graph",
    }


def test_a_branch_that_has_the_name_already_is_left_alone(quick: Mind):
    def brought_in(tx: Tx) -> None:
        write_branch(tx, "created", name="plan/PLAN-001")

    quick.box.app.dispatcher.do(WORKSPACE, ANONYMOUS, brought_in, what="import").result()
    quick.tasks_create(title="Move the cache")
    assert quick.tasks_radar(plan="PLAN-001")["reasoning_ref"]["branch"] == "plan/PLAN-001-2"


def test_steps_are_added_at_the_end_and_below_a_step(quick: Mind):
    begun(quick)
    below = quick.tasks_decompose(task="TASK-001", parent="s:0", steps=[STEP, OTHER])
    assert [step["path"] for step in below["steps"]] == ["s:0.s:0", "s:0.s:1"]
    assert below["revision"] == 2
    more = quick.tasks_decompose(task="TASK-001", parent="STEP-00000003", steps=[STEP])
    assert [step["path"] for step in more["steps"]] == ["s:0.s:0.s:0"]
    assert quick.tasks_decompose(target="TASK-001", steps=[STEP])["steps"][0]["path"] == "s:2"
    assert quick.refused("tasks_decompose", task="TASK-001", steps=[]).code == "INVALID_INPUT"


def test_the_first_open_step_is_found_depth_first(mind: Mind):
    begun(mind)
    mind.tasks_decompose(task="TASK-001", parent="s:0", steps=[STEP] * 11)
    paths = []
    while (step := first_open(mind, "TASK-001")) is not None:
        paths.append(step["path"])
        mind.tasks_close_step(task="TASK-001", checkpoints="gate")
    assert paths == ["s:0", *(f"s:0.s:{place}" for place in range(11)), "s:1"]


def test_nothing_is_added_to_a_task_that_is_over_until_it_is_taken_up_again(quick: Mind):
    begun(quick)
    quick.tasks_complete(task="TASK-001", status="CANCELED")
    error = quick.refused("tasks_decompose", task="TASK-001", steps=[STEP])
    quick.send(error.details["suggestions"][0])
    assert quick.tasks_decompose(task="TASK-001", steps=[STEP])["steps"][0]["path"] == "s:2"


def test_a_step_is_defined_and_changed_criteria_are_to_be_confirmed_anew(quick: Mind):
    begun(quick)
    quick.tasks_verify(task="TASK-001", path="s:0", checkpoints="all")
    fields = {
        "title": "Count all reads",
        "success_criteria": ["Numbers for a month"],
        "blockers": ["No numbers yet"],
        "next_action": "Turn counting on",
        "stop_criteria": "After a month",
        "blocked": True,
        "block_reason": "No machine",
        "proof_perf_mode": "warn",
    }
    answer = quick.tasks_define(task="TASK-001", path="s:0", **fields)
    assert answer["step"].items() >= fields.items()
    confirmed = {name: state["confirmed"] for name, state in answer["step"]["checkpoints"].items()}
    assert confirmed == {"criteria": False, "tests": True, "security": True, "perf": True, "docs": True}
    assert answer["event"]["payload"]["unconfirmed"] == ["criteria"]


def test_a_change_that_changes_nothing_writes_nothing(quick: Mind):
    begun(quick)
    before = quick.head()
    assert "event" not in quick.tasks_define(task="TASK-001", path="s:0", title="Count reads")
    assert "event" not in quick.tasks_edit(task="TASK-001", title="Measure reads")
    assert "event" not in quick.tasks_verify(task="TASK-001", checkpoints={"criteria": False})
    ops = [{"op": "append", "field": "tests", "value": "make bench"}]
    assert "event" not in quick.tasks_patch(task="TASK-001", path="s:0", ops=ops)
    assert quick.head() == before


def test_fields_are_set_unset_appended_to_and_removed_from(quick: Mind):
    begun(quick)
    ops = [
        {"op": "set", "field": "description", "value": "All of them"},
        {"op": "append", "field": "tags", "value": ["A:Cache", "slow"]},
        {"op": "remove", "field": "tags", "value": "slow"},
        {"op": "set", "field": "priority", "value": "LOW"},
    ]
    target = quick.tasks_patch(task="TASK-001", ops=ops)["target"]
    assert (target["description"], target["tags"], target["priority"]) == ("All of them", ["a:cache"], "LOW")
    target = quick.tasks_patch(
        task="TASK-001", ops=[{"op": "unset", "field": "description"}, {"op": "unset", "field": "priority"}]
    )["target"]
    assert "description" not in target
    assert target["priority"] == "MEDIUM"
    step = quick.tasks_patch(
        task="TASK-001", step_id="STEP-00000001", ops=[{"op": "append", "field": "blockers", "value": "No numbers"}]
    )["step"]
    assert step["blockers"] == ["No numbers"]


@pytest.mark.parametrize(
    "op",
    [
        {"op": "set", "field": "titel", "value": "x"},
        {"op": "set", "field": "checklist", "value": ["x"]},
        {"op": "set", "field": "title", "value": ""},
        {"op": "unset", "field": "title"},
        {"op": "set", "field": "priority", "value": "URGENT"},
        {"op": "set", "field": "blocked", "value": "yes"},
        {"op": "append", "field": "title", "value": "x"},
        {"op": "remove", "field": "tags", "value": "not there"},
        {"op": "append", "field": "tags", "value": "a|b"},
        {"op": "append", "field": "depends_on", "value": "TASK-001"},
    ],
)
def test_a_field_that_there_is_not_or_a_value_that_it_cannot_have_is_refused(quick: Mind, op: dict[str, object]):
    begun(quick)
    assert quick.refused("tasks_patch", task="TASK-001", ops=[op]).code == "INVALID_INPUT"


def test_what_one_waits_for_must_be_there(quick: Mind):
    begun(quick)
    assert quick.refused("tasks_edit", task="TASK-001", depends_on=["TASK-009"]).code == "UNKNOWN_ID"
    assert quick.refused("tasks_edit", plan="PLAN-001", domain="storage").code == "INVALID_INPUT"
    assert quick.refused("tasks_edit", plan="PLAN-001").code == "INVALID_INPUT"


def test_a_note_is_an_event_and_stands_among_the_notes_of_its_task(mind: Mind):
    begun(mind)
    mind.tasks_note(target="TASK-001", note="Reads dominate.")
    answer = mind.tasks_note(task="TASK-001", step_id="STEP-00000002", note="Reads peak at nine.", agent_id="ada")

    entry = mind.show(target="TASK-001", doc_kind="notes")["entries"][-1]
    assert (entry["content"], f"notes@{entry['seq']}") == ("Reads peak at nine.", answer["note_ref"])
    assert entry["meta"] == {
        "source": "tasks_note",
        "task_id": "TASK-001",
        "step_id": "STEP-00000002",
        "path": "s:1",
        "step": {"task_id": "TASK-001", "step_id": "STEP-00000002", "path": "s:1"},
        "note_seq": 2,
        "event_id": answer["event"]["event_id"],
    }
    assert answer["event"]["payload"]["note"] == "Reads peak at nine."


def test_a_change_that_was_thought_of_before_another_is_refused(quick: Mind):
    begun(quick)
    quick.tasks_note(task="TASK-001", note="Somebody else was here.")
    for tool, arguments in (
        ("tasks_note", {"note": "x"}),
        ("tasks_edit", {"title": "x"}),
        ("tasks_define", {"title": "x"}),
        ("tasks_patch", {"ops": [{"op": "set", "field": "title", "value": "x"}]}),
        ("tasks_decompose", {"steps": [STEP]}),
        ("tasks_verify", {"checkpoints": "all"}),
        ("tasks_close_step", {"checkpoints": "gate"}),
        ("tasks_evidence_capture", {"checks": ["CMD: x"]}),
        ("tasks_complete", {"status": "ACTIVE"}),
    ):
        error = quick.refused(tool, task="TASK-001", expected_revision=1, **arguments)
        assert error.code == "REVISION_MISMATCH"
        assert "expected=1 actual=2" in error.message
        assert quick.send(error.details["suggestions"][0])["result"]["target"]["revision"] == 2
    assert quick.tasks_note(task="TASK-001", note="x", expected_revision=2)["revision"] == 3


def test_what_a_call_is_about_is_named_once_and_by_its_kind(quick: Mind):
    begun(quick)
    assert quick.tasks_radar(target={"id": "TASK-001", "kind": "task"})["target"]["id"] == "TASK-001"
    assert quick.refused("tasks_radar", target="TASK-001", plan="PLAN-001").details["hints"][0]["kind"] == "choose_one"
    wrong = quick.refused("tasks_radar", task="PLAN-001")
    assert wrong.details["hints"] == [{"kind": "prefix", "field": "task", "allowed": ["TASK-"]}]
    wrong = quick.refused("tasks_decompose", target="PLAN-001", steps=[STEP])
    assert wrong.details["hints"] == [{"kind": "prefix", "field": "target", "allowed": ["TASK-"]}]
    assert quick.refused("tasks_close_step", task="TASK-001", path="s:0", step_id="STEP-00000001").code == (
        "INVALID_INPUT"
    )
    assert quick.refused("tasks_radar", task="TASK-099").code == "UNKNOWN_ID"
    assert types(quick, "TASK-001") == ["task_created", "steps_added"]
    assert revision(quick, "TASK-001") == 1
