"""How the thoughts of a session hang together: runs, chains, the fate of branches, and what was left open."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from thoughtbox.domains.thoughts.model.thought import Thought
from thoughtbox.domains.thoughts.sessions.analysis.links import (
    BUILDS_ON,
    Links,
    is_decision,
    is_revision,
    is_tentative,
    lines_of,
    once,
)
from thoughtbox.domains.thoughts.sessions.analysis.models import (
    BranchFate,
    Fate,
    LongestChain,
    Mention,
    Patterns,
    ReasoningChain,
    RevisionRun,
    listed,
    mentions,
)
from thoughtbox.ledger.record import RELATIONS


def open_questions(thoughts: Iterable[Thought], links: Links) -> list[Thought]:
    """Questions that still stand and that no thought answers."""
    return [
        thought
        for thought in thoughts
        if thought.kind == "question" and links.stands(thought) and not _is_answered(thought, links)
    ]


def untested_hypotheses(thoughts: Iterable[Thought], links: Links) -> list[Thought]:
    """Thoughts labelled as hypotheses that still stand, with nothing that supports them."""
    return [
        thought
        for thought in thoughts
        if "hypothesis" in thought.labels and links.stands(thought) and not links.naming(thought, "supports")
    ]


def _is_answered(question: Thought, links: Links) -> bool:
    if links.naming(question, "answers"):
        return True
    # The references of a question are its relations and what it was answered by (`ledger.record.refs`).
    return not set(question.refs) <= {relation["to"] for relation in question.relations}


def patterns_of(thoughts: Sequence[Thought], links: Links) -> Patterns:
    left_out: dict[str, int] = {}
    questions = listed(open_questions(thoughts, links), "openQuestions", left_out)
    untested = listed(untested_hypotheses(thoughts, links), "untestedHypotheses", left_out)
    return Patterns(
        revision_runs=listed(_revision_runs(thoughts), "revisionRuns", left_out),
        chains=listed(_chains(thoughts, links), "chains", left_out),
        branches=listed(branch_fates(thoughts, links), "branches", left_out),
        longest_chain=longest_chain(thoughts),
        open_questions=mentions(questions),
        untested_hypotheses=mentions(untested),
        left_out=left_out,
    )


def _revision_runs(thoughts: Sequence[Thought]) -> list[RevisionRun]:
    runs: list[list[Thought]] = []
    for line in lines_of(thoughts).values():
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
        evidence = [thought for thought in links.naming(hypothesis, "supports") if not is_decision(thought)]
        if not evidence:
            continue
        concluded = [source for ground in (hypothesis, *evidence) for source in links.naming(ground, *BUILDS_ON)] + [
            target for ground in evidence for target in links.named_by(ground, "supports")
        ]
        conclusions = [thought for thought in once(concluded) if is_decision(thought)]
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


def branch_fates(thoughts: Sequence[Thought], links: Links) -> list[BranchFate]:
    fates = []
    for branch_id, line in lines_of(thoughts).items():
        if branch_id is None:
            continue
        fork = links.fork_of(line[0])
        rejoined_by = _taken_up(line, fork.branch_id if fork else None, links)
        fates.append(
            BranchFate(
                branch_id=branch_id,
                from_number=fork.number if fork else line[0].branch_from,
                thought_count=len(line),
                fate="rejoined" if rejoined_by else _unjoined_fate(line, thoughts),
                rejoined_by=Mention.of(rejoined_by) if rejoined_by else None,
            )
        )
    return fates


def _taken_up(line: Sequence[Thought], parent: str | None, links: Links) -> Thought | None:
    """The first thought on the main line, or on the line that a branch left, that names a thought of the branch."""
    takers = [
        taker
        for thought in line
        for taker in (*links.naming(thought, *RELATIONS), *links.revisions_of(thought))
        if taker.branch_id != thought.branch_id and taker.branch_id in (None, parent)
    ]
    return min(takers, key=lambda thought: thought.seq, default=None)


def _unjoined_fate(line: Sequence[Thought], thoughts: Sequence[Thought]) -> Fate:
    if not line[-1].next_needed:
        return "concluded"
    return "open" if line[-1] is thoughts[-1] else "abandoned"


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
