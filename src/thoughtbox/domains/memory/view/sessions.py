"""Memory sessions, their chains of invocations, their receipts, and what was violated in them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from thoughtbox.ledger.record import Record
from thoughtbox.ledger.versions import Versions, standing_at
from thoughtbox.ledger.view import View

SESSION = "memory.session"
PHASE = "memory.phase"
CLOSED = "memory.session_closed"
INVOCATION = "memory.invocation"
RECEIPT = "memory.receipt"
VIOLATION = "memory.violation"

LISTS = ("context_keys_json", "phases_done", "phases_skipped", "packed_cells", "used_cells", "inferred_cells")


class Session(NamedTuple):
    """A memory session as it stood then."""

    session_id: int
    created_at: str
    scope_mode: str
    flags_json: str
    last_phase: str | None = None
    last_context_hash: str | None = None
    snapshot_hash: str | None = None
    integrity: str | None = None
    context_keys_json: str = "[]"
    phases_done: str = "[]"
    phases_skipped: str = "[]"
    packed_cells: str = "[]"
    used_cells: str = "[]"
    inferred_cells: str = "[]"
    asked_seq: int | None = None
    """The record with what the user asked."""
    draft_seq: int | None = None
    """The record with the newest draft."""
    host: str | None = None
    host_session: str | None = None
    closed_at: str | None = None

    @property
    def flags(self) -> dict[str, Any]:
        return json.loads(self.flags_json)

    @property
    def context_keys(self) -> list[str]:
        return json.loads(self.context_keys_json)

    @property
    def done(self) -> list[str]:
        """The phases that are behind it, in order; those that were skipped are not among them."""
        return json.loads(self.phases_done)

    @property
    def skipped(self) -> list[str]:
        return json.loads(self.phases_skipped)

    @property
    def packed(self) -> list[int]:
        """The cells of its pack, by id."""
        return json.loads(self.packed_cells)

    @property
    def used(self) -> list[int]:
        """The cells that its response rests on."""
        return json.loads(self.used_cells)

    @property
    def inferred(self) -> list[int]:
        """Those of them that the response has to call an inference."""
        return json.loads(self.inferred_cells)


class Invocation(NamedTuple):
    """One link of a session's chain."""

    id: int
    session_id: int
    position: int
    ts: str
    tool_name: str
    input_hash: str
    output_hash: str
    meta_json: str
    prev_hash: str | None
    hash: str


class Receipt(NamedTuple):
    """What a session was certified to be."""

    id: int
    session_id: int
    ts: str
    receipt_type: str
    payload_json: str
    payload_hash: str
    signature: str
    public_meta_json: str


class Violation(NamedTuple):
    """A rule that was not kept."""

    id: int
    session_id: int
    position: int
    ts: str
    scope: str
    rule: str
    said: str
    episode_id: int | None


SESSIONS = Versions("memory_sessions", key=("session_id",), values=Session._fields[1:])

_SESSION = f"SELECT {', '.join(Session._fields)} FROM {SESSIONS.standing} AS s"
_CHANGES = {
    "flags": "flags_json",
    "contextHash": "last_context_hash",
    "snapshotHash": "snapshot_hash",
    "integrity": "integrity",
    "contextKeys": "context_keys_json",
    "skipped": "phases_skipped",
    "packed": "packed_cells",
    "used": "used_cells",
    "inferred": "inferred_cells",
}
"""What a phase may change of its session, as records call it and as it is called here."""


