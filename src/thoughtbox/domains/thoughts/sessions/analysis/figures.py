"""A session in figures, and what it came to: what was decided, what fell, what is open, what was carried out.

Every formula stands in `docs/analysis.md`, in words and with an example. Thoughts come in order of recording.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from thoughtbox.domains.thoughts.model.session import Session
from thoughtbox.domains.thoughts.model.thought import Thought
from thoughtbox.domains.thoughts.sessions.analysis.links import is_complete, is_revision
from thoughtbox.domains.thoughts.sessions.analysis.models import (
    MOST_PLACES,
    AnalysisMetadata,
    AnalysisQuality,
    AnalysisStructure,
    SessionAnalysis,
    listed,
)
from thoughtbox.domains.thoughts.sessions.analysis.outcome import Outcome, places_of
from thoughtbox.domains.thoughts.sessions.analysis.timeline import duration_of


def analyze(session: Session, outcome: Outcome) -> SessionAnalysis:
    """The figures of a session, branches included, and what it came to."""
    thoughts = outcome.thoughts
    count = len(thoughts)
    revisions = sum(map(is_revision, thoughts))
    on_branches = sum(thought.branch_id is not None for thought in thoughts)
    branches = len(outcome.branches)
    duration = duration_of(thoughts)
    complete = is_complete(thoughts)
    linearity = round(max(0.0, 1 - (revisions + on_branches) / count), 2) if count else 1.0
    density = round(count * 60_000 / duration, 2) if duration else 0.0
    return SessionAnalysis(
        session_id=session.id,
        metadata=AnalysisMetadata(
            title=session.title,
            tags=list(session.tags),
            thought_count=count,
            branch_count=branches,
            revision_count=revisions,
            duration=duration,
            created_at=session.created_at,
            last_updated_at=session.updated_at,
        ),
        structure=AnalysisStructure(
            linearity_score=linearity,
            revision_rate=share(revisions, count),
            max_depth=branches,
            thought_density=density,
        ),
        quality=AnalysisQuality(
            critique_requests=sum(thought.critique_requested for thought in thoughts),
            has_convergence=_converges(thoughts),
            is_complete=complete,
        ),
        linearity=linearity,
        density=density,
        completion=float(complete),
        branch_count=branches,
        **came_to(outcome),
    )


def came_to(outcome: Outcome) -> dict[str, Any]:
    """The lists that say what a session came to, by name; what is not listed is counted."""
    reasoning = outcome.reasoning
    lists = {
        "decisions": reasoning.decisions,
        "overturned": outcome.overturned,
        "rejected": reasoning.rejected,
        "openQuestions": reasoning.open_questions,
        "untestedAssumptions": reasoning.untested,
        "stale": reasoning.stale,
        "carriedOut": outcome.carried_out,
    }
    left_out: dict[str, int] = {}
    found: dict[str, Any] = {
        name: places_of(listed(thoughts, name, left_out, MOST_PLACES)) for name, thoughts in lists.items()
    }
    branches = dict(listed(list(outcome.branches.items()), "branches", left_out, MOST_PLACES))
    return {**found, "branches": branches, "left_out": left_out}


def _converges(thoughts: Sequence[Thought]) -> bool:
    """Whether there are branches, and the main line went on after them."""
    return any(thought.branch_id is not None for thought in thoughts) and thoughts[-1].branch_id is None


def share(part: int, whole: int) -> float:
    return round(part / whole, 2) if whole else 0.0
