"""Which session a call means.

The one it names; else the one that its connection works on; else, in a shell, the workspace's latest. Whoever is not
remembered at all names the session each time.
"""

from __future__ import annotations

from thoughtbox.domains.thoughts.model.session import Session
from thoughtbox.domains.thoughts.standing import standing
from thoughtbox.domains.thoughts.view.thoughts import Thoughts
from thoughtbox.errors import InvalidPayload, SessionNotFound
from thoughtbox.operations import Tx

MOST_TITLED = 100
"""Sessions with these words in their titles that are looked at."""

LATEST = "latest"
"""Stands for the session that changed last."""


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


def named_session(tx: Tx, name: str) -> Session:
    """The session of that id or, if there is none, the newest of that title."""
    session = None if name == LATEST else tx.ask(Thoughts).session(name)
    if session is None and name != LATEST:
        titled = tx.ask(Thoughts).sessions(words=name, limit=MOST_TITLED)
        session = next((each for each in titled if each.title.casefold() == name.casefold()), None)
    return session if session is not None and not session.deleted else existing(tx, name)


def current(tx: Tx, session_id: str | None) -> Session:
    """The session that a call means; refused when it names none and none can be meant."""
    meant = session_id or own_session(tx)
    if meant is None:
        raise _no_session_meant(tx)
    return existing(tx, meant)


def _no_session_meant(tx: Tx) -> InvalidPayload:
    """A session must be named, and none was: which one it could be, and how to begin one."""
    why = "this connection works on no session yet" if tx.focus.lasts else "nothing is remembered between your calls"
    latest = latest_session(tx)
    send = f'Send the call again with "sessionId": "{latest.id}" (the latest), or begin' if latest else "Begin"
    return InvalidPayload(
        f"`sessionId` is missing, and {why}",
        recovery=f'{send} one: {{"operation": "start_new"}} answers with its sessionId.',
        details={"fields": ["sessionId"], "latest": latest.id if latest else None},
    )