class Sessions(View):
    """Sessions by id and by host, invocations and receipts in order, violations by rule."""

    name = "memory_sessions"
    follows = frozenset({SESSION, PHASE, CLOSED, INVOCATION, RECEIPT, VIOLATION})
    schema = "sessions.sql"
    generation = 1

    def apply(self, record: Record) -> None:
        if record.topic == INVOCATION:
            self._put("invocations", invocation_from(record))
        elif record.topic == RECEIPT:
            self._put("receipts", receipt_from(record))
        elif record.topic == VIOLATION:
            self._put("memory_violations", violation_from(record))
        else:
            before = None if record.topic == SESSION else self.session(record.data["session"])
            SESSIONS.put(self, record.seq, **after(before, record)._asdict())

    def session(self, id: int) -> Session | None:
        row = self.sql.row(f"{_SESSION} WHERE session_id = ?", (*standing_at(self), id))
        return Session(*row) if row else None

    def of_host(self, host: str, host_session: str) -> Session | None:
        """The newest session of a host's session that is not closed."""
        # There is one at the most, as a rule. In order, or limited, all sessions would be walked through for it.
        rows = self.sql.rows(
            f"{_SESSION} WHERE host = ? AND host_session = ? AND closed_at IS NULL",
            (*standing_at(self), host, host_session),
        )
        return max(map(Session._make, rows), default=None, key=lambda session: session.session_id)

    def ids_of_host(self, host: str, host_session: str, limit: int) -> list[int]:
        """The sessions of a host's session, closed ones as well, the newest first: all that an index has of them."""
        rows = self.sql.rows(
            f"SELECT session_id FROM {SESSIONS.standing} AS s WHERE host = ? AND host_session = ?"
            " ORDER BY session_id DESC LIMIT ?",
            (*standing_at(self), host, host_session, limit),
        )
        return [row[0] for row in rows]

    def newest_invocations(self, session: int, limit: int) -> list[Invocation]:
        """The end of a session's chain, the newest first."""
        rows = self.sql.rows(
            f"SELECT {', '.join(Invocation._fields)} FROM invocations"
            " WHERE workspace = ? AND session_id = ? AND id <= ? ORDER BY id DESC LIMIT ?",
            (self.workspace, session, self.as_of, limit),
        )
        return [Invocation(*row) for row in rows]

    def last_invocation(self, session: int) -> Invocation | None:
        """The head of a session's chain; its position is how many there are."""
        row = self.sql.row(
            f"SELECT {', '.join(Invocation._fields)} FROM invocations"
            " WHERE workspace = ? AND session_id = ? AND id <= ? ORDER BY id DESC LIMIT 1",
            (self.workspace, session, self.as_of),
        )
        return Invocation(*row) if row else None

    def invocations(self, session: int) -> list[Invocation]:
        """A session's chain from its beginning."""
        rows = self.sql.rows(
            f"SELECT {', '.join(Invocation._fields)} FROM invocations"
            " WHERE workspace = ? AND session_id = ? AND id <= ? ORDER BY id",
            (self.workspace, session, self.as_of),
        )
        return [Invocation(*row) for row in rows]

    def receipt(self, id: int) -> Receipt | None:
        row = self.sql.row(
            f"SELECT {', '.join(Receipt._fields)} FROM receipts WHERE workspace = ? AND id = ? AND id <= ?",
            (self.workspace, id, self.as_of),
        )
        return Receipt(*row) if row else None

    def receipt_of(self, payload_hash: str) -> Receipt | None:
        """The first receipt whose payload has that hash."""
        row = self.sql.row(
            f"SELECT {', '.join(Receipt._fields)} FROM receipts"
            " WHERE workspace = ? AND payload_hash = ? AND id <= ? ORDER BY id LIMIT 1",
            (self.workspace, payload_hash, self.as_of),
        )
        return Receipt(*row) if row else None

    def receipts(self, session: int) -> list[Receipt]:
        rows = self.sql.rows(
            f"SELECT {', '.join(Receipt._fields)} FROM receipts"
            " WHERE workspace = ? AND session_id = ? AND id <= ? ORDER BY id",
            (self.workspace, session, self.as_of),
        )
        return [Receipt(*row) for row in rows]

    def last_violation(self, scope: str, rule: str) -> Violation | None:
        """The newest violation of a rule; its position is how many there are."""
        row = self.sql.row(
            f"SELECT {', '.join(Violation._fields)} FROM memory_violations"
            " WHERE workspace = ? AND scope = ? AND rule = ? AND id <= ? ORDER BY id DESC LIMIT 1",
            (self.workspace, scope, rule, self.as_of),
        )
        return Violation(*row) if row else None

    def first_violations(self, scope: str, rule: str, limit: int) -> list[Violation]:
        rows = self.sql.rows(
            f"SELECT {', '.join(Violation._fields)} FROM memory_violations"
            " WHERE workspace = ? AND scope = ? AND rule = ? AND id <= ? ORDER BY id LIMIT ?",
            (self.workspace, scope, rule, self.as_of, limit),
        )
        return [Violation(*row) for row in rows]

    def violations_of(self, session: int) -> list[Violation]:
        """What was violated in a session, in order."""
        rows = self.sql.rows(
            f"SELECT {', '.join(Violation._fields)} FROM memory_violations"
            " WHERE workspace = ? AND session_id = ? AND id <= ? ORDER BY id",
            (self.workspace, session, self.as_of),
        )
        return [Violation(*row) for row in rows]

    def _put(self, table: str, row: Invocation | Receipt | Violation) -> None:
        columns = ", ".join(("workspace", *row._fields))
        self.sql.run(
            f"INSERT INTO {table} ({columns}) VALUES ({', '.join('?' * (len(row) + 1))})", (self.workspace, *row)
        )


def after(before: Session | None, record: Record) -> Session:
    """What a session is once a record of it is written."""
    data = record.data
    if before is None:
        return Session(
            record.seq,
            record.ts,
            data["scope"],
            _text(data["flags"]),
            host=data.get("host"),
            host_session=data.get("hostSession"),
        )
    if record.topic == CLOSED:
        return before._replace(closed_at=record.ts)
    changes = data["changes"]
    values: dict[str, Any] = {
        column: _value(column, changes[said]) for said, column in _CHANGES.items() if said in changes
    }
    if "userInput" in changes:
        values["asked_seq"] = record.seq
    if "draft" in changes:
        values["draft_seq"] = record.seq
    done = [*before.done, data["phase"]]
    last = changes["skipped"][-1] if changes.get("skipped") else data["phase"]
    return before._replace(last_phase=last, phases_done=_text(done), **values)


def invocation_from(record: Record) -> Invocation:
    data = record.data
    return Invocation(
        record.seq,
        data["session"],
        data["position"],
        data["ts"],
        data["toolName"],
        data["inputHash"],
        data["outputHash"],
        data["meta"],
        data.get("prevHash"),
        data["hash"],
    )


def receipt_from(record: Record) -> Receipt:
    data = record.data
    return Receipt(
        record.seq,
        data["session"],
        record.ts,
        data["receiptType"],
        data["payload"],
        data["payloadHash"],
        data["signature"],
        data["publicMeta"],
    )


def violation_from(record: Record) -> Violation:
    data = record.data
    return Violation(
        record.seq,
        data["session"],
        data["position"],
        record.ts,
        data["scope"],
        data["rule"],
        record.text,
        data.get("episode"),
    )


def _value(column: str, value: Any) -> Any:
    return _text(value) if column in LISTS or column == "flags_json" else value


def _text(value: Mapping[str, Any] | list[Any]) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
