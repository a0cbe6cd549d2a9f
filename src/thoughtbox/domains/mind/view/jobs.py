"""Jobs and runners as they stand and as they stood, and what happened to jobs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import orjson

from thoughtbox.domains.mind.jobs.job import HEARTBEAT, JOB_TOPIC, RUNNER_TOPIC, EventKind, Job, Runner
from thoughtbox.domains.mind.jobs.salvage import is_proof
from thoughtbox.ledger.record import Record
from thoughtbox.ledger.versions import Versions, standing_at
from thoughtbox.ledger.view import FOREVER, NOW, View
from thoughtbox.world import milliseconds

JOBS = Versions(
    "mind_jobs",
    key=["job"],
    values=[
        *("number", "revision", "status", "title", "kind", "priority", "task", "anchor", "runner", "claim_expires_ms"),
        *("claim_ttl_ms", "summary", "meta", "created_ms", "updated_ms", "completed_ms", "created_seq"),
    ],
)
EVENTS = Versions("mind_job_events", key=["job", "seq"], values=["kind", "proof"])
RUNNERS = Versions(
    "mind_runners",
    key=["runner"],
    values=["status", "job", "meta", "ttl_ms", "expires_ms", "created_ms", "updated_ms"],
)

_JOB = (
    "SELECT job, revision, status, title, kind, priority, task, anchor, runner, claim_expires_ms, claim_ttl_ms,"
    f" summary, meta, created_ms, updated_ms, completed_ms, created_seq, from_seq FROM {JOBS.standing} AS j"
)
_RUNNER = f"SELECT runner, status, job, meta, ttl_ms, expires_ms, created_ms, updated_ms FROM {RUNNERS.standing} AS r"
_CHANGES = {
    "revision": "revision",
    "status": "status",
    "runner": "runner",
    "claimExpiresAtMs": "claim_expires_ms",
    "claimTtlMs": "claim_ttl_ms",
    "summary": "summary",
}
"""What of a job may change, as records call it and as it is called here."""


class Jobs(View):
    """Jobs by id, their events in order, runners by name."""

    name = "mind_jobs"
    follows = frozenset({JOB_TOPIC, RUNNER_TOPIC})
    schema = "jobs.sql"
    generation = 1

    def apply(self, record: Record) -> None:
        if record.topic == RUNNER_TOPIC:
            self._take_runner(record)
        else:
            self._take_event(record)
            self._take_job(record)

    def _take_job(self, record: Record) -> None:
        data, ts_ms = record.data, milliseconds(record.ts)
        before = self.job(data["job"])
        change = {name: data["change"][said] for said, name in _CHANGES.items() if said in data["change"]}
        if before is None:
            said = data["created"]
            before = Job(
                data["job"],
                *(0, "QUEUED", said["title"], said["kind"], said["priority"], said.get("task"), said.get("anchor")),
                *(None, None, None, None, said.get("meta", {}), ts_ms, ts_ms, None, record.seq, record.seq),
            )
        after = before._replace(**change, updated_ms=ts_ms)
        is_over = after.status not in ("QUEUED", "RUNNING")
        if is_over != (before.completed_ms is not None):
            after = after._replace(completed_ms=ts_ms if is_over else None)
        columns = after._asdict() | {"meta": orjson.dumps(after.meta).decode(), "number": number_of(after.id)}
        del columns["last_seq"]
        JOBS.put(self, record.seq, job=columns.pop("id"), **columns)

    def _take_event(self, record: Record) -> None:
        job, event = record.data["job"], record.data["event"]
        if event["kind"] == HEARTBEAT:
            last = next(iter(self.last_kinds(job, 1)), None)
            if last is not None and last.kind == HEARTBEAT:
                EVENTS.end(self, record.seq, job=job, seq=last.seq)
        proof = int(any(map(is_proof, event.get("refs", ()))))
        EVENTS.put(self, record.seq, job=job, seq=record.seq, kind=event["kind"], proof=proof)

    def _take_runner(self, record: Record) -> None:
        data, ts_ms = record.data, milliseconds(record.ts)
        before = self.runner(data["runner"])
        RUNNERS.put(
            self,
            record.seq,
            runner=data["runner"],
            status=data["status"],
            job=data.get("job"),
            meta=orjson.dumps(data["meta"]).decode(),
            ttl_ms=data["ttlMs"],
            expires_ms=data["expiresAtMs"],
            created_ms=before.created_ms if before else ts_ms,
            updated_ms=ts_ms,
        )

    def job(self, id: str) -> Job | None:
        row = self.sql.row(f"{_JOB} WHERE job = ?", (*standing_at(self), id))
        return _job(row) if row else None

    def next_number(self) -> int:
        row = self.sql.row(
            f"SELECT number FROM {JOBS.standing} AS j ORDER BY number DESC LIMIT 1",
            standing_at(self),
        )
        return row[0] + 1 if row else 1

    def jobs(
        self,
        *,
        statuses: Sequence[str] = (),
        task: str | None = None,
        anchors: Sequence[str] = (),
        kind: str | None = None,
        runner: str | None = None,
        before: int | None = None,
        limit: int,
    ) -> list[Job]:
        """Jobs by their last change, the newest first."""
        where, values = "from_seq < ?", list[object]([FOREVER if before is None else before])
        if self.as_of >= NOW:  # in order in an index
            where += " AND until_seq = ?"
            values.append(FOREVER)
        for column, among in (("status", statuses), ("anchor", anchors)):
            if among:
                where += f" AND {column} IN ({', '.join('?' * len(among))})"
                values += among
        for column, value in (("task", task), ("kind", kind), ("runner", runner)):
            if value is not None:
                where += f" AND {column} = ?"
                values.append(value)
        rows = self.sql.rows(
            f"{_JOB} WHERE {where} ORDER BY from_seq DESC LIMIT ?", (*standing_at(self), *values, limit)
        )
        return [_job(row) for row in rows]

    def events(self, job: str, *, after: int = 0, before: int | None = None, newest: bool, limit: int) -> list[int]:
        """The numbers of events of a job between two others, from either end."""
        below = FOREVER if before is None else before
        rows = self.sql.rows(
            f"SELECT seq FROM {EVENTS.standing} AS e WHERE job = ? AND seq > ? AND seq < ?"
            f" ORDER BY seq{' DESC' if newest else ''} LIMIT ?",
            (*standing_at(self), job, after, below, limit),
        )
        return [row[0] for row in rows]

    def last_kinds(self, job: str, limit: int) -> list[EventKind]:
        """The last events of a job, the newest first."""
        rows = self.sql.rows(
            f"SELECT seq, kind, proof FROM {EVENTS.standing} AS e WHERE job = ? ORDER BY seq DESC LIMIT ?",
            (*standing_at(self), job, limit),
        )
        return [EventKind(seq, kind, bool(proof)) for seq, kind, proof in rows]

    def runner(self, id: str) -> Runner | None:
        row = self.sql.row(f"{_RUNNER} WHERE runner = ?", (*standing_at(self), id))
        return _runner(row) if row else None

    def active_runners(self, now_ms: int, limit: int) -> list[Runner]:
        """Runners that have been heard of in time, those that go offline last first."""
        rows = self.sql.rows(
            f"{_RUNNER} WHERE expires_ms > ? ORDER BY expires_ms DESC, runner LIMIT ?",
            (*standing_at(self), now_ms, limit),
        )
        return [_runner(row) for row in rows]


def number_of(id: str) -> int:
    return int(id.partition("-")[2])


def _job(row: Sequence[Any]) -> Job:
    job = Job(*row)
    return job._replace(meta=orjson.loads(row[12]))


def _runner(row: Sequence[Any]) -> Runner:
    runner = Runner(*row)
    return runner._replace(meta=orjson.loads(row[3]))
