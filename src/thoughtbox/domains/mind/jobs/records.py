"""What jobs and runners write, and how it is opened when it comes from elsewhere."""

from collections.abc import Mapping, Sequence
from typing import Any

from thoughtbox.domains.mind.jobs.job import (
    JOB_ID,
    JOB_TOPIC,
    JOBS_STREAM,
    QUEUED,
    RUNNER_TOPIC,
    RUNNERS_STREAM,
    STATUSES,
    Runner,
)
from thoughtbox.domains.mind.view.jobs import Jobs
from thoughtbox.errors import InvalidRecord
from thoughtbox.ledger.ledger import Ledger
from thoughtbox.ledger.record import Draft, Record, present
from thoughtbox.operations import RecordData, Room, Tx, must_stand_in


class EventData(RecordData):
    kind: str
    percent: int | None = None
    refs: list[str] | None = None
    meta: dict[str, Any] | None = None


class CreatedData(RecordData):
    title: str
    kind: str
    priority: str
    prompt: str
    task: str | None = None
    anchor: str | None = None
    meta: dict[str, Any] | None = None


class ChangeData(RecordData):
    revision: int | None = None
    status: str | None = None
    runner: str | None = None
    claim_expires_at_ms: int | None = None
    claim_ttl_ms: int | None = None
    summary: str | None = None


class JobData(RecordData):
    job: str
    event: EventData
    change: ChangeData
    created: CreatedData | None = None


class RunnerData(RecordData):
    runner: str
    status: str
    job: str | None = None
    meta: dict[str, Any]
    ttl_ms: int
    expires_at_ms: int


def write_event(
    tx: Tx,
    job: str,
    kind: str,
    message: str,
    *,
    change: Mapping[str, Any] | None = None,
    created: Mapping[str, Any] | None = None,
    percent: int | None = None,
    refs: Sequence[str] = (),
    meta: Mapping[str, Any] | None = None,
) -> Record:
    """Write what happened to a job, and what holds of it since."""
    event = present({"kind": kind, "percent": percent, "refs": list(refs) or None, "meta": meta or None})
    data = {"job": job, "event": event, "change": dict(change or {}), **present({"created": created})}
    draft = Draft(kind="observation", topic=JOB_TOPIC, text=message, session=JOBS_STREAM, data=data)
    return tx.append(draft, stream=JOBS_STREAM)


def write_runner(tx: Tx, runner: Runner) -> None:
    """Write what a runner says of itself, and until when that holds."""
    data = {
        "runner": runner.id,
        "status": runner.status,
        "meta": runner.meta,
        "ttlMs": runner.ttl_ms,
        "expiresAtMs": runner.expires_ms,
        **present({"job": runner.job}),
    }
    text = f"Runner {runner.id} is {runner.status}"
    tx.append(
        Draft(kind="observation", topic=RUNNER_TOPIC, text=text, session=RUNNERS_STREAM, data=data),
        stream=RUNNERS_STREAM,
    )


def opened_job(record: Record, before: Ledger) -> None:
    must_stand_in(record, JOBS_STREAM)
    data = JobData.read(record.data)
    if not JOB_ID.fullmatch(data.job):
        raise InvalidRecord("`data.job` is no job's id")
    known = before.ask(Jobs).job(data.job)
    if (known is None) != (data.created is not None):
        raise InvalidRecord("the first event of a job, and no other, says what the job is")
    change = record.data["change"]
    if "status" in change and data.change.status not in STATUSES:
        raise InvalidRecord(f"`data.change.status` is one of {', '.join(STATUSES)}")
    revision = known.revision if known is not None else 0
    if "revision" in change and data.change.revision != revision + 1:
        raise InvalidRecord("`data.change.revision` is not the next one")
    status = data.change.status or (known.status if known is not None else QUEUED)
    if known is not None and status != known.status and "revision" not in change:
        raise InvalidRecord("a job that changes its state has another revision")


def opened_runner(record: Record, before: Ledger) -> None:
    must_stand_in(record, RUNNERS_STREAM)
    data = RunnerData.read(record.data)
    if data.status not in ("idle", "live"):
        raise InvalidRecord("`data.status` is idle or live")
    if data.job is not None and not JOB_ID.fullmatch(data.job):
        raise InvalidRecord("`data.job` is no job's id")


def declare(room: Room) -> None:
    room.topic(JOB_TOPIC, opened_job, streams="mind")
    room.topic(RUNNER_TOPIC, opened_runner, streams="mind")
