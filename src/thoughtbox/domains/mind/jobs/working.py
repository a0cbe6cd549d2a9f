"""Working on jobs: taken by one runner at a time, reported on, finished."""

from __future__ import annotations

from thoughtbox.domains.mind.envelope import suggest
from thoughtbox.domains.mind.jobs import claims
from thoughtbox.domains.mind.jobs.examples import CLAIM, CREATE, DONE, HELD
from thoughtbox.domains.mind.jobs.job import (
    CLAIM_TTL_MS,
    HEARTBEAT,
    LONGEST_MESSAGE,
    OF_STATES,
    RUNNING,
    is_due,
    ttl_of,
)
from thoughtbox.domains.mind.jobs.lens import (
    known_job,
    prompt_of,
    shown_event,
    shown_job,
)
from thoughtbox.domains.mind.jobs.models import (
    ClaimJob,
    CompleteJob,
    JobClaimed,
    JobReported,
    JobWritten,
    ReportJob,
)
from thoughtbox.domains.mind.jobs.records import write_event
from thoughtbox.domains.mind.jobs.salvage import refs_of
from thoughtbox.domains.mind.refusals import invalid
from thoughtbox.domains.mind.room import IN_FULL, room
from thoughtbox.errors import Conflict, UnknownId
from thoughtbox.ledger.record import Record
from thoughtbox.operations import Example, Tx


@room.operation(
    "tasks_jobs_claim",
    writes=True,
    title="Take a job",
    toolsets=IN_FULL,
    errors=[UnknownId, Conflict],
    example=Example(CLAIM[1], given=[CREATE]),
)
def tasks_jobs_claim(tx: Tx, call: ClaimJob) -> JobClaimed:
    """Take a queued job: it is yours while you report in time, and claim_revision proves it.

    With allow_stale a job may be taken from a runner whose lease has expired.
    """
    tx.hold()
    job, now_ms = known_job(tx, call.job), tx.now_ms
    claims.must_be_free(tx, job, now_ms=now_ms, runner=call.runner_id, allow_stale=call.allow_stale)
    is_taken_over = job.status == RUNNING
    change = {
        "status": RUNNING,
        "revision": job.revision + 1,
        "runner": call.runner_id,
        **_lease(now_ms, ttl_of(call.lease_ttl_ms, CLAIM_TTL_MS)),
    }
    record = write_event(
        tx,
        job.id,
        "reclaimed" if is_taken_over else "claimed",
        f"{call.runner_id} took it over from {job.runner}" if is_taken_over else f"{call.runner_id} works on it",
        change=change,
        meta={"reason": "ttl_expired", "previous_runner": job.runner} if is_taken_over else None,
    )
    held = {"workspace": tx.workspace, "job": job.id, "runner_id": call.runner_id, "claim_revision": job.revision + 1}
    suggest(tx, "tasks_jobs_report", {**held, "message": "Begun."}, "Say how it goes: this keeps the claim, too")
    return JobClaimed(
        job=shown_job(known_job(tx, job.id)),
        claim_revision=job.revision + 1,
        event=shown_event(record),
        prompt=prompt_of(tx, job),
    )


@room.operation(
    "tasks_jobs_report",
    writes=True,
    title="Say how a job goes",
    toolsets=IN_FULL,
    errors=[UnknownId, Conflict],
    example=Example({**HELD, "message": "First run is through.", "percent": 50}, given=[CREATE, CLAIM]),
)
def tasks_jobs_report(tx: Tx, call: ReportJob) -> JobReported:
    """Say how a job of yours goes, and keep it: a report renews the lease.

    kind=heartbeat only renews it: before half of the lease has passed nothing is written, and the lease stands as it
    was. Send one at least twice per lease.
    """
    tx.hold()
    if call.kind in OF_STATES:
        raise invalid(
            f"`{call.kind}` is written when it happens, and is no kind of report",
            recovery="Send progress, or a word of your own.",
            field="kind",
        )
    job, now_ms = known_job(tx, call.job), tx.now_ms
    claims.must_hold(tx, job, call.runner_id, call.claim_revision)
    ttl = ttl_of(call.lease_ttl_ms, job.claim_ttl_ms or CLAIM_TTL_MS)
    says_more = any(part is not None for part in (call.percent, call.refs, call.meta)) or ttl != job.claim_ttl_ms
    if call.kind == HEARTBEAT and not says_more and not is_due(ttl, job.claim_expires_ms or 0, now_ms):
        return JobReported(job=shown_job(job), renewed=False)
    record = write_event(
        tx,
        job.id,
        call.kind,
        call.message,
        change=_lease(now_ms, ttl),
        percent=call.percent,
        refs=call.refs or (),
        meta=call.meta,
    )
    return JobReported(job=shown_job(known_job(tx, job.id)), event=shown_event(record), renewed=True)


@room.operation(
    "tasks_jobs_complete",
    writes=True,
    effect="ends",
    title="Finish a job",
    toolsets=IN_FULL,
    errors=[UnknownId, Conflict],
    example=Example(DONE[1], given=[CREATE, CLAIM]),
)
def tasks_jobs_complete(tx: Tx, call: CompleteJob) -> JobWritten:
    """Finish a job of yours, done or failed. Commands, links and ids in the summary become references."""
    tx.hold()
    job = known_job(tx, call.job)
    claims.must_hold(tx, job, call.runner_id, call.claim_revision)
    record = write_event(
        tx,
        job.id,
        "completed" if call.status == "DONE" else "failed",
        _line(call.summary),
        change={
            "status": call.status,
            "revision": job.revision + 1,
            "summary": call.summary,
            "claimExpiresAtMs": None,
            "claimTtlMs": None,
        },
        refs=refs_of(job.id, call.refs or (), call.summary),
        meta=call.meta,
    )
    return _written(tx, job.id, record)


def _written(tx: Tx, id: str, record: Record) -> JobWritten:
    return JobWritten(job=shown_job(known_job(tx, id)), event=shown_event(record))


def _lease(now_ms: int, ttl_ms: int) -> dict[str, int]:
    return {"claimExpiresAtMs": now_ms + ttl_ms, "claimTtlMs": ttl_ms}


def _line(summary: str) -> str:
    """What a summary begins with, as the message of an event."""
    line = next(line.strip() for line in summary.splitlines() if line.strip())
    return line if len(line) <= LONGEST_MESSAGE else f"{line[: LONGEST_MESSAGE - 1]}…"
