"""What a search found, as sessions that are still there and still say so."""

from __future__ import annotations

import re
from collections.abc import Iterator

from thoughtbox.domains.thoughts.answers import SessionShown
from thoughtbox.domains.thoughts.model.session import CHANGED, STARTED, Session
from thoughtbox.domains.thoughts.model.thought import TOPIC, Thought
from thoughtbox.domains.thoughts.sessions.models import SessionFound
from thoughtbox.domains.thoughts.view.thoughts import Thoughts
from thoughtbox.operations import Tx
from thoughtbox.search.texts import LARGEST_PAGE, Hit, SessionHit, Texts

SEARCHED = (TOPIC, STARTED, CHANGED)
"""What sessions are found by: their thoughts, and what they were called and tagged."""


def session_found(tx: Tx, hit: SessionHit, query: str) -> SessionFound | None:
    """A session that was found; none when it was deleted, or has not what it was found by any more."""
    session = tx.ask(Thoughts).session(hit.session)
    if session is None or session.deleted:
        return None
    hits = _best_first(tx, hit, query)
    best = next((each for each in hits if each.topic == TOPIC or _still_says(session, each)), None)
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


def _best_first(tx: Tx, hit: SessionHit, query: str) -> Iterator[Hit]:
    """All that a session was found by."""
    yield hit.best
    offset, has_more = 1, hit.hits > 1
    while has_more:
        found = tx.ask(Texts).find(query, topics=SEARCHED, session=hit.session, limit=LARGEST_PAGE, offset=offset)
        yield from found.hits
        offset, has_more = offset + len(found.hits), found.has_more


def _still_says(session: Session, hit: Hit) -> bool:
    """Whether the title, description or tags that a session was found by are those it has now."""
    says = "\n".join([session.title, session.description or "", *session.tags]).casefold()
    return all(marked.casefold() in says for marked in re.findall("«(.+?)»", hit.snippet))
