"""Memory sessions: begun, found, closed."""

from __future__ import annotations

from thoughtbox.domains.memory.governance.records import write_session
from thoughtbox.domains.memory.view.sessions import Session, Sessions
from thoughtbox.errors import SessionNotFound, ValidationFailed
from thoughtbox.operations import Tx


def begin(tx: Tx, scope: str, *, host: str | None = None, host_session: str | None = None) -> Session:
    """Make a session."""
    return found(tx, write_session(tx, scope, host=host, host_session=host_session).seq)


def found(tx: Tx, id: int) -> Session:
    """The session of that id, or the error that says there is none."""
    session = tx.ask(Sessions).session(id)
    if session is None:
        raise SessionNotFound(
            f"there is no memory session {id} in this workspace",
            recovery='{"operation": "compliance_snapshot"} begins one.',
            details={"session_id": id},
        )
    return session


def open_for_writing(tx: Tx, id: int) -> Session:
    """The same, held until this is over: nobody else moves it, and it is not closed."""
    tx.hold()
    session = found(tx, id)
    if session.closed_at is not None:
        raise ValidationFailed(
            f"memory session {id} was closed at {session.closed_at}; nothing is added to it any more",
            recovery='{"operation": "compliance_snapshot"} begins a new one.',
            details={"fields": ["session_id"]},
        )
    return session


def kept_text(tx: Tx, seq: int | None, name: str) -> str | None:
    """A text that a phase has kept, from its record."""
    record = tx.ledger.record(seq) if seq is not None else None
    return record.data["changes"].get(name) if record is not None else None


def in_sight(scope: str) -> tuple[str, ...]:
    """The scopes that a session of this one sees."""
    return ("project", "global") if scope == "project" else ("global",)
