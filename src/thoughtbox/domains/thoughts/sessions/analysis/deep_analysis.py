"""A closer look at a session: how its thoughts hang together, its load, its decision points, its pauses.

Every formula stands in `docs/analysis.md`, in words and with an example. Thoughts come in order of recording.
"""

from __future__ import annotations

from thoughtbox.domains.thoughts.model.session import Session
from thoughtbox.domains.thoughts.model.thought import Thought
from thoughtbox.domains.thoughts.sessions.analysis.figures import share
from thoughtbox.domains.thoughts.sessions.analysis.links import is_revision
from thoughtbox.domains.thoughts.sessions.analysis.models import (
    AnalysisKind,
    CognitiveLoad,
    DecisionPoints,
    DeepAnalysis,
    Done,
    Fallen,
    Fork,
    Mention,
    RevisionPoint,
    excerpt,
    listed,
    mentions,
)
from thoughtbox.domains.thoughts.sessions.analysis.outcome import Outcome, place_of
from thoughtbox.domains.thoughts.sessions.analysis.patterns import longest_chain, patterns_of
from thoughtbox.domains.thoughts.sessions.analysis.timeline import timeline_of
from thoughtbox.domains.thoughts.sessions.words import said_in

_LENGTH_WEIGHT, _LONG_TEXT = 25, 1000
_BRANCH_WEIGHT, _MANY_BRANCHES = 20, 4
_QUESTION_WEIGHT, _MANY_QUESTIONS = 20, 5
_REVISION_WEIGHT = 20
_SIZE_WEIGHT, _MANY_THOUGHTS = 15, 50


def look_deeper(session: Session, outcome: Outcome, kind: AnalysisKind, include_timeline: bool) -> DeepAnalysis:
    """What the figures do not tell: how the thoughts hang together, and what was left lying."""

    def asked_for(part: AnalysisKind) -> bool:
        return kind in (part, "full")

    return DeepAnalysis(
        session_id=session.id,
        analysis_type=kind,
        patterns=patterns_of(outcome) if asked_for("patterns") else None,
        cognitive_load=cognitive_load(outcome) if asked_for("cognitive_load") else None,
        decision_points=decision_points(outcome) if asked_for("decision_points") else None,
        timeline=timeline_of(outcome.thoughts) if include_timeline else None,
    )


def cognitive_load(outcome: Outcome) -> CognitiveLoad:
    thoughts = outcome.thoughts
    count = len(thoughts)
    lengths = [len(thought.text) for thought in thoughts]
    mean_length = sum(lengths) / count if count else 0.0
    loose = sum(fate == "open" for fate in outcome.branches.values())
    questions = len(outcome.reasoning.open_questions)
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
        breadth=len(outcome.lines),
    )


def decision_points(outcome: Outcome) -> DecisionPoints:
    left_out: dict[str, int] = {}
    revisions = listed(list(filter(is_revision, outcome.thoughts)), "revisions", left_out)
    return DecisionPoints(
        decisions=mentions(listed(outcome.reasoning.decisions, "decisions", left_out)),
        overturned=[_fallen(each, outcome) for each in listed(outcome.overturned, "overturned", left_out)],
        rejected=[_fallen(each, outcome) for each in listed(outcome.reasoning.rejected, "rejected", left_out)],
        carried_out=[_done(each, outcome) for each in listed(outcome.carried_out, "carriedOut", left_out)],
        forks=listed(_forks(outcome), "forks", left_out),
        revisions=[_revision_point(revision, outcome.links.revised_by(revision)) for revision in revisions],
        left_out=left_out,
    )


def _fallen(thought: Thought, outcome: Outcome) -> Fallen:
    by = outcome.fell_to(thought)
    if by is None:  # its branch was rejected, by a thought or in a call
        by, how, why = outcome.settled_by(thought.branch_id), "branch rejected", outcome.why(thought.branch_id)
    else:
        how, why = outcome.reasoning.state(thought).status, by.text
    return Fallen.model_validate(
        {**Mention.of(thought).__dict__, "how": how, "by": place_of(by) if by else None, "why": excerpt(said_in(why))}
    )


def _done(thought: Thought, outcome: Outcome) -> Done:
    return Done(**Mention.of(thought).__dict__, by=place_of(outcome.reports[thought.seq]))


def _revision_point(revision: Thought, revised: Thought | None) -> RevisionPoint:
    return RevisionPoint(thought=Mention.of(revision), revises=Mention.of(revised) if revised else None)


def _forks(outcome: Outcome) -> list[Fork]:
    links = outcome.links
    branches: dict[int, list[str]] = {}
    for branch_id, line in outcome.lines.items():
        fork = links.fork_of(line[0])
        if branch_id is not None and fork is not None:
            branches.setdefault(fork.seq, []).append(branch_id)
    forks = []
    for seq, branch_ids in sorted(branches.items()):
        left_out: dict[str, int] = {}
        shown = listed(branch_ids, "branches", left_out)
        forks.append(Fork(thought=Mention.of(links.by_seq[seq]), branches=shown, left_out=left_out))
    return forks
