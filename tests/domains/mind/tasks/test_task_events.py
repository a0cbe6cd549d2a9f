"""Every mutation of a plan or task is one event: fed, traced, and projected into the graph."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest

from tests.support.box import WORKSPACE
from tests.support.mind import Mind, edges, node, nodes
from tests.support.tasks import OTHER, STEP, begun, events, first_open, revision, types
from thoughtbox.app import all_views
from thoughtbox.domains.mind import records
from thoughtbox.domains.mind.view.tasks import Tasks
from thoughtbox.errors import InvalidRecord
from thoughtbox.ledger.record import Record
from thoughtbox.ledger.replay import rebuild
from thoughtbox.ledger.view import fingerprint
from thoughtbox.operations import TABLE
from thoughtbox.operations.caller import ANONYMOUS

MUTATIONS: list[tuple[str, dict[str, Any]]] = [
    ("tasks_decompose", {"task": "TASK-001", "steps": [{"title": "One more"}]}),
    ("tasks_define", {"task": "TASK-001", "path": "s:0", "next_action": "Turn counting on"}),
    ("tasks_edit", {"task": "TASK-001", "priority": "HIGH"}),
    ("tasks_edit", {"plan": "PLAN-001", "description": "Off the old machine"}),
    ("tasks_patch", {"task": "TASK-001", "ops": [{"op": "append", "field": "tags", "value": "a:cache"}]}),
    ("tasks_note", {"task": "TASK-001", "path": "s:0", "note": "Reads peak at nine."}),
    ("tasks_evidence_capture", {"task": "TASK-001", "checkpoint": "tests", "checks": ["CMD: make bench"]}),
    ("tasks_step_lease_claim", {"task": "TASK-001", "path": "s:0", "agent_id": "ada"}),
    ("tasks_step_lease_renew", {"task": "TASK-001", "path": "s:0", "agent_id": "ada"}),
    ("tasks_step_lease_release", {"task": "TASK-001", "path": "s:0", "agent_id": "ada"}),
    ("tasks_verify", {"task": "TASK-001", "path": "s:0", "checkpoints": "gate"}),
    ("tasks_done", {"task": "TASK-001", "path": "s:0"}),
    ("tasks_close_step", {"task": "TASK-001", "path": "s:1", "checkpoints": "gate"}),
    ("tasks_close_step", {"task": "TASK-001", "path": "s:2", "checkpoints": "all"}),
    ("tasks_complete", {"task": "TASK-001"}),
    ("tasks_complete", {"plan": "PLAN-001", "status": "ACTIVE"}),
]


def test_every_mutation_is_fed_and_traced_once_under_one_event_id(mind: Mind):
    begun(mind)
    for tool, arguments in MUTATIONS:
        mind.whole(tool, **arguments)

    for target in ("PLAN-001", "TASK-001"):
        fed = events(mind, target)
        traced = mind.show(target=target, doc_kind="trace", limit=200)["entries"]
        assert [entry["event_id"] for entry in traced] == [event["event_id"] for event in fed]
        assert [(entry["event_type"], entry["payload"]) for entry in traced] == [
            (event["type"], event["payload"]) for event in fed
        ]
        assert len({event["event_id"] for event in fed}) == len(fed)
        assert revision(mind, target) == len(fed) - 1
    assert types(mind, "TASK-001") == [
        *("task_created", "steps_added", "steps_added", "step_defined", "task_edited", "task_edited", "note_added"),
        *("evidence_captured", "step_lease_claimed", "step_lease_renewed", "step_lease_released"),
        *("step_verified", "step_done", "step_verified", "step_done", "step_verified", "step_done", "task_completed"),
    ]
    assert types(mind, "PLAN-001") == ["plan_created", "plan_edited", "plan_activated"]


def test_an_event_has_the_number_of_its_record_and_stands_there_as_a_sentence(quick: Mind):
    begun(quick)
    event = quick.tasks_note(task="TASK-001", path="s:1", note="Reads peak at nine.")["event"]

    assert event["event_id"].startswith("evt_")
    assert len(event["event_id"]) == 20
    seq = int(event["event_id"].removeprefix("evt_"))
    assert quick.show(target="TASK-001")["entries"][-1] == {
        "seq": seq,
        "ts": event["ts"],
        "ts_ms": event["ts_ms"],
        "branch": "task/TASK-001",
        "doc": "TASK-001-trace",
        "kind": "event",
        "event_id": event["event_id"],
        "event_type": "note_added",
        "task_id": "TASK-001",
        "path": "s:1",
        "payload": event["payload"],
        "content": "Note on STEP-00000002 of TASK-001: Reads peak at nine.",
    }


def test_tasks_and_steps_are_nodes_of_the_graph_and_their_statuses_follow(mind: Mind):
    begun(mind)
    mind.tasks_decompose(task="TASK-001", parent="s:0", steps=[{"title": "Turn counting on"}])
    scope = {"branch": "task/TASK-001", "doc": "TASK-001-graph"}

    task = node(mind, "task:TASK-001", **scope)
    assert (task.type, task.title, task.status) == ("task", "Measure reads", "TODO")
    step = node(mind, "step:STEP-00000001", **scope)
    assert (step.type, step.title, step.status) == ("step", "Count reads", "open")
    assert edges(mind, "task:TASK-001", "step:STEP-00000001", **scope) == [
        ("step:STEP-00000001", "contains", "step:STEP-00000003"),
        ("task:TASK-001", "contains", "step:STEP-00000001"),
        ("task:TASK-001", "contains", "step:STEP-00000002"),
    ]
    for path in ("s:0", "s:0.s:0", "s:1"):
        mind.tasks_close_step(task="TASK-001", path=path, checkpoints="gate")
    mind.tasks_complete(task="TASK-001")
    found = nodes(mind, "task:TASK-001", "step:STEP-00000001", "step:STEP-00000003", **scope)
    assert {id: one.status for id, one in found.items()} == {
        "task:TASK-001": "DONE",
        "step:STEP-00000001": "done",
        "step:STEP-00000003": "done",
    }
    assert node(mind, "task:PLAN-001", branch="plan/PLAN-001", doc="PLAN-001-graph").type == "plan"
    assert mind.graph_validate(target="TASK-001")["ok"]


def test_what_does_not_change_the_graph_writes_no_version_of_it(quick: Mind):
    begun(quick)
    before = quick.head()
    quick.tasks_verify(task="TASK-001", path="s:0", checkpoints={"criteria": True})
    assert quick.head() == before + 1


def test_mutations_go_to_the_canonical_branch_whatever_is_checked_out_or_renamed(quick: Mind):
    begun(quick)
    quick.branch_create(name="what-if", **{"from": "task/TASK-001"})
    quick.checkout(ref="what-if")
    quick.tasks_note(task="TASK-001", note="one")
    assert quick.show(branch="what-if", doc="TASK-001-trace")["entries"][-1]["event_type"] == "steps_added"
    quick.branch_rename(old="task/TASK-001", new="measuring")

    quick.tasks_note(task="TASK-001", note="two")

    assert quick.tasks_radar(task="TASK-001")["reasoning_ref"]["branch"] == "measuring"
    assert [entry["content"] for entry in quick.show(branch="measuring", doc="notes")["entries"]] == ["one", "two"]


def test_branches_of_reasoning_leave_tasks_as_they_are(quick: Mind):
    begun(quick)
    before = quick.tasks_radar(task="TASK-001")
    quick.branch_create(name="what-if", **{"from": "task/TASK-001"})
    quick.checkout(ref="what-if")
    assert quick.tasks_radar(task="TASK-001") == before


def test_a_mutation_that_fails_leaves_neither_event_nor_node(quick: Mind):
    begun(quick)
    assert quick.refused("tasks_decompose", task="TASK-001", parent="s:9", steps=[STEP]).code == "UNKNOWN_ID"
    assert quick.refused("tasks_done", task="TASK-001", path="s:0").code == "CHECKPOINTS_NOT_CONFIRMED"


def test_the_feed_goes_on_after_an_event_in_order_of_writing(mind: Mind):
    begun(mind)
    for number in range(5):
        mind.tasks_note(plan="PLAN-001", note=f"Note {number}")

    seen, since = [], None
    while True:
        page = mind.tasks_delta(limit=3, **({"since": since} if since else {}))
        seen += page["events"]
        if not page["has_more"]:
            break
        since = page["events"][-1]["event_id"]

    assert [event["event_id"] for event in seen] == sorted(event["event_id"] for event in seen)
    assert [event["payload"].get("note") for event in seen][-5:] == [f"Note {number}" for number in range(5)]
    assert list(seen[0]) == ["event_id", "ts", "ts_ms", "task", "path", "type", "payload"]
    assert mind.tasks_delta(since="evt_0000000000000000")["events"] == seen
    assert mind.tasks_delta(since=seen[-1]["event_id"])["events"] == []


def test_the_feed_refuses_what_is_no_event(quick: Mind):
    begun(quick)
    assert quick.refused("tasks_delta", since="yesterday").code == "INVALID_INPUT"
    unknown = quick.refused("tasks_delta", since="evt_0000000000000001")
    assert unknown.code == "UNKNOWN_ID"
    assert quick.send(unknown.details["suggestions"][0])["result"]["events"]


def test_plans_and_tasks_are_read_as_they_stood(mind: Mind):
    begun(mind)
    before = mind.head()
    radar = mind.tasks_radar(task="TASK-001")
    lint = mind.tasks_lint(task="TASK-001")
    mind.tasks_close_step(task="TASK-001", checkpoints="gate")
    mind.tasks_edit(task="TASK-001", title="Measure more")

    then = {"as_of": before}
    assert mind.box.call("tasks_radar", {"task": "TASK-001"}, **then)["result"] == radar
    assert mind.box.call("tasks_lint", {"task": "TASK-001"}, **then)["result"] == lint
    assert mind.box.call("tasks_context", {}, **then)["result"]["targets"][1]["steps"] == {"total": 2, "open": 2}
    assert first_open(mind, "TASK-001")["path"] == "s:1"


def test_the_view_is_what_a_replay_makes_of_it(mind: Mind):
    begun(mind)
    for tool, arguments in MUTATIONS:
        mind.whole(tool, **arguments)
    engine = mind.box.app.engine
    before = engine.read(lambda sql: fingerprint(sql, Tasks)).result()
    rebuild(engine, Tasks)
    assert engine.read(lambda sql: fingerprint(sql, Tasks)).result() == before
    assert Tasks in all_views().kinds


def _changed(record: Record, change: Callable[[dict[str, Any]], None]) -> Record:
    envelope = deepcopy(dict(record.envelope))
    change(envelope["data"])
    return record._replace(envelope=envelope)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda data: data.update(task="JOB-001"), "no plan and no task"),
        (lambda data: data.update(task="PLAN-001"), "trace of PLAN-001"),
        (lambda data: data.update(eventId="evt_0000000000000001"), "the number of its record"),
        (lambda data: data["state"].update(revision=9), "not the next one"),
        (lambda data: data["state"].update(status="GONE"), "is one of TODO"),
        (lambda data: data["state"].update(details={"tags": "a:cache"}), "`tags`"),
        (lambda data: data.update(path="0"), "s:0.s:1"),
        (lambda data: data["steps"][0].update(id="S1"), "STEP-00000001"),
        (lambda data: data["steps"].append(data["steps"][0]), "twice"),
        (lambda data: data["steps"][0].update(path="s:7"), "no room"),
        (lambda data: data["steps"][0].update(confirmed={"luck": True}), "checkpoints are"),
        (lambda data: data["steps"][0].update(details={"lease": "ada"}), "details.lease"),
        (lambda data: data["steps"][0].update(details={"evidence": {"tests": 1}}), "details.evidence"),
        (lambda data: data["steps"][0].pop("title"), "its title"),
    ],
)
def test_an_event_from_elsewhere_is_taken_only_if_it_can_be_read(quick: Mind, change: Any, why: str):
    begun(quick)
    event = events(quick, "TASK-001")[1]
    seq = int(event["event_id"].removeprefix("evt_"))

    def check(tx: Any) -> None:
        record = tx.ledger.record(seq)
        before = tx.at(seq - 1).ledger
        TABLE.topics[records.EVENT].opened(record, before)
        with pytest.raises(InvalidRecord, match=why):
            TABLE.topics[records.EVENT].opened(_changed(record, change), before)

    quick.box.app.dispatcher.ask(WORKSPACE, ANONYMOUS, check).result()


def test_plans_tasks_and_steps_are_numbered_each_by_themselves(mind: Mind):
    first = mind.tasks_create(title="A")
    second = mind.tasks_create(title="B")
    task = mind.tasks_create(parent=second["id"], title="C", steps=[STEP, OTHER])
    other = mind.tasks_create(kind="task", parent={"id": "PLAN-001", "kind": "plan"}, title="D", steps=[STEP])

    assert (first["id"], second["id"], task["id"], other["id"]) == ("PLAN-001", "PLAN-002", "TASK-001", "TASK-002")
    assert task["qualified_id"] == f"{WORKSPACE}:TASK-001"
    assert task["steps"] == [
        {"step_id": "STEP-00000001", "path": "s:0"},
        {"step_id": "STEP-00000002", "path": "s:1"},
    ]
    assert other["steps"] == [{"step_id": "STEP-00000003", "path": "s:0"}]
    assert first["revision"] == 0
    assert [event["type"] for event in task["events"]] == ["task_created", "steps_added"]
    elsewhere = Mind(mind.box, "another")
    assert elsewhere.tasks_create(title="A")["id"] == "PLAN-001"
