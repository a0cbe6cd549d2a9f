"""Jobs, their events and runners as they are shown."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from thoughtbox.domains.mind.envelope import Suggestion
from thoughtbox.domains.mind.jobs.job import EVENT_REF, JOB_TOPIC, RUNNER_PREFIX, Job, Runner
from thoughtbox.domains.mind.opening import first_line
from thoughtbox.domains.mind.refusals import unknown
from thoughtbox.domains.mind.times import moment
from thoughtbox.domains.mind.view.jobs import Jobs
from thoughtbox.ledger.record import Record, present
from thoughtbox.ledger.view import astray
from thoughtbox.operations import Tx
from thoughtbox.world import milliseconds

AROUND = 5
"""Events before and after one that is opened."""


def shown_job(job: Job) -> dict[str, Any]:
    """A job, without its prompt."""
    return present(
        {
            "id": job.id,
            "revision": job.revision,
            "status": job.status,
            "title": job.title,
            "kind": job.kind,
            "priority": job.priority,
            "task_id": job.task,
            "anchor_id": job.anchor,
            "runner": job.runner,
            "claim_expires_at_ms": job.claim_expires_ms,
            "summary": job.summary,
            "meta": job.meta or None,
            "created_at_ms": job.created_ms,
            "updated_at_ms": job.updated_ms,
            "last_seq": job.last_seq,
            "completed_at_ms": job.completed_ms,
        }
    )


def shown_event(record: Record) -> dict[str, Any]:
    """An event of a job."""
    event = record.data["event"]
    return present(
        {
            "ref": f"{record.data['job']}@{record.seq}",
            "seq": record.seq,
            "ts": record.ts,
            "ts_ms": milliseconds(record.ts),
            "kind": event["kind"],
            "message": record.text,
            "percent": event.get("percent"),
            "refs": event.get("refs", []),
            "meta": event.get("meta"),
        }
    )


def shown_lease(runner: Runner, now_ms: int) -> dict[str, Any]:
    """What a runner said of itself, and whether it still holds."""
    return present(
        {
            "runner_id": runner.id,
            "status": runner.status,
            "active_job_id": runner.job,
            "lease_expires_at_ms": runner.expires_ms,
            "created_at_ms": runner.created_ms,
            "updated_at_ms": runner.updated_ms,
            "lease_active": runner.is_active(now_ms),
            "expires_in_ms": max(runner.expires_ms - now_ms, 0),
        }
    )


def events_of(tx: Tx, job: str, seqs: Iterable[int]) -> list[dict[str, Any]]:
    """These events of a job, in the order that they are asked for."""
    wanted = list(seqs)
    found = {record.seq: record for record in tx.ledger.records(wanted)}
    for seq in wanted:
        if seq not in found or found[seq].topic != JOB_TOPIC or found[seq].data["job"] != job:
            raise astray(Jobs, seq, f"an event of {job}")
    return [shown_event(found[seq]) for seq in wanted]


def prompt_of(tx: Tx, job: Job) -> str:
    record = tx.ledger.record(job.created_seq)
    if record is None or record.topic != JOB_TOPIC or record.data["job"] != job.id:
        raise astray(Jobs, job.created_seq, f"the beginning of {job.id}")
    return record.data["created"]["prompt"]


def known_job(tx: Tx, id: str) -> Job:
    """The job of that id; refuses one that is not there."""
    found = tx.ask(Jobs).job(id)
    if found is None:
        raise unknown(
            "job",
            id,
            recovery="tasks_jobs_list shows those there are.",
            suggestions=[
                Suggestion("tasks_jobs_list", {"workspace": tx.workspace}, "See which jobs there are", "high")
            ],
        )
    return found


def job(tx: Tx, id: str, *, include_drafts: bool, limit: int) -> dict[str, Any]:
    """What opening `JOB-…` shows: how it stands and its last events; with drafts, its prompt."""
    found = known_job(tx, id)
    seqs = tx.ask(Jobs).events(id, newest=True, limit=limit + 1)
    return {
        "kind": "job",
        "id": id,
        "summary": first_line(f"{found.status}: {found.title}"),
        "job": shown_job(found),
        **({"prompt": prompt_of(tx, found)} if include_drafts else {}),
        "events": events_of(tx, id, seqs[:limit]),
        "has_more_events": len(seqs) > limit,
        "truncated": False,
    }


def job_event(tx: Tx, ref: str) -> dict[str, Any]:
    """What opening `JOB-…@<seq>` shows: the event, and what came right before and after it."""
    named = EVENT_REF.fullmatch(ref)
    record = tx.ledger.record(int(named["seq"])) if named is not None else None
    if named is None or record is None or record.topic != JOB_TOPIC or record.data["job"] != named["job"]:
        raise unknown(
            "event of a job", ref, recovery="Copy a ref from tasks_jobs_open or tasks_jobs_tail, such as JOB-001@12."
        )
    id, seq, view = named["job"], record.seq, tx.ask(Jobs)
    earlier = view.events(id, before=seq, newest=True, limit=AROUND + 1)
    later = view.events(id, after=seq, newest=False, limit=AROUND + 1)
    around = [*reversed(earlier[:AROUND]), seq, *later[:AROUND]]
    event = shown_event(record)
    return {
        "kind": "job_event",
        "ref": ref,
        "summary": first_line(f"{event['kind']}: {event['message']}"),
        "job": shown_job(known_job(tx, id)),
        "event": event,
        "context": {
            "events": events_of(tx, id, around),
            "has_more_events": max(len(earlier), len(later)) > AROUND,
        },
        "truncated": False,
    }


def runner(tx: Tx, id: str) -> dict[str, Any]:
    """What opening `runner:…` shows: its lease, and what it tells of itself."""
    name = id.removeprefix(RUNNER_PREFIX)
    found = tx.ask(Jobs).runner(name)
    if found is None:
        raise unknown(
            "runner",
            name,
            recovery="tasks_jobs_radar shows the runners that are there; runner_heartbeat makes one known.",
            suggestions=[Suggestion("tasks_jobs_radar", {"workspace": tx.workspace}, "See who is there", "high")],
        )
    now_ms = moment(tx)
    status = found.status_at(now_ms)
    return {
        "kind": "runner",
        "id": f"{RUNNER_PREFIX}{name}",
        "summary": first_line(f"{name} is {status}"),
        "status": status,
        "lease": shown_lease(found, now_ms),
        **({"meta": found.meta} if found.meta else {}),
        "truncated": False,
    }
