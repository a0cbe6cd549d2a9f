"""What a newcomer meets: nonsense is refused with a way out, every id opens, and the first call helps."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import jsonschema
import pytest

from tests.support.box import Box
from tests.support.mind import Mind, fill_mind
from thoughtbox import domains
from thoughtbox.errors import ThoughtboxError
from thoughtbox.operations import Operation
from thoughtbox.operations.registry import TABLE
from thoughtbox.operations.schemas import input_schema, output_schema

domains.load()


def _nested(levels: int) -> dict[str, Any]:
    return {"a": _nested(levels - 1)} if levels else {}


ROOM = {operation.name: operation for operation in TABLE if operation.room == "mind"}
BOUNDED = [
    name
    for name, operation in ROOM.items()
    if "max_chars" in operation.input.model_fields and operation.example.fails_with is None
]
NONSENSE: list[Any] = ["", "a\0b", "\ud800", "nope-404", None, 2**64, -(10**30), _nested(200)]
WRITES_FILES = "context_pack_export"


def _filled() -> Iterator[Mind]:
    box = Box()
    fill_mind(box)
    yield Mind(box)
    box.close()


filled = pytest.fixture(_filled, scope="module", name="filled")
"""For calls that only read, or change nothing that others read."""
worn = pytest.fixture(_filled, scope="module", name="worn")
"""For calls that may do anything to it."""


def outcome(mind: Mind, operation: Operation, arguments: dict[str, Any]) -> ThoughtboxError | None:
    """How a call was refused, if it was; nothing may have been written then."""
    before = mind.head()
    try:
        mind.whole(operation.name, **arguments)
    except ThoughtboxError as error:
        assert mind.head() == before, arguments
        return error
    return None


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", ROOM)
def test_nonsense_for_any_argument_is_answered_or_refused_by_name_with_a_way_out(worn: Mind, name: str):
    operation = ROOM[name]
    right = dict(operation.example.arguments)
    for field in input_schema(TABLE, operation)["properties"]:
        for value in NONSENSE:
            if name == WRITES_FILES and field == "out_file":
                continue
            error = outcome(worn, operation, {**right, field: value})
            if error is not None:
                told = error.payload()
                assert told["recovery"], (field, value)
                if told["code"] == "INVALID_INPUT" and value is not None and field != "workspace":
                    assert field in f"{told['message']} {told['details']}", (field, value)


@pytest.mark.parametrize("name", BOUNDED)
def test_an_answer_that_was_cut_to_its_budget_is_what_the_tool_says_it_answers(filled: Mind, name: str):
    operation = ROOM[name]
    answer = filled.whole(name, **{**operation.example.arguments, "max_chars": 40})

    jsonschema.validate(answer, output_schema(operation))


@pytest.mark.parametrize("tool", ["tasks_snapshot", "tasks_resume_super"])
def test_a_short_snapshot_is_what_the_tool_says_it_answers(filled: Mind, tool: str):
    answer = filled.whole(tool, target="TASK-001", max_chars=300)

    assert answer["result"]["truncated"]
    jsonschema.validate(answer, output_schema(ROOM[tool]))


def test_a_tool_that_is_told_something_unknown_names_what_it_takes(quick: Mind):
    error = quick.refused("think_frontier", colour="red")

    assert error.message == "unknown argument `colour`"
    assert str(error.recovery).startswith("It takes ")
    assert "limit_hypotheses" in str(error.recovery)


def test_without_a_focus_the_plan_or_task_that_changed_last_is_named(mind: Mind):
    assert mind.refused("tasks_snapshot").recovery == "There is no plan or task yet: begin one with tasks_create."
    mind.tasks_create(title="One")
    mind.tasks_create(title="Its task", parent="PLAN-001")
    mind.tasks_create(title="Two")

    for tool, last in (("tasks_snapshot", "PLAN-002"), ("tasks_close_step", "TASK-001")):
        error = mind.refused(tool)
        assert f"Send target={last}," in str(error.recovery)
        assert mind.send(error.details["suggestions"][0])["result"]["id"] == last
    error = mind.refused("tasks_snapshot", target="TASK-007")
    assert "TASK-001" in str(error.recovery)
    assert mind.send(error.details["suggestions"][0])["result"]["id"] == "TASK-001"


def test_steps_events_and_conflicts_open_by_their_ids(mind: Mind):
    mind.tasks_create(title="Plan")
    steps = [{"title": title, "success_criteria": [f"{title} is seen"]} for title in ("First", "Second")]
    created = mind.tasks_create(title="Task", parent="PLAN-001", steps=steps)

    second = mind.open(id=created["steps"][1]["step_id"])
    assert (second["kind"], second["target"]["id"]) == ("step", "TASK-001")
    assert second["step"]["success_criteria"] == ["Second is seen"]
    event = created["events"][1]
    opened = mind.open(id=event["event_id"])
    assert (opened["kind"], opened["entry"]["event_id"]) == ("doc_entry", event["event_id"])
    assert opened["entry"]["payload"] == event["payload"]

    mind.think_card(branch="main", card={"id": "D1", "type": "decision", "title": "Cache"})
    mind.branch_create(name="what-if", **{"from": "main"})
    for branch, status in (("what-if", "rejected"), ("main", "accepted")):
        mind.think_set_status(ref=branch, targets=["D1"], status=status)
    (conflict,) = mind.graph_merge(**{"from": "what-if", "into": "main"})["conflict_ids"]
    opened = mind.open(id=conflict)
    assert opened["kind"] == "conflict"
    assert opened["conflict"] == mind.graph_conflict_show(conflict_id=conflict)["conflict"]
    for nothing in ("STEP-000000FF", "evt_0000000000000001", "evt_0000000000009999", "CONFLICT-" + "0" * 32):
        assert mind.refused("open", id=nothing).code == "UNKNOWN_ID"


def test_a_card_opens_as_it_stood_then(mind: Mind):
    then = mind.think_card(card={"id": "D1", "type": "decision", "title": "Cache"})["last_seq"]
    mind.think_set_status(targets=["D1"], status="rejected")

    assert mind.open(id="D1", as_of=then)["card"]["status"] == "open"
    assert mind.open(id="D1")["card"]["status"] == "rejected"
    assert mind.refused("open", id="D1", as_of=then - 1).code == "UNKNOWN_ID"
    assert mind.refused("open", id="D1", as_of=-1).details["fields"] == ["as_of"]


def test_an_empty_path_is_no_step_and_the_argument_is_named(quick: Mind):
    quick.tasks_create(title="Plan")
    quick.tasks_create(title="Task", parent="PLAN-001", steps=[{"title": "Only", "success_criteria": ["seen"]}])

    for field in ("path", "step_id"):
        error = quick.refused("tasks_close_step", task="TASK-001", checkpoints="all", **{field: ""})
        assert error.details["fields"] == [field]
    assert quick.refused("tasks_radar", task={"id": "TASK-001", "kind": "plan"}).details["fields"] == ["task"]
    assert quick.refused("tasks_context", cursor="x").details["fields"] == ["cursor"]


def test_the_log_before_the_first_branch_is_empty(mind: Mind):
    assert mind.log()["commits"] == []
    mind.commit(artifact="first", message="m")
    assert mind.log(as_of=0)["commits"] == []
    assert len(mind.log()["commits"]) == 1


def test_a_tag_is_offered_to_be_moved_only_to_what_is_there(quick: Mind):
    quick.commit(artifact="first", message="m")
    quick.tag_create(name="v1")

    assert quick.refused("tag_create", name="v1", **{"from": 999}).details["suggestions"][0]["target"] == "log"
    error = quick.refused("tag_create", name="v1")
    assert quick.send(error.details["suggestions"][0])["success"]


def test_a_search_says_that_drafts_fit_and_how_to_see_them(mind: Mind):
    mind.think_card(card="A zebra crossing")

    found = mind.mind_search(query="zebra")
    assert found["hits"] == []
    assert found["message"] == "Drafts that fit and are not shown: 1. Send include_drafts=true to see them."
    assert mind.mind_search(query="zebra", include_drafts=True)["count"] == 1
    assert "message" not in mind.mind_search(query="zebra", include_drafts=True)


def test_whoever_is_shown_the_daily_tools_can_finish_a_task():
    shown = set(TABLE.shown_in("mind-daily"))

    assert {"tasks_create", "tasks_focus_set", "think_card", "tasks_close_step", "tasks_complete"} <= shown
