"""How a caller goes on with a session."""

from __future__ import annotations

from thoughtbox.domains.thoughts.events import change
from thoughtbox.domains.thoughts.model.session import Session
from thoughtbox.domains.thoughts.scope import existing
from thoughtbox.domains.thoughts.standing import INIT_COMPLETE, move, standing
from thoughtbox.operations import Tx


def attach(tx: Tx, session_id: str) -> Session:
    """Make the session the caller's current one. One that it was not working on starts again at stage 1."""
    session = existing(tx, session_id)
    own = standing(tx).session_id
    if own == session.id and session.status == "active":
        return session
    if own != session.id:
        move(tx, session.id, INIT_COMPLETE if tx.focus.lasts else session.stage)
    return change(tx, session.id, "resumed")
