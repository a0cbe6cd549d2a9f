"""How a caller goes on with a session."""

from __future__ import annotations

from typing import Any

from thoughtbox.domains.thoughts.answers import SessionShown
from thoughtbox.domains.thoughts.cutting import cut
from thoughtbox.domains.thoughts.events import change
from thoughtbox.domains.thoughts.model.session import Session
from thoughtbox.domains.thoughts.numbers import next_number
from thoughtbox.domains.thoughts.scope import existing
from thoughtbox.domains.thoughts.stages import CIPHER_LOADED, DOMAIN_ACTIVE, unlocking
from thoughtbox.domains.thoughts.standing import INIT_COMPLETE, move, standing
from thoughtbox.domains.thoughts.view.thoughts import Thoughts
from thoughtbox.operations import Tx

LONGEST_TITLE = 80
LONGEST_VALUE = 30
MOST_TAGS = 4


def attach(tx: Tx, session_id: str) -> Session:
    """Make the session the caller's current one. One that it was not working on starts again at stage 1."""
    session = existing(tx, session_id)
    own = standing(tx).session_id
    if own == session.id and session.status == "active":
        return session
    if own != session.id:
        move(tx, session.id, INIT_COMPLETE if tx.focus.lasts else session.stage)
    return change(tx, session.id, "resumed")


def reach(tx: Tx, session: Session, stage: int) -> Session:
    """Take the caller, and the session if it has not been there, to the stage that it has earned."""
    if stage >= CIPHER_LOADED and session.domain is not None:
        stage = DOMAIN_ACTIVE
    if stage > session.stage:
        session = change(tx, session.id, "staged", stage=stage)
    if standing(tx).session_id == session.id:
        move(tx, session.id, stage)
    return session


def next_step(tx: Tx, session: Session, stage: int) -> dict[str, Any]:
    """What to send next: what opens thinking, or else the next thought, which is still to be written."""
    if tx.focus.lasts and stage < CIPHER_LOADED:
        return unlocking(stage, session.id)
    number = next_number(tx.ask(Thoughts), session.id)
    return {"operation": "thought", "sessionId": session.id, "thoughtNumber": number}


def in_short(session: Session) -> SessionShown:
    """A session beside its brief: what is long is left to `session.get`, and the stage is the caller's."""
    shown = SessionShown.of(session)
    shown.stage = None
    shown.title = cut(session.title, LONGEST_TITLE)
    shown.tags = [tag for tag in session.tags if len(tag) <= LONGEST_VALUE][:MOST_TAGS]
    for name in ("description", "project", "task", "aspect", "bound_root"):
        if len(getattr(shown, name) or "") > LONGEST_VALUE:
            setattr(shown, name, None)
    return shown
