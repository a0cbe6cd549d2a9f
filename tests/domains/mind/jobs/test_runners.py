"""Runners: there for as long as their lease lasts."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.box import WORKSPACE
from tests.support.mind import Mind
from thoughtbox.domains.mind.jobs import lens
from thoughtbox.errors import ThoughtboxError
from thoughtbox.operations.caller import ANONYMOUS


def opened(mind: Mind, id: str) -> dict[str, Any]:
    return mind.box.app.dispatcher.ask(WORKSPACE, ANONYMOUS, lambda tx: lens.runner(tx, id)).result()


def beat(mind: Mind, **more: Any) -> dict[str, Any]:
    return mind.runner_heartbeat(**{"runner_id": "r1", "status": "idle", **more})


def test_a_heartbeat_gives_a_lease(mind: Mind):
    mind.tasks_jobs_create(title="x", prompt="x")
    answer = beat(mind, status="live", active_job_id="JOB-001", meta={"host": "h1"})

    lease = answer["lease"]
    assert lease == {
        "runner_id": "r1",
        "status": "live",
        "active_job_id": "JOB-001",
        "lease_expires_at_ms": lease["lease_expires_at_ms"],
        "created_at_ms": lease["created_at_ms"],
        "updated_at_ms": lease["created_at_ms"],
        "lease_active": True,
        "expires_in_ms": 20_000,
    }
    assert answer["renewed"] is True
    shown = opened(mind, "runner:r1")
    assert list(shown) == ["kind", "id", "summary", "status", "lease", "meta", "truncated"]
    assert (shown["kind"], shown["id"], shown["status"], shown["meta"]) == (
        "runner",
        "runner:r1",
        "live",
        {"host": "h1"},
    )
    assert shown["lease"] == {**lease, "expires_in_ms": shown["lease"]["expires_in_ms"]}


@pytest.mark.parametrize(("asked", "lasts"), [(None, 20_000), (0, 1_000), (300_000, 300_000), (10**9, 300_000)])
def test_a_lease_lasts_for_as_long_as_asked_within_bounds(quick: Mind, asked: int | None, lasts: int):
    assert beat(quick, lease_ttl_ms=asked)["lease"]["expires_in_ms"] == lasts


def test_a_runner_is_offline_when_its_lease_has_expired_and_for_no_other_reason(mind: Mind):
    mind.tasks_jobs_create(title="x", prompt="x")
    mind.tasks_jobs_claim(job="JOB-001", runner_id="r1")
    beat(mind, status="live", active_job_id="JOB-001", lease_ttl_ms=0)
    mind.tasks_jobs_report(job="JOB-001", runner_id="r1", claim_revision=1, message="Still here.")

    shown = opened(mind, "runner:r1")
    assert (shown["status"], shown["lease"]["status"]) == ("offline", "live")
    assert (shown["lease"]["lease_active"], shown["lease"]["expires_in_ms"]) == (False, 0)
    assert "meta" not in shown
    beat(mind)
    assert opened(mind, "runner:r1")["status"] == "idle"


def test_a_heartbeat_with_nothing_new_before_half_of_the_lease_is_not_written(mind: Mind):
    first = beat(mind, meta={"host": "h1"}, lease_ttl_ms=300_000)
    head = mind.head()
    again = beat(mind, lease_ttl_ms=300_000)

    assert again["renewed"] is False
    assert again["lease"] == {**first["lease"], "expires_in_ms": again["lease"]["expires_in_ms"]}
    assert again["lease"]["expires_in_ms"] < 300_000  # what it says is what stands
    assert mind.head() == head
    for changed in ({"status": "live"}, {"meta": {"host": "h2"}}, {"lease_ttl_ms": 200_000}):
        told = {"lease_ttl_ms": 300_000, **changed}
        renewed = beat(mind, **told)
        assert renewed["renewed"] is True
        assert renewed["lease"]["created_at_ms"] == first["lease"]["created_at_ms"]
        beat(mind, lease_ttl_ms=300_000)
    assert opened(mind, "runner:r1")["meta"] == {"host": "h2"}  # kept by those that say nothing of it


def test_whoever_sends_heartbeats_twice_per_lease_is_never_offline(quick: Mind):
    before = quick.head()
    for _ in range(60):
        beat(quick)
        assert opened(quick, "runner:r1")["status"] == "idle"
    assert 6 <= quick.head() - before <= 30  # not each was a record


def test_what_no_heartbeat_can_be_is_refused(quick: Mind):
    for wrong in ({"status": "offline"}, {"runner_id": "x" * 257}, {"runner_id": ""}, {"active_job_id": "J1"}):
        arguments = {"runner_id": "r1", "status": "idle", **wrong}
        assert quick.refused("runner_heartbeat", **arguments).code == "INVALID_INPUT"
    assert quick.refused("runner_heartbeat", runner_id="r", status="live", active_job_id="JOB-001").code == "UNKNOWN_ID"
    assert beat(quick, runner_id="x" * 256)["renewed"] is True


def test_an_unknown_runner_is_refused_with_where_to_look(quick: Mind):
    with pytest.raises(ThoughtboxError) as error:
        opened(quick, "runner:nobody")
    assert error.value.code == "UNKNOWN_ID"
    (suggestion,) = error.value.details["suggestions"]
    assert quick.send(suggestion)["success"]
