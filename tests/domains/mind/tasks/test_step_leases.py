"""Leases: who works on a step, until so many more records are written."""

from __future__ import annotations

import pytest

from tests.support.mind import Mind
from tests.support.tasks import begun, first_open

STEP_0 = {"task": "TASK-001", "path": "s:0"}


def test_a_lease_lasts_until_so_many_more_records_are_written(mind: Mind):
    begun(mind)
    lease = mind.tasks_step_lease_claim(**STEP_0, agent_id="ada", ttl_seq=3)["lease"]
    assert lease == {
        "agent_id": "ada",
        "claimed_seq": mind.head(),
        "expires_seq": mind.head() + 3,
        "remaining_seq": 3,
    }
    assert first_open(mind, "TASK-001")["lease"] == lease
    for _ in range(2):
        mind.notes_commit(content="x")
        assert mind.refused("tasks_step_lease_claim", **STEP_0, agent_id="bob").code == "STEP_LEASE_HELD"
    mind.notes_commit(content="x")
    assert mind.tasks_step_lease_get(**STEP_0)["lease"] is None
    assert mind.tasks_step_lease_claim(**STEP_0, agent_id="bob")["lease"]["remaining_seq"] == 200


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("tasks_define", {"title": "x"}),
        ("tasks_patch", {"ops": [{"op": "set", "field": "title", "value": "x"}]}),
        ("tasks_verify", {"checkpoints": "all"}),
        ("tasks_close_step", {"checkpoints": "gate"}),
        ("tasks_done", {}),
    ],
)
def test_a_step_that_somebody_holds_is_changed_by_nobody_else(quick: Mind, tool: str, arguments: dict[str, object]):
    begun(quick)
    quick.tasks_verify(**STEP_0, checkpoints={"criteria": True, "tests": True})
    quick.tasks_step_lease_claim(**STEP_0, agent_id="ada")
    for other in ({}, {"agent_id": "bob"}):
        error = quick.refused(tool, **STEP_0, **arguments, **other)
        assert error.code == "STEP_LEASE_HELD"
        assert quick.send(error.details["suggestions"][0])["result"]["lease"]["agent_id"] == "ada"
    assert quick.whole(tool, **STEP_0, **arguments, agent_id="ada")["success"]


def test_notes_and_evidence_are_welcome_on_a_step_that_somebody_holds(quick: Mind):
    begun(quick)
    quick.tasks_step_lease_claim(**STEP_0, agent_id="ada")
    assert quick.tasks_note(**STEP_0, note="x", agent_id="bob")["step"]["path"] == "s:0"
    assert quick.tasks_evidence_capture(**STEP_0, checks=["CMD: x"])["step"]["path"] == "s:0"


def test_only_its_holder_renews_and_releases_a_lease(quick: Mind):
    begun(quick)
    for tool in ("tasks_step_lease_renew", "tasks_step_lease_release"):
        assert quick.refused(tool, **STEP_0, agent_id="ada").code == "STEP_LEASE_NOT_HELD"
    claimed = quick.tasks_step_lease_claim(**STEP_0, agent_id="ada", ttl_seq=10)["lease"]
    for tool in ("tasks_step_lease_renew", "tasks_step_lease_release"):
        error = quick.refused(tool, **STEP_0, agent_id="bob")
        assert error.code == "STEP_LEASE_NOT_HELD"
        assert quick.send(error.details["suggestions"][0])["result"]["lease"]["agent_id"] == "ada"
    renewed = quick.tasks_step_lease_renew(**STEP_0, agent_id="ada", ttl_seq=10_000)["lease"]
    assert (renewed["claimed_seq"], renewed["remaining_seq"]) == (claimed["claimed_seq"], 10_000)
    assert quick.tasks_step_lease_release(**STEP_0, agent_id="ada")["lease"] is None
    assert quick.tasks_step_lease_claim(**STEP_0, agent_id="bob")["lease"]["agent_id"] == "bob"


def test_a_lease_lasts_ten_thousand_records_at_most(quick: Mind):
    begun(quick)
    for ttl in (0, 10_001):
        assert quick.refused("tasks_step_lease_claim", **STEP_0, agent_id="ada", ttl_seq=ttl).code == "INVALID_INPUT"
    assert quick.refused("tasks_step_lease_claim", **STEP_0, agent_id="a b").code == "INVALID_INPUT"


def test_closing_a_step_ends_its_lease(quick: Mind):
    begun(quick)
    quick.tasks_step_lease_claim(**STEP_0, agent_id="ada")
    quick.tasks_close_step(**STEP_0, checkpoints="gate", agent_id="ada")
    assert quick.tasks_step_lease_get(**STEP_0)["lease"] is None
