"""A closer look at a session: how its thoughts hang together, its load, its decision points, its pauses.

Every formula stands in `docs/analysis.md`, in words and with an example. Thoughts come in order of recording.
"""

from __future__ import annotations

from collections.abc import Sequence

from thoughtbox.domains.thoughts.model.session import Session
from thoughtbox.domains.thoughts.model.thought import Thought
from thoughtbox.domains.thoughts.sessions.analysis.figures import share
from thoughtbox.domains.thoughts.sessions.analysis.links import Links, is_decision, is_revision, lines_of
from thoughtbox.domains.thoughts.sessions.analysis.models import (
    AnalysisKind,
    CognitiveLoad,
    DecisionPoints,
    DeepAnalysis,
    Fork,
    Mention,
    RevisionPoint,
    listed,
    mentions,
)
from thoughtbox.domains.thoughts.sessions.analysis.patterns import (
    branch_fates,
    longest_chain,
    open_questions,
    patterns_of,
)
from thoughtbox.domains.thoughts.sessions.analysis.timeline import timeline_of

_LENGTH_WEIGHT, _LONG_TEXT = 25, 1000
_BRANCH_WEIGHT, _MANY_BRANCHES = 20, 4
_QUESTION_WEIGHT, _MANY_QUESTIONS = 20, 5
_REVISION_WEIGHT = 20
_SIZE_WEIGHT, _MANY_THOUGHTS = 15, 50


def look_deeper(
    session: Session, thoughts: Sequence[Thought], kind: AnalysisKind, include_timeline: bool
) -> DeepAnalysis:
    """What the figures do not tell: how the thoughts hang together, and what was left lying."""
    links = Links(thoughts)

    def asked_for(part: AnalysisKind) -> bool:
        return kind in (part, "full")

    return DeepAnalysis(
        session_id=session.id,
        analysis_type=kind,
        patterns=patterns_of(thoughts, links) if asked_for("patterns") else None,
        cognitive_load=cognitive_load(thoughts, links) if asked_for("cognitive_load") else None,
        decision_points=decision_points(thoughts, links) if asked_for("decision_points") else None,
        timeline=timeline_of(thoughts) if include_timeline else None,
    )


def cognitive_load(thoughts: Sequence[Thought], links: Links) -> CognitiveLoad:
    count = len(thoughts)
    lengths = [len(thought.text) for thought in thoughts]
    mean_length = sum(lengths) / count if count else 0.0
    loose = sum(branch.fate in ("open", "abandoned") for branch in branch_fates(thoughts, links))
    questions = len(open_questions(thoughts, links))
    revisions = sum(map(is_revision, thoughts))
    chain = longest_chain(thoughts)
    score = (
        _LENGTH_WEIGHT * min(1, mean_length / _LONG_TEXT)
        + _BRANCH_WEIGHT * min(1, loose / _MANY_BRANCHES)
        + _QUESTION_WEIGHT * min(1, questions / _MANY_QUESTIONS)
        + _REVISION_WEIGHT * (revisions / count if count else 0)
        + _SIZE_WEIGHT * min(1, count / _MANY_THOUGHTS)
    )
    return CognitiveLoad(
        complexity_score=int(score + 0.5),
        mean_length=round(mean_length, 2),
        max_length=max(lengths, default=0),
        open_branches=loose,
        open_questions=questions,
        revision_share=share(revisions, count),
        depth=chain.length if chain else 0,
        breadth=len(lines_of(thoughts)),
    )


def decision_points(thoughts: Sequence[Thought], links: Links) -> DecisionPoints:
    left_out: dict[str, int] = {}
    decisions = listed(list(filter(is_decision, thoughts)), "decisions", left_out)
    revisions = listed(list(filter(is_revision, thoughts)), "revisions", left_out)
    return DecisionPoints(
        decisions=mentions(decisions),
        forks=listed(_forks(thoughts, links), "forks", left_out),
        revisions=[_revision_point(revision, links.revised_by(revision)) for revision in revisions],
        left_out=left_out,
    )


def _revision_point(revision: Thought, revised: Thought | None) -> RevisionPoint:
    return RevisionPoint(thought=Mention.of(revision), revises=Mention.of(revised) if revised else None)


def _forks(thoughts: Sequence[Thought], links: Links) -> list[Fork]:
    branches: dict[int, list[str]] = {}
    for branch_id, line in lines_of(thoughts).items():
        fork = links.fork_of(line[0])
        if branch_id is not None and fork is not None:
            branches.setdefault(fork.seq, []).append(branch_id)
    forks = []
    for seq, branch_ids in sorted(branches.items()):
        left_out: dict[str, int] = {}
        shown = listed(branch_ids, "branches", left_out)
        forks.append(Fork(thought=Mention.of(links.by_seq[seq]), branches=shown, left_out=left_out))
    return forks
