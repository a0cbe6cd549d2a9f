"""Runners: who is there to work on jobs."""

from __future__ import annotations

from thoughtbox.domains.mind.jobs.job import LEASE_TTL_MS, Runner, is_due, ttl_of
from thoughtbox.domains.mind.jobs.lens import known_job, shown_lease
from thoughtbox.domains.mind.jobs.models import Heartbeat, RunnerLease
from thoughtbox.domains.mind.jobs.records import write_runner
from thoughtbox.domains.mind.room import IN_FULL, room
from thoughtbox.domains.mind.view.jobs import Jobs
from thoughtbox.errors import UnknownId
from thoughtbox.operations import Example, Tx


@room.operation(
    "runner_heartbeat",
    writes=True,
    effect="overwrites",
    title="Say that a runner is there",
    toolsets=IN_FULL,
    errors=[UnknownId],
    example=Example({"runner_id": "runner-1", "status": "idle"}),
)
def runner_heartbeat(tx: Tx, call: Heartbeat) -> RunnerLease:
    """Say that a runner is there and what it does, for as long as its lease lasts; then it counts as offline.

    Before half of the lease has passed, and with nothing new to say, nothing is written and the lease stands as it was:
    send one at least twice per lease.
    """
    tx.hold()
    if call.active_job_id is not None:
        known_job(tx, call.active_job_id)
    now_ms, before = tx.now_ms, tx.ask(Jobs).runner(call.runner_id)
    ttl = ttl_of(call.lease_ttl_ms, LEASE_TTL_MS)
    meta = call.meta if call.meta is not None else before.meta if before else {}
    said = Runner(call.runner_id, call.status, call.active_job_id, meta, ttl, now_ms + ttl, now_ms, now_ms)
    is_renewed = before is None or said[1:5] != before[1:5] or is_due(ttl, before.expires_ms, now_ms)
    if is_renewed:
        write_runner(tx, said)
    lease = tx.ask(Jobs).runner(call.runner_id)
    assert lease is not None
    return RunnerLease(lease=shown_lease(lease, now_ms), renewed=is_renewed)
