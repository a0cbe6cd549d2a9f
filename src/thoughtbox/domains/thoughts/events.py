"""How a session begins, changes and ends: the records that say so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from thoughtbox.domains.thoughts.model.session import CHANGED, STARTED, Session
from thoughtbox.domains.thoughts.model.thought import stream_of
from thoughtbox.domains.thoughts.standing import INIT_COMPLETE
from thoughtbox.domains.thoughts.view.thoughts import Thoughts
from thoughtbox.ledger.record import Draft
from thoughtbox.operations import Tx
from thoughtbox.world import iso, uuid_of


def start(
    tx: Tx,
    *,
    title: str | None,
    tags: Sequence[str] = (),
    description: str | None = None,
    place: Mapping[str, str] | None = None,
    stage: int = INIT_COMPLETE,
    session_id: str | None = None,
    at: str | None = None,
) -> Session:
    """Begin a session. Its id is random: whoever knows it may work on it, within its workspace.

    One that comes from elsewhere brings its id, and the time at which it began.
    """
    session_id = session_id or uuid_of(tx.random_bytes(16))
    given: dict[str, Any] = {
        "title": title or f"Reasoning session {iso(tx.now_ms)}",
        "tags": list(dict.fromkeys(tags)),
        "stage": stage,
        **({"description": description} if description is not None else {}),
        **({"timestamp": at} if at is not None else {}),
        **(place or {}),
    }
    record = tx.append(
        Draft(
            kind="hub_event",
            topic=STARTED,
            text=given["title"],
            session=session_id,
            attrs={"eventType": "session.started"},
            data=given,
        ),
        stream=stream_of(session_id),
    )
    return Session.begun(record)


def change(tx: Tx, session_id: str, what: str, **given: Any) -> Session:
    """Record that a session has changed; the session as it is now."""
    tx.append(
        Draft(
            kind="hub_event",
            topic=CHANGED,
            text=f"session {what}",
            session=session_id,
            attrs={"eventType": f"session.{what}"},
            data={"change": what, **given},
        ),
        stream=stream_of(session_id),
    )
    session = tx.ask(Thoughts).session(session_id)
    assert session is not None
    return session
