"""How the thoughts of a session hang together: runs, chains, the fate of branches, and what was left open."""

from __future__ import annotations

from collections.abc import Sequence

from thoughtbox.domains.thoughts.model.thought import Thought
from thoughtbox.domains.thoughts.sessions.analysis.links import (
    BUILDS_ON,
    Links,
    is_conclusion,
    is_revision,
    is_tentative,
    once,
)
from thoughtbox.domains.thoughts.sessions.analysis.models import (
    BranchFate,
    LongestChain,
    Mention,
    Patterns,
    ReasoningChain,
    Resting,
    RevisionRun,
    excerpt,
    listed,
    mentions,
)
from thoughtbox.domains.thoughts.sessions.analysis.outcome import Outcome
from thoughtbox.ledger.record import RELATIONS


def untested_hypotheses(outcome: Outcome) -> list[Thought]:
    """Thoughts labelled as hypotheses that still stand, with nothing that supports or contradicts them."""
    return [
        thought
        for thought in outcome.thoughts
        if "hypothesis" in thought.labels
        and outcome.stands(thought)
        and not outcome.links.naming(thought, "supports", "contradicts")
    ]


def patterns_of(outcome: Outcome) -> Patterns:
    left_out: dict[str, int] = {}
    thoughts, reasoning = outcome.thoughts, outcome.reasoning
    return Patterns(
        revision_runs=listed(_revision_runs(outcome), "revisionRuns", left_out),
        chains=listed(_chains(thoughts, outcome.links), "chains", left_out),
        branches=listed(_branches(outcome), "branches", left_out),
        longest_chain=longest_chain(thoughts),
        open_questions=mentions(listed(reasoning.open_questions, "openQuestions", left_out)),
        untested_assumptions=mentions(listed(reasoning.untested, "untestedAssumptions", left_out)),
        untested_hypotheses=mentions(listed(untested_hypotheses(outcome), "untestedHypotheses", left_out)),
        stale=[_resting(thought, outcome) for thought in listed(reasoning.stale, "stale", left_out)],
        left_out=left_out,
    )


def _resting(thought: Thought, outcome: Outcome) -> Resting:
    ground = outcome.reasoning.state(thought).rests_on
    fell = outcome.reasoning.states([ground] if ground else [])
    by = next((outcome.name(state.by) for state in fell.values()), "")
    return Resting(**Mention.of(thought).__dict__, rests_on=outcome.name(ground), by=by)


def _revision_runs(outcome: Outcome) -> list[RevisionRun]:
    runs: list[list[Thought]] = []
    for line in outcome.lines.values():
        run: list[Thought] = []
        for thought in line:
            if not is_revision(thought):
                run = []
                continue
            run.append(thought)
            if len(run) == 2:
                runs.append(run)
    return [
        RevisionRun(branch_id=run[0].branch_id, first_number=run[0].number, last_number=run[-1].number, count=len(run))
        for run in runs
    ]


def _chains(thoughts: Sequence[Thought], links: Links) -> list[ReasoningChain]:
    """Hypotheses with evidence from which something was concluded."""
    chains = []
    for hypothesis in filter(is_tentative, thoughts):
        evidence = [thought for thought in links.naming(hypothesis, "supports") if not is_conclusion(thought)]
        if not evidence:
            continue
        concluded = [source for ground in (hypothesis, *evidence) for source in links.naming(ground, *BUILDS_ON)] + [
            target for ground in evidence for target in links.named_by(ground, "supports")
        ]
        conclusions = [thought for thought in once(concluded) if is_conclusion(thought)]
        if not conclusions:
            continue
        left_out: dict[str, int] = {}
        chains.append(
            ReasoningChain(
                hypothesis=Mention.of(hypothesis),
                evidence=mentions(listed(evidence, "evidence", left_out)),
                conclusions=mentions(listed(conclusions, "conclusions", left_out)),
                left_out=left_out,
            )
        )
    return chains


def _branches(outcome: Outcome) -> list[BranchFate]:
    found = []
    for branch_id, line in outcome.lines.items():
        if branch_id is None:
            continue
        fork = outcome.links.fork_of(line[0])
        rejoined_by = _taken_up(line, fork.branch_id if fork else None, outcome.links)
        found.append(
            BranchFate(
                branch_id=branch_id,
                from_number=fork.number if fork else line[0].branch_from,
                thought_count=len(line),
                fate=outcome.branches[branch_id],
                why=excerpt(outcome.why(branch_id)),
                rejoined_by=Mention.of(rejoined_by) if rejoined_by else None,
            )
        )
    return found


def _taken_up(line: Sequence[Thought], parent: str | None, links: Links) -> Thought | None:
    """The first thought on the main line, or on the line that a branch left, that names a thought of the branch."""
    takers = [
        taker
        for thought in line
        for taker in (*links.naming(thought, *RELATIONS), *links.revisions_of(thought))
        if taker.branch_id != thought.branch_id and taker.branch_id in (None, parent)
    ]
    return min(takers, key=lambda thought: thought.seq, default=None)


def longest_chain(thoughts: Sequence[Thought]) -> LongestChain | None:
    ends: dict[int, tuple[int, Thought]] = {}
    longest: tuple[int, Thought, Thought] | None = None
    for thought in thoughts:
        before = ends.get(thought.prev) if thought.prev is not None else None
        length, first = (before[0] + 1, before[1]) if before else (1, thought)
        ends[thought.seq] = (length, first)
        if longest is None or length > longest[0]:
            longest = (length, first, thought)
    if longest is None:
        return None
    length, first, last = longest
    return LongestChain(length=length, first=Mention.of(first), last=Mention.of(last))
