"""A session in figures: how linear it is, how often it was revised, whether it came to an end.

Every formula stands in `docs/analysis.md`, in words and with an example. Thoughts come in order of recording.
"""

from __future__ import annotations

from collections.abc import Sequence

from thoughtbox.domains.thoughts.model.session import Session
from thoughtbox.domains.thoughts.model.thought import Thought
from thoughtbox.domains.thoughts.sessions.analysis.links import is_complete, is_revision, lines_of
from thoughtbox.domains.thoughts.sessions.analysis.models import (
    AnalysisMetadata,
    AnalysisQuality,
    AnalysisStructure,
    SessionAnalysis,
)
from thoughtbox.domains.thoughts.sessions.analysis.timeline import duration_of


def analyze(session: Session, thoughts: Sequence[Thought]) -> SessionAnalysis:
    """The figures of a session, branches included."""
    count = len(thoughts)
    revisions = sum(map(is_revision, thoughts))
    on_branches = sum(thought.branch_id is not None for thought in thoughts)
    branches = len(lines_of(thoughts).keys() - {None})
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
    )


def _converges(thoughts: Sequence[Thought]) -> bool:
    """Whether there are branches, and the main line went on after them."""
    return any(thought.branch_id is not None for thought in thoughts) and thoughts[-1].branch_id is None


def share(part: int, whole: int) -> float:
    return round(part / whole, 2) if whole else 0.0
