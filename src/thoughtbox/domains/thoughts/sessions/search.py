"""What a search found, as sessions that are still there and still say so."""

from __future__ import annotations

import re

from thoughtbox.domains.thoughts.answers import SessionShown
from thoughtbox.domains.thoughts.model.session import Session
from thoughtbox.domains.thoughts.model.thought import TOPIC, Thought
from thoughtbox.domains.thoughts.sessions.models import SessionFound
from thoughtbox.domains.thoughts.view.thoughts import Thoughts
from thoughtbox.operations import Tx
from thoughtbox.search.texts import Hit, SessionHit, Texts


def session_found(tx: Tx, hit: SessionHit, query: str) -> SessionFound | None:
    """A session that was found; none when it was deleted, or has not what it was found by any more."""
    session = tx.ask(Thoughts).session(hit.session)
    if session is None or session.deleted:
        return None
    best: Hit | None = hit.best
    if hit.best.topic != TOPIC and not _still_says(session, hit.best):
        in_thoughts = tx.ask(Texts).find(query, topics=(TOPIC,), session=session.id, limit=1).hits
        best = in_thoughts[0] if in_thoughts else None
    if best is None:
        return None
    record = tx.ledger.record(best.seq)
    thought = Thought.of(record) if record is not None and record.topic == TOPIC else None
    return SessionFound(
        session=SessionShown.of(session),
        hits=hit.hits,
        best=best.snippet,
        thought_number=thought.number if thought else None,
        branch_id=thought.branch_id if thought else None,
    )


def _still_says(session: Session, hit: Hit) -> bool:
    """Whether the title, description or tags that a session was found by are those it has now."""
    says = "\n".join([session.title, session.description or "", *session.tags]).casefold()
    return all(marked.casefold() in says for marked in re.findall("«(.+?)»", hit.snippet))
