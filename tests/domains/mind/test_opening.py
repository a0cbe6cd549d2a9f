"""Every form of id is opened, by the id that another answer named."""

from __future__ import annotations

import pytest

from tests.support.mind import Mind


def test_a_card_of_any_id_is_opened_with_what_it_is_linked_to(mind: Mind):
    mind.think_card(card={"id": "H1", "type": "hypothesis", "title": "The cache is cold", "tags": ["db"]})
    mind.think_card(card={"type": "test", "title": "Measure"}, supports=["H1"])
    card = mind.think_card(card={"type": "decision", "text": "Warm it\nsoon"}, supports=["H1"], blocks=["H9"])

    opened = mind.open(id=card["card_id"])
    assert (opened["kind"], opened["id"], opened["summary"]) == ("card", card["card_id"], "Warm it")
    assert opened["head"]["branch"] == "main"
    assert opened["head"]["seq"] == card["last_seq"]
    assert opened["card"]["type"] == "decision"
    assert (opened["edges"]["supports"], opened["edges"]["blocks"]) == (["H1"], ["H9"])
    about = mind.open(id="H1")
    assert len(about["edges"]["supported_by"]) == 2
    assert about["card"]["tags"] == ["db", "lane:shared", "v:canon"]


def test_an_answers_refs_open_the_card_in_both_its_documents(quick: Mind):
    card = quick.think_card(card="A thought worth keeping")

    for ref in (card["trace_ref"], card["graph_ref"]):
        assert quick.open(id=ref)["entry"]["seq"] == card["trace_seq"]


def test_a_deleted_card_and_one_on_a_deleted_branch_are_not_opened(quick: Mind):
    quick.think_card(card={"id": "H1", "type": "hypothesis", "title": "t"})
    quick.graph_apply(ops=[{"op": "node_delete", "id": "H1"}])
    quick.branch_create(name="what-if")
    there = quick.think_card(branch="what-if", card={"id": "H2", "type": "hypothesis", "title": "t"})
    quick.branch_delete(name="what-if")

    for id in ("H1", "H2", there["trace_ref"]):
        assert quick.refused("open", id=id).code == "UNKNOWN_ID"


def test_a_card_is_opened_where_it_was_changed_last(quick: Mind):
    quick.think_card(card={"id": "H1", "type": "hypothesis", "title": "t"})
    quick.branch_create(name="what-if")
    quick.think_set_status(ref="what-if", targets=["H1"], status="rejected")

    opened = quick.open(id="H1")
    assert (opened["head"]["branch"], opened["card"]["status"]) == ("what-if", "rejected")


def test_a_plan_or_task_is_opened_as_a_lens_and_the_focus_stays(quick: Mind):
    plan = quick.tasks_create(kind="plan", title="Warm the cache")["id"]
    task = quick.tasks_create(kind="task", parent=plan, title="t", steps=[{"title": "s", "success_criteria": ["c"]}])
    quick.tasks_focus_set(target=plan)

    opened = quick.open(id=task["id"])

    assert (opened["kind"], opened["id"], opened["target"]["id"]) == ("task", task["id"], task["id"])
    assert opened["reasoning_ref"]["graph_doc"] == f"{task['id']}-graph"
    assert opened["capsule"]["type"] == "handoff_capsule"
    assert opened["step_focus"]["path"] == "s:0"
    assert quick.open(id=plan, include_drafts=True)["kind"] == "plan"
    assert quick.tasks_focus_get()["focus"] == plan
    assert quick.refused("open", id="TASK-404").code == "UNKNOWN_ID"


def test_an_anchor_is_opened_whether_it_is_registered_or_not(quick: Mind):
    quick.think_card(card={"type": "decision", "title": "Warm it", "tags": ["a:storage"]})

    opened = quick.open(id="a:storage")
    assert (opened["kind"], opened["anchor"]["registered"], opened["count"]) == ("anchor", True, 1)
    unknown = quick.whole("open", id="a:nowhere")
    assert unknown["result"]["anchor"]["registered"] is False
    assert [warning["code"] for warning in unknown["warnings"]] == ["ANCHOR_UNREGISTERED"]


def test_jobs_their_events_and_runners_are_opened(quick: Mind):
    job = quick.tasks_jobs_create(title="Warm it", prompt="Do it")["job"]["id"]
    quick.runner_heartbeat(runner_id="r1", status="idle")

    opened = quick.open(id=job)
    assert (opened["kind"], opened["job"]["status"], "prompt" in opened) == ("job", "QUEUED", False)
    assert quick.open(id=job, include_drafts=True)["prompt"] == "Do it"
    event = quick.open(id=opened["events"][0]["ref"])
    assert (event["kind"], event["event"]["kind"]) == ("job_event", "created")
    assert quick.open(id="runner:r1")["status"] == "idle"


@pytest.mark.parametrize("id", ["JOB-404", "JOB-404@7", "runner:nobody", "PLAN-404"])
def test_what_nobody_has_is_refused_with_a_way_out(quick: Mind, id: str):
    error = quick.refused("open", id=id)
    assert error.code == "UNKNOWN_ID"
    for suggestion in error.details.get("suggestions", []):
        assert quick.send(suggestion)["success"]


def test_what_is_opened_keeps_to_its_budget(quick: Mind):
    quick.think_card(card={"id": "long", "type": "note", "text": "x" * 5_000})

    opened = quick.open(id="long", max_chars=600)
    assert opened["truncated"] is True
    assert opened["id"] == "long"
    assert opened["budget"]["used_chars"] <= 600
    assert len(quick.open(id="long")["card"]["text"]) == 5_000
