"""Proposals of what to keep from a session: its thoughts mined, beside what other sessions said."""

from __future__ import annotations

from collections.abc import Collection

from thoughtbox.domains.thoughts.model.session import Session
from thoughtbox.domains.thoughts.records import thoughts_at
from thoughtbox.domains.thoughts.sessions.came_to import outcome_of
from thoughtbox.domains.thoughts.sessions.learnings.findings import Statement
from thoughtbox.domains.thoughts.sessions.learnings.learn import Learnings, learn
from thoughtbox.domains.thoughts.sessions.learnings.models import TYPES, KeyMoment
from thoughtbox.domains.thoughts.sessions.learnings.moments import unknown_moments
from thoughtbox.domains.thoughts.view.thoughts import Thoughts
from thoughtbox.errors import ThoughtNotFound
from thoughtbox.operations import Tx
from thoughtbox.world import iso

MOST_STATEMENTS = 200
"""Statements of other sessions that a session is compared with: the newest."""


def learnings_of(tx: Tx, session: Session, key_moments: list[KeyMoment], types: Collection[str] = TYPES) -> Learnings:
    """What a session teaches, as far as its thoughts and those of other sessions show; the most telling first."""
    outcome = outcome_of(tx, session.id)
    for moment in unknown_moments(outcome.thoughts, key_moments):
        raise ThoughtNotFound(
            f"keyMoments names thought {moment.thought_number}, which the session does not have",
            recovery="Name thoughts that are there, with branchId where they stand on a branch.",
            details={"sessionId": session.id, "thoughtNumber": moment.thought_number},
        )
    earlier = _statements(tx, session.id, MOST_STATEMENTS)
    return learn(session, outcome, at=iso(tx.now_ms), key_moments=key_moments, types=types, earlier=earlier)


def _statements(tx: Tx, session_id: str, count: int) -> list[Statement]:
    """The newest decisions and revisions of other sessions."""
    seqs = tx.ask(Thoughts).newest_settling(count)
    return [Statement.of(thought) for thought in thoughts_at(tx, seqs) if thought.session_id != session_id]
