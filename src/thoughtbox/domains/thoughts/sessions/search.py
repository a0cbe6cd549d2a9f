"""What a search found: sessions, or thoughts of all sessions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, NamedTuple, TypeVar

from thoughtbox.domains.thoughts.answers import SessionShown, Stands
from thoughtbox.domains.thoughts.model.session import CHANGED, STARTED
from thoughtbox.domains.thoughts.model.thought import TOPIC, Thought
from thoughtbox.domains.thoughts.paging import room_beside
from thoughtbox.domains.thoughts.records import how_they_stand, thoughts_at
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
from thoughtbox.operations import Output, Tx, fitting
from thoughtbox.search.texts import Hit, SessionHit, Texts

A = TypeVar("A", bound=Output)

SEARCHED = (TOPIC, STARTED, CHANGED)
"""What sessions are found by: their thoughts, and what they are called and tagged."""


def found_sessions(tx: Tx, call: SearchSessions) -> SessionsFound:
    """A page of the sessions that fit, with the best of what each has."""
    found = tx.ask(Texts).sessions(call.query, topics=SEARCHED, limit=call.limit, offset=call.offset)
    room = room_beside(call.max_chars, {"query": call.query, "message": found.note})
    page = page_of(sessions_found(tx, found.sessions), room, offset=call.offset, has_more=found.has_more)
    return SessionsFound(
        query=call.query,
        sessions=page.shown,
        count=len(page.shown),
        has_more=page.next_offset is not None,
        next_offset=page.next_offset,
        message=found.note,
    )


def found_thoughts(tx: Tx, call: SearchSessions) -> SessionsFound:
    """A page of the thoughts that fit, of whichever sessions."""
    found = tx.ask(Texts).find(call.query, topics=(TOPIC,), limit=call.limit, offset=call.offset)
    opened = {thought.seq: thought for thought in thoughts_at(tx, (hit.seq for hit in found.hits))}
    stands = how_they_stand(tx, list(opened.values()))
    thoughts = [
        _thought_found(tx, hit, opened[hit.seq], stands.get(hit.seq), int(call.neighbours)) for hit in found.hits
    ]
    room = room_beside(call.max_chars, {"query": call.query, "message": found.note})
    page = page_of(thoughts, room, offset=call.offset, has_more=found.has_more)
    return SessionsFound(
        query=call.query,
        thoughts=page.shown,
        count=len(page.shown),
        has_more=page.next_offset is not None,
        next_offset=page.next_offset,
        message=found.note,
    )


class Page(NamedTuple, Generic[A]):
    """What is shown, and where the next page begins, if there is one."""

    shown: list[A]
    next_offset: int | None


def page_of(found: Sequence[A | None], room: int, *, offset: int, has_more: bool) -> Page[A]:
    """As much of what was found as there is room for. None stands for what has gone since the index has seen it."""
    there = [(place, each) for place, each in enumerate(found, start=offset) if each is not None]
    count = fitting((each.answer() for _, each in there), room)
    shown = [each for _, each in there[:count]]
    if count < len(there):
        return Page(shown, there[count][0])
    return Page(shown, offset + len(found) if has_more else None)


def sessions_found(tx: Tx, hits: Sequence[SessionHit]) -> list[SessionFound | None]:
    """Sessions, each with the best of what it was found by."""
    seqs = [hit.best.seq for hit in hits if hit.best.topic == TOPIC]
    thoughts = {thought.seq: thought for thought in thoughts_at(tx, seqs)}
    return [_session_found(tx, hit, thoughts.get(hit.best.seq)) for hit in hits]


def _session_found(tx: Tx, hit: SessionHit, thought: Thought | None) -> SessionFound | None:
    session = tx.ask(Thoughts).session(hit.session)
    if session is None or session.deleted:
        return None
    return SessionFound(
        **dict(SessionShown.of(session)),
        hits=hit.hits,
        best=hit.best.snippet,
        thought_number=thought.number if thought else None,
        branch_id=thought.branch_id if thought else None,
    )


def _thought_found(tx: Tx, hit: Hit, thought: Thought, stands: Stands | None, neighbours: int) -> ThoughtFound | None:
    session = tx.ask(Thoughts).session(thought.session_id)
    if session is None or session.deleted:
        return None
    return ThoughtFound(
        id=thought.id,
        session_id=session.id,
        session_title=session.title,
        thought_number=thought.number,
        branch_id=thought.branch_id,
        kind=thought.kind,
        snippet=hit.snippet,
        **({} if stands is None else stands._asdict()),
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
