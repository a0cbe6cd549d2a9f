"""Which session a call means."""

from __future__ import annotations

from thoughtbox.domains.thoughts.model.session import Session
from thoughtbox.domains.thoughts.view.thoughts import Thoughts
from thoughtbox.errors import InvalidPayload, SessionNotFound
from thoughtbox.operations import Tx

LATEST = "latest"


def existing(tx: Tx, session_id: str) -> Session:
    """The session, if there is one that was not deleted. `latest` is the one that changed last."""
    view = tx.ask(Thoughts)
    session = next(iter(view.sessions(limit=1)), None) if session_id == LATEST else view.session(session_id)
    if session is None or session.deleted:
        raise SessionNotFound(
            f"there is no session `{session_id}` in workspace `{tx.workspace}`",
            recovery='{"operation": "list_sessions"} shows those there are.',
            details={"sessionId": session_id},
        )
    return session


def current(tx: Tx, session_id: str | None) -> Session:
    """The session that a call names, or the one that its connection works on."""
    if session_id is None and tx.focus.session_id is None:
        raise InvalidPayload(
            "`sessionId` is missing, and this connection works on no session yet",
            recovery='Send sessionId, or first {"operation": "start_new"} or'
            ' {"operation": "load_context", "sessionId": "…"}.',
            details={"fields": ["sessionId"]},
        )
    return existing(tx, session_id or tx.focus.session_id or "")
