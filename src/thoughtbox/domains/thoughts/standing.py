"""Where a caller stands in this room: the session it works on, the stage it has reached there, what it is about.

It is remembered for as long as a connection lasts. In a shell the workspace's latest session stands in for it;
whoever is not remembered at all names the session each time.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from thoughtbox.domains.thoughts.model.session import Session
from thoughtbox.domains.thoughts.view.thoughts import Thoughts
from thoughtbox.errors import SessionNotFound
from thoughtbox.operations import Tx

LATEST = "latest"
"""Stands for the session that changed last."""

INIT_COMPLETE = 1
"""The stage of whoever has a session."""


@dataclass(frozen=True, slots=True)
class Standing:
    """What this room remembers of a caller."""

    session_id: str | None = None
    stage: int = 0
    place: Mapping[str, str] = field(default_factory=dict)
    """Where it works, before it has a session that could remember it: project, task, aspect, domain, root."""


def first_standing(settings: Mapping[str, Any]) -> Standing:
    """Where a new caller stands: nowhere, or in the session that all of them work on from the start."""
    session_id = settings.get("reasoning_session")
    return Standing(session_id, INIT_COMPLETE) if session_id else Standing()


def standing(tx: Tx) -> Standing:
    return tx.focus.of(Standing)


def move(tx: Tx, session_id: str | None, stage: int) -> None:
    """Let the caller work on this session from now on, at this stage."""
    tx.focus_on(replace(standing(tx), session_id=session_id, stage=stage))


def work_at(tx: Tx, given: Mapping[str, str]) -> None:
    """Remember what the caller says of its work."""
    here = standing(tx)
    tx.focus_on(replace(here, place={**here.place, **given}))


def own_session(tx: Tx) -> str | None:
    """The session that a call means when it names none; None when there is nothing to go by."""
    own = standing(tx).session_id
    if own is None and tx.focus.memory == "workspace":
        latest = latest_session(tx)
        return latest.id if latest is not None else None
    return own


def latest_session(tx: Tx) -> Session | None:
    """The session of the workspace that changed last."""
    return next(iter(tx.ask(Thoughts).sessions(limit=1)), None)


def existing(tx: Tx, session_id: str) -> Session:
    """The session, if there is one that was not deleted. `latest` is the one that changed last."""
    session = latest_session(tx) if session_id == LATEST else tx.ask(Thoughts).session(session_id)
    if session is None or session.deleted:
        raise SessionNotFound(
            f"there is no session `{session_id}` in workspace `{tx.workspace}`",
            recovery='{"operation": "list_sessions"} shows those there are.',
            details={"sessionId": session_id},
        )
    return session
