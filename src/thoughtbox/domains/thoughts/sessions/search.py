"""What a search found: sessions, or thoughts of all sessions."""

from __future__ import annotations

from collections.abc import Sequence

from thoughtbox.domains.thoughts.answers import SessionShown
from thoughtbox.domains.thoughts.model.session import CHANGED, STARTED, Session
from thoughtbox.domains.thoughts.model.thought import TOPIC, Thought
from thoughtbox.domains.thoughts.paging import fitting, room_beside
from thoughtbox.domains.thoughts.records import thoughts_at
from thoughtbox.domains.thoughts.sessions.analysis.models import excerpt
from thoughtbox.domains.thoughts.sessions.models import (
    Neighbour,
    SearchSessions,
    SessionFound,
    SessionsFound,
    ThoughtFound,
)
from thoughtbox.domains.thoughts.view.links import NEXT
from thoughtbox.domains.thoughts.view.thoughts import Thoughts
from thoughtbox.ledger.view import astray
from thoughtbox.operations import Tx
from thoughtbox.search.texts import Hit, SessionHit, Texts

SEARCHED = (TOPIC, STARTED, CHANGED)
"""What sessions are found by: their thoughts, and what they are called and tagged."""


def found_sessions(tx: Tx, call: SearchSessions) -> SessionsFound:
    """A page of the sessions that fit, with the best of what each has."""
    found = tx.ask(Texts).sessions(call.query, topics=SEARCHED, limit=call.limit, offset=call.offset)
    sessions = sessions_found(tx, found.sessions)
    shown = fitting(sessions, room_beside(call.max_chars, {"query": call.query, "message": found.note}))
    has_more = found.has_more or len(shown) < len(sessions)
    return SessionsFound(
        query=call.query,
        sessions=shown,
        count=len(shown),
        has_more=has_more,
        next_offset=call.offset + len(shown) if has_more else None,
        message=found.note,
    )


def found_thoughts(tx: Tx, call: SearchSessions) -> SessionsFound:
    """A page of the thoughts that fit, of whichever sessions."""
    found = tx.ask(Texts).find(call.query, topics=(TOPIC,), limit=call.limit, offset=call.offset)
    opened = {thought.seq: thought for thought in thoughts_at(tx, (hit.seq for hit in found.hits))}
    thoughts = [_thought_found(tx, hit, opened[hit.seq], int(call.neighbours)) for hit in found.hits]
    shown = fitting(thoughts, room_beside(call.max_chars, {"query": call.query, "message": found.note}))
    has_more = found.has_more or len(shown) < len(thoughts)
    return SessionsFound(
        query=call.query,
        thoughts=shown,
        count=len(shown),
        has_more=has_more,
        next_offset=call.offset + len(shown) if has_more else None,
        message=found.note,
    )


def sessions_found(tx: Tx, hits: Sequence[SessionHit]) -> list[SessionFound]:
    """Sessions, each with the best of what it was found by."""
    seqs = [hit.best.seq for hit in hits if hit.best.topic == TOPIC]
    thoughts = {thought.seq: thought for thought in thoughts_at(tx, seqs)}
    return [_session_found(tx, hit, thoughts.get(hit.best.seq)) for hit in hits]


def _session_found(tx: Tx, hit: SessionHit, thought: Thought | None) -> SessionFound:
    return SessionFound(
        **dict(SessionShown.of(_session(tx, hit.session, hit.best))),
        hits=hit.hits,
        best=hit.best.snippet,
        thought_number=thought.number if thought else None,
        branch_id=thought.branch_id if thought else None,
    )


def _session(tx: Tx, session_id: str, hit: Hit) -> Session:
    session = tx.ask(Thoughts).session(session_id)
    if session is None or session.deleted:
        raise astray(Texts, hit.seq, f"session {session_id}")
    return session


def _thought_found(tx: Tx, hit: Hit, thought: Thought, neighbours: int) -> ThoughtFound:
    session = _session(tx, thought.session_id, hit)
    return ThoughtFound(
        id=thought.id,
        session_id=session.id,
        session_title=session.title,
        thought_number=thought.number,
        branch_id=thought.branch_id,
        kind=thought.kind,
        snippet=hit.snippet,
        previous=_shown(_before(tx, thought, neighbours)) if neighbours else None,
        next=_shown(_behind(tx, thought, neighbours)) if neighbours else None,
    )


def _shown(thoughts: Sequence[Thought]) -> list[Neighbour]:
    return [Neighbour(id=each.id, thought_number=each.number, text=excerpt(each.text)) for each in thoughts]


def _before(tx: Tx, thought: Thought, count: int) -> list[Thought]:
    """The thoughts that lead to this one, the last of them last; those before the fork, at the head of a branch."""
    found: list[Thought] = []
    while len(found) < count and thought.prev is not None:
        [thought] = thoughts_at(tx, [thought.prev])
        found.insert(0, thought)
    return found


def _behind(tx: Tx, thought: Thought, count: int) -> list[Thought]:
    """The thoughts that go on from this one, on its line."""
    found: list[Thought] = []
    while len(found) < count:
        going_on = thoughts_at(tx, tx.ask(Thoughts).sources(thought.seq, NEXT))
        on_line = [each for each in going_on if each.branch_id == thought.branch_id]
        if not on_line:
            break
        thought = on_line[0]
        found.append(thought)
    return found
