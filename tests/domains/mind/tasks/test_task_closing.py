"""Steps close once their checkpoints are confirmed, proved where it is asked for, and argued in strict tasks."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.mind import Mind
from tests.support.tasks import OTHER, STEP, begun, first_open, revision, types


def test_a_step_closes_only_with_its_criteria_and_tests_confirmed(quick: Mind):
    begun(quick)
    error = quick.refused("tasks_done", task="TASK-001", path="s:0")
    assert error.code == "CHECKPOINTS_NOT_CONFIRMED"
    assert error.details["missing"] == ["criteria", "tests"]
    quick.tasks_verify(task="TASK-001", path="s:0", checkpoints={"criteria": {"confirmed": True, "note": "Seen"}})
    assert quick.refused("tasks_done", task="TASK-001", path="s:0").details["missing"] == ["tests"]
    quick.tasks_verify(task="TASK-001", path="s:0", checkpoints={"tests": True})

    answer = quick.tasks_done(task="TASK-001", path="s:0")

    assert answer["step"]["completed"]
    assert answer["next_step"]["path"] == "s:1"


def test_confirming_and_closing_in_one_go_are_two_events(quick: Mind):
    begun(quick)
    answer = quick.tasks_close_step(task="TASK-001", step_id="STEP-00000001", checkpoints="gate")
    assert [event["type"] for event in answer["events"]] == ["step_verified", "step_done"]
    confirmed = [name for name, state in answer["step"]["checkpoints"].items() if state["confirmed"]]
    assert confirmed == ["criteria", "tests"]
    everything = quick.tasks_close_step(task="TASK-001", path="s:1", checkpoints="all")
    assert all(state["confirmed"] for state in everything["step"]["checkpoints"].values())


def test_the_suggested_call_confirms_and_closes(quick: Mind):
    begun(quick)
    error = quick.refused("tasks_close_step", task="TASK-001", checkpoints={"criteria": True})
    assert quick.send(error.details["suggestions"][0])["result"]["step"]["completed"]


def test_security_perf_and_docs_are_needed_once_shown_or_asked_for(quick: Mind):
    begun(quick, {**STEP, "proof_security_mode": "require"}, OTHER)
    quick.tasks_evidence_capture(
        task="TASK-001", path="s:0", checkpoint=["perf", "security"], checks=["CMD: make bench"]
    )
    given: dict[str, Any] = {"criteria": True, "tests": True}
    assert quick.refused("tasks_close_step", task="TASK-001", checkpoints=given).details["missing"] == [
        "security",
        "perf",
    ]
    assert quick.tasks_radar(task="TASK-001")["steps"].items() >= {"missing_security": 1, "missing_docs": 0}.items()
    assert quick.tasks_close_step(task="TASK-001", checkpoints=given | {"security": True, "perf": True})["step"]
    assert quick.tasks_close_step(task="TASK-001", checkpoints=given)["step"]["completed"]


def test_a_step_that_is_closed_is_not_closed_again(quick: Mind):
    begun(quick)
    call = {"task": "TASK-001", "path": "s:0", "checkpoints": "gate", "expected_revision": 1}
    first = quick.tasks_close_step(**call)
    before = quick.head()
    again = quick.whole("tasks_close_step", **call)
    assert [warning["code"] for warning in again["warnings"]] == ["ALREADY_DONE"]
    assert {**first, "events": []} == again["result"]
    assert quick.warnings("tasks_done", task="TASK-001", path="s:0") == ["ALREADY_DONE"]
    assert quick.head() == before


def test_a_parent_may_close_while_its_children_are_open(quick: Mind):
    begun(quick)
    quick.tasks_decompose(task="TASK-001", parent="s:0", steps=[STEP])
    assert quick.tasks_close_step(task="TASK-001", path="s:0", checkpoints="gate")["next_step"]["path"] == "s:0.s:0"


def test_proof_that_is_required_is_evidence_with_a_receipt(quick: Mind):
    begun(quick, {**STEP, "proof_tests_mode": "require"})
    error = quick.refused("tasks_close_step", task="TASK-001", checkpoints="gate")
    assert (error.code, error.details["missing"]) == ("PROOF_REQUIRED", ["tests"])
    call = {"task": "TASK-001", "checkpoint": "tests"}
    assert quick.warnings("tasks_evidence_capture", checks=["It went well"], **call) == ["PROOF_WEAK"]
    assert quick.refused("tasks_close_step", task="TASK-001", checkpoints="gate").code == "PROOF_REQUIRED"
    assert quick.warnings("tasks_evidence_capture", attachments=["LINK: https://ci.example/7"], **call) == []
    assert quick.tasks_close_step(task="TASK-001", checkpoints="gate")["step"]["completed"]


def test_proof_that_is_wished_for_is_only_warned_of(quick: Mind):
    begun(quick, {**STEP, "proof_docs_mode": "warn"}, {**STEP, "proof_docs_mode": "warn"})
    assert quick.warnings("tasks_close_step", task="TASK-001", checkpoints="gate") == ["PROOF_WEAK"]
    quick.tasks_evidence_capture(task="TASK-001", checkpoint="docs", items=[{"url": "https://docs.example/cache"}])
    assert quick.warnings("tasks_close_step", task="TASK-001", checkpoints="all") == []


def test_evidence_is_an_event_of_its_step_or_without_one_of_its_task(quick: Mind):
    begun(quick, STEP)
    answer = quick.tasks_evidence_capture(
        task="TASK-001", checks=["CMD: make bench"], attachments=["LINK: https://x.example"]
    )
    assert (answer["event"]["type"], answer["event"]["path"]) == ("evidence_captured", "s:0")
    assert answer["evidence"] == {
        "checkpoints": [],
        "checks": ["CMD: make bench"],
        "attachments": ["LINK: https://x.example"],
        "items": [],
        "receipts": 2,
    }
    quick.tasks_close_step(task="TASK-001", checkpoints="gate")
    assert quick.tasks_evidence_capture(task="TASK-001", checks=["CMD: make"])["event"]["path"] is None
    assert quick.tasks_evidence_capture(plan="PLAN-001", checks=["CMD: make"])["id"] == "PLAN-001"
    assert quick.refused("tasks_evidence_capture", task="TASK-001").code == "INVALID_INPUT"
    call = {"task": "TASK-001", "checks": ["CMD: make"], "checkpoint": "tests"}
    assert quick.refused("tasks_evidence_capture", **call).code == "INVALID_INPUT"


def test_a_task_is_done_only_when_all_of_its_steps_are(mind: Mind):
    begun(mind, STEP)
    error = mind.refused("tasks_complete", task="TASK-001")
    assert error.code == "INVALID_INPUT"
    assert "steps not completed" in error.message
    assert mind.send(error.details["suggestions"][0])["result"]["steps"]["open"] == 1
    closed = mind.whole("tasks_close_step", task="TASK-001", checkpoints="gate")
    (suggestion,) = closed["suggestions"]
    assert mind.send(suggestion)["result"]["target"]["status"] == "DONE"
    assert mind.warnings("tasks_complete", task="TASK-001") == ["ALREADY_DONE"]


def test_plans_and_tasks_are_parked_taken_up_and_canceled(quick: Mind):
    begun(quick)
    parked = quick.tasks_complete(task="TASK-001", status="PARKED", parked_until_ts_ms=1_760_000_000_000)
    assert parked["target"]["parked_until_ts_ms"] == 1_760_000_000_000
    again = quick.tasks_complete(task="TASK-001", status="PARKED", parked_for_s=60)["target"]
    assert again["parked_until_ts_ms"] - again["updated_at_ms"] in range(55_000, 65_000)
    assert "parked_until_ts_ms" not in quick.tasks_complete(task="TASK-001", status="ACTIVE")["target"]
    assert quick.tasks_complete(plan="PLAN-001", status="CANCELED")["target"]["status"] == "CANCELED"
    assert types(quick, "TASK-001")[2:] == ["task_parked", "task_parked", "task_activated"]
    both = {"status": "PARKED", "parked_for_s": 1, "parked_until_ts_ms": 1}
    assert quick.refused("tasks_complete", task="TASK-001", **both).code == "INVALID_INPUT"
    assert quick.refused("tasks_complete", task="TASK-001", status="TODO", parked_for_s=1).code == "INVALID_INPUT"


def _strict(mind: Mind) -> None:
    begun(mind, STEP, reasoning_mode="strict")


def test_a_strict_step_without_cards_stays_open(quick: Mind):
    _strict(quick)
    error = quick.refused("tasks_close_step", task="TASK-001", checkpoints="gate")
    assert (error.code, error.details["signals"]) == ("REASONING_REQUIRED", [])
    assert quick.send(error.details["suggestions"][0])["result"]["template"]["steps"]


def test_a_strict_step_closes_once_its_hypotheses_are_tested_and_argued_against(mind: Mind):
    _strict(mind)
    close = {"task": "TASK-001", "checkpoints": "gate"}
    _argue(mind, {"id": "H1", "type": "hypothesis", "title": "x"})
    untested = mind.refused("tasks_close_step", **close)
    assert (untested.code, untested.details["signals"]) == ("REASONING_REQUIRED", ["BM4_HYPOTHESIS_NO_TEST"])

    _argue(mind, {"id": "T1", "type": "test", "title": "Read it twice"}, supports=["H1"])
    one_sided = mind.refused("tasks_close_step", **close)
    assert (one_sided.code, one_sided.details["signals"]) == ("REASONING_REQUIRED", ["BM10_NO_COUNTER_EDGES"])

    # The counter is a hypothesis of its own, and wants a test as well.
    _argue(mind, {"id": "H2", "type": "hypothesis", "title": "not x", "tags": ["counter"]}, blocks=["H1"])
    assert mind.refused("tasks_close_step", **close).details["signals"] == ["BM4_HYPOTHESIS_NO_TEST"]

    _argue(mind, {"id": "T2", "type": "test", "title": "Read it again"}, supports=["H2"])
    assert mind.tasks_close_step(**close)["step"]["completed"]


def _argue(mind: Mind, card: dict[str, Any], **links: list[str]) -> None:
    mind.think_card(card=card, target="TASK-001", step="focus", **links)


def test_a_stub_that_still_says_what_to_fill_in_does_not_open_the_strict_gate(mind: Mind):
    _strict(mind)
    close = {"task": "TASK-001", "checkpoints": "gate"}
    _argue(mind, {"id": "H1", "type": "hypothesis", "title": "x"})
    untested = mind.refused("tasks_close_step", **close)
    (stub,) = untested.details["suggestions"]
    id = mind.send(stub)["result"]["card_id"]

    again = mind.refused("tasks_close_step", **close)
    assert again.details["signals"] == untested.details["signals"]
    assert f"what is not filled in does not count: {id}" in again.message
    (opening,) = again.details["suggestions"]
    assert (opening["target"], mind.send(opening)["result"]["id"]) == ("open", id)

    _argue(mind, {"id": "T1", "type": "test", "title": "Read it twice"}, supports=["H1"])
    assert mind.refused("tasks_close_step", **close).details["signals"] == ["BM10_NO_COUNTER_EDGES"]


def test_a_strict_step_that_has_stubs_only_is_not_argued(quick: Mind):
    _strict(quick)
    _argue(quick, {"id": "H1", "type": "hypothesis", "title": "<fill in: what it could be>"})

    error = quick.refused("tasks_close_step", task="TASK-001", checkpoints="gate")

    assert (error.code, error.details["signals"]) == ("REASONING_REQUIRED", [])
    assert "what is not filled in does not count: H1" in error.message
    assert quick.send(error.details["suggestions"][0])["result"]["template"]["steps"]


@pytest.mark.parametrize("tool", ["tasks_close_step", "tasks_done"])
def test_no_other_verb_leads_around_the_strict_gate(quick: Mind, tool: str):
    _strict(quick)
    quick.tasks_verify(task="TASK-001", checkpoints="all")
    assert quick.refused(tool, task="TASK-001").code == "REASONING_REQUIRED"


def test_an_override_is_noted_with_its_reason_and_its_risk(quick: Mind):
    _strict(quick)
    override = {"reason": "The machine burns", "risk": "We may be wrong"}
    answer = quick.whole("tasks_close_step", task="TASK-001", checkpoints="gate", override=override)
    assert [warning["code"] for warning in answer["warnings"]] == ["STRICT_OVERRIDE_APPLIED"]
    assert [event["type"] for event in answer["result"]["events"]] == ["step_verified", "note_added", "step_done"]
    (note,) = quick.show(target="TASK-001", doc_kind="notes")["entries"]
    assert "The machine burns" in note["content"]
    assert "We may be wrong" in note["content"]
    assert first_open(quick, "TASK-001") is None


def test_an_override_goes_around_the_gate_only_and_is_not_noted_where_there_is_none(quick: Mind):
    begun(quick, {**STEP, "proof_tests_mode": "require"}, STEP)
    override = {"reason": "r", "risk": "k"}
    call = {"task": "TASK-001", "override": override}
    assert quick.refused("tasks_close_step", **call).code == "CHECKPOINTS_NOT_CONFIRMED"
    assert quick.refused("tasks_close_step", checkpoints="gate", **call).code == "PROOF_REQUIRED"
    assert quick.warnings("tasks_close_step", path="s:1", checkpoints="gate", **call) == ["NOTE_IGNORED"]
    assert quick.show(target="TASK-001", doc_kind="notes")["entries"] == []
    assert revision(quick, "TASK-001") == 3
