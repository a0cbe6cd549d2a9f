"""Handing out jobs, and what their owner says to them."""

from __future__ import annotations

from thoughtbox.domains.mind.jobs import claims
from thoughtbox.domains.mind.jobs.examples import CLAIM, CREATE, DONE
from thoughtbox.domains.mind.jobs.filters import anchor_named, task_named
from thoughtbox.domains.mind.jobs.job import (
    QUEUED,
    TERMINAL,
)
from thoughtbox.domains.mind.jobs.lens import (
    known_job,
    shown_event,
    shown_job,
)
from thoughtbox.domains.mind.jobs.models import (
    CancelJob,
    CreateJob,
    JobCanceled,
    JobWritten,
    MessageJob,
    RequeueJob,
)
from thoughtbox.domains.mind.jobs.records import write_event
from thoughtbox.domains.mind.room import IN_FULL, room
from thoughtbox.domains.mind.view.jobs import Jobs
from thoughtbox.errors import Conflict, UnknownId
from thoughtbox.ledger.record import Record, present
from thoughtbox.operations import Example, Tx


@room.operation(
    "tasks_jobs_create",
    writes=True,
    title="Hand out a job",
    toolsets=IN_FULL,
    errors=[UnknownId],
    example=Example(CREATE[1]),
)
def tasks_jobs_create(tx: Tx, call: CreateJob) -> JobWritten:
    """Put a job into the queue: a title, and a prompt with all that the runner is to know."""
    tx.hold()
    task = task_named(tx, call.task)
    created = present(
        {
            "title": call.title,
            "kind": call.kind,
            "priority": call.priority,
            "prompt": call.prompt,
            "task": task,
            "anchor": anchor_named(tx, call.anchor),
            "meta": call.meta,
        }
    )
    id = f"JOB-{tx.ask(Jobs).next_number():03d}"
    record = write_event(tx, id, "created", call.title, created=created, refs=[task] if task else [])
    return _written(tx, id, record)


@room.operation(
    "tasks_jobs_message",
    writes=True,
    title="Tell a job's runner something",
    toolsets=IN_FULL,
    errors=[UnknownId, Conflict],
    example=Example({"job": "JOB-001", "message": "Use the small data set."}, given=[CREATE]),
)
def tasks_jobs_message(tx: Tx, call: MessageJob) -> JobWritten:
    """Leave a message for whoever works on a job, or will: it answers what a question or blocker waits for."""
    tx.hold()
    job = known_job(tx, call.job)
    if job.status in TERMINAL:
        raise claims.wrong_state(tx, job, "sent a message", requeue=True)
    by = {"agent_id": call.agent_id} if call.agent_id is not None else {}
    record = write_event(tx, job.id, "message", call.message, refs=call.refs or (), meta={**(call.meta or {}), **by})
    return _written(tx, job.id, record)


@room.operation(
    "tasks_jobs_requeue",
    writes=True,
    title="Have a job done again",
    toolsets=IN_FULL,
    errors=[UnknownId, Conflict],
    example=Example({"job": "JOB-001", "reason": "The numbers were of a warm cache."}, given=[CREATE, CLAIM, DONE]),
)
def tasks_jobs_requeue(tx: Tx, call: RequeueJob) -> JobWritten:
    """Put a job that is done, failed or canceled into the queue again."""
    tx.hold()
    job = known_job(tx, call.job)
    if job.status not in TERMINAL:
        raise claims.wrong_state(tx, job, "put into the queue again")
    change = {"status": QUEUED, "revision": job.revision + 1, "runner": None, "summary": None}
    record = write_event(tx, job.id, "requeued", call.reason or f"It was {job.status}", change=change)
    return _written(tx, job.id, record)


@room.operation(
    "tasks_jobs_cancel",
    writes=True,
    effect="ends",
    idempotent=True,
    title="Call a job off",
    toolsets=IN_FULL,
    errors=[UnknownId, Conflict],
    example=Example({"job": "JOB-001", "reason": "Not needed any more."}, given=[CREATE]),
)
def tasks_jobs_cancel(tx: Tx, call: CancelJob) -> JobCanceled:
    """Call a job off that is queued or running; its runner's next report is refused."""
    tx.hold()
    job = known_job(tx, call.job)
    if job.status == "CANCELED":
        return JobCanceled(job=shown_job(job), changed=False)
    if job.status in TERMINAL:
        raise claims.wrong_state(tx, job, "called off")
    change = {"status": "CANCELED", "revision": job.revision + 1, "claimExpiresAtMs": None, "claimTtlMs": None}
    record = write_event(tx, job.id, "canceled", call.reason or f"It was {job.status}", change=change)
    return JobCanceled(job=shown_job(known_job(tx, job.id)), event=shown_event(record), changed=True)


def _written(tx: Tx, id: str, record: Record) -> JobWritten:
    return JobWritten(job=shown_job(known_job(tx, id)), event=shown_event(record))
