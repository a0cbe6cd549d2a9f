"""Workflow sessions as they stand and as they stood."""

from __future__ import annotations

from typing import Any, NamedTuple

import orjson

from thoughtbox.domains.memory.workflow.records import WORKFLOW
from thoughtbox.ledger.record import Record
from thoughtbox.ledger.versions import Versions, standing_at
from thoughtbox.ledger.view import FOREVER, NOW, View

SESSIONS = Versions(
    "workflow_sessions",
    key=["session_id"],
    values=["preset", "gates_passed", "steps_completed", "created_at", "expires_at", "counts_from", "active"],
)
_SESSION = (
    "SELECT session_id, preset, gates_passed, steps_completed, created_at, expires_at, counts_from, active"
    f" FROM {SESSIONS.standing} AS s"
)


class WorkflowSession(NamedTuple):
    """A session of work: which gates it has passed, and by what."""

    session_id: str
    preset: str
    gates_passed: tuple[str, ...]
    steps_completed: tuple[str, ...]
    created_at: int
    expires_at: int
    counts_from: int
    """What was done before, in milliseconds since 1970, is of no account to it."""
    active: bool

    def stands(self, now_ms: int) -> bool:
        return self.active and self.expires_at > now_ms


class WorkflowSessions(View):
    """One row per session and state of it."""

    name = "workflow_sessions"
    follows = frozenset({WORKFLOW})
    schema = "workflow.sql"
    generation = 1

    def apply(self, record: Record) -> None:
        data = record.data
        SESSIONS.put(
            self,
            record.seq,
            session_id=data["sessionId"],
            preset=data["preset"],
            gates_passed=orjson.dumps(data["gatesPassed"]).decode(),
            steps_completed=orjson.dumps(data["stepsCompleted"]).decode(),
            created_at=data["createdAt"],
            expires_at=data["expiresAt"],
            counts_from=data["countsFrom"],
            active=int(data["active"]),
        )

    def session(self, session_id: str) -> WorkflowSession | None:
        row = self.sql.row(f"{_SESSION} WHERE session_id = ?", (*standing_at(self), session_id))
        return _session(row) if row else None

    def count(self) -> int:
        row = self.sql.row(f"SELECT COUNT(*) FROM {SESSIONS.standing} AS s", standing_at(self))
        return row[0] if row else 0

    def active(self, limit: int) -> list[WorkflowSession]:
        """Sessions that nobody has reset, the one that changed last first."""
        now = " AND until_seq = ?" if self.as_of >= NOW else ""  # in order in an index
        rows = self.sql.rows(
            f"{_SESSION} WHERE active = 1{now} ORDER BY from_seq DESC LIMIT ?",
            (*standing_at(self), *((FOREVER,) if now else ()), limit),
        )
        return [_session(row) for row in rows]


def _session(row: Any) -> WorkflowSession:
    id, preset, gates, steps, created_at, expires_at, counts_from, active = row
    return WorkflowSession(
        *(id, preset, tuple(orjson.loads(gates)), tuple(orjson.loads(steps))),
        *(created_at, expires_at, counts_from, bool(active)),
    )
