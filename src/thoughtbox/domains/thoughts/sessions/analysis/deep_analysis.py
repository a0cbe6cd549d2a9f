"""What the thoughts of a session amount to: its figures, and a deeper look. No database, no protocol, no clock.

Every formula stands in `docs/analysis.md`, in words and with an example. Thoughts come in order of recording.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from statistics import median
from typing import Annotated, Literal, TypeVar

from pydantic import Field

from thoughtbox.domains.thoughts.model.session import Session
from thoughtbox.domains.thoughts.model.thought import Thought
from thoughtbox.ledger.record import RELATIONS
from thoughtbox.operations import CamelOutput

AnalysisKind = Literal["patterns", "cognitive_load", "decision_points", "full"]
Fate = Literal["rejoined", "concluded", "open", "abandoned"]

MOST_LISTED = 20
MOST_PAUSES = 5
LONGEST_EXCERPT = 120

BUILDS_ON = tuple(sorted(RELATIONS - {"contradicts", "blocks", "revises"}))
"""Relations by which a thought takes another one further."""

_LENGTH_WEIGHT, _LONG_TEXT = 25, 1000
_BRANCH_WEIGHT, _MANY_BRANCHES = 20, 4
_QUESTION_WEIGHT, _MANY_QUESTIONS = 20, 5
_REVISION_WEIGHT = 20
_SIZE_WEIGHT, _MANY_THOUGHTS = 15, 50

_DECIDES = re.compile(
    r"[\W_]{0,6}(?:(?:decision|conclusion)[*_ ]{0,3}:"
    r"|(?:(?:we|i)(?:['’]ve| have)? )?decided? (?:to|on|that|for|against)\b)",
    re.IGNORECASE,
)

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

Entry = TypeVar("Entry")


class AnalysisMetadata(CamelOutput):
    title: str
    tags: list[str]
    thought_count: int
    branch_count: int
    revision_count: int
    duration: Annotated[int, Field(description="Milliseconds from the first to the last thought.")]
    created_at: str
    last_updated_at: str


class AnalysisStructure(CamelOutput):
    linearity_score: Annotated[float, Field(description="1: neither branches nor revisions; 0: nothing else.")]
    revision_rate: Annotated[float, Field(description="Revisions among all thoughts, 0 to 1.")]
    max_depth: Annotated[int, Field(description="Distinct branches.")]
    thought_density: Annotated[float, Field(description="Thoughts per minute; 0 when no time has passed.")]


class AnalysisQuality(CamelOutput):
    critique_requests: Annotated[int, Field(description="Thoughts that asked for a critique.")]
    has_convergence: Annotated[bool, Field(description="The main line went on after the last branch thought.")]
    is_complete: Annotated[bool, Field(description="The last thought of the main line needed no next one.")]


class SessionAnalysis(CamelOutput):
    """A session in figures."""

    session_id: str
    metadata: AnalysisMetadata
    structure: AnalysisStructure
    quality: AnalysisQuality
    linearity: Annotated[float, Field(description="The same as `structure.linearityScore`.")]
    density: Annotated[float, Field(description="The same as `structure.thoughtDensity`.")]
    completion: Annotated[float, Field(description="1 when complete, else 0.")]
    branch_count: Annotated[int, Field(description="The same as `metadata.branchCount`.")]


class Mention(CamelOutput):
    """A thought, by its number and its first words."""

    thought_number: int
    branch_id: Annotated[str | None, Field(description="null on the main line.")]
    excerpt: str

    @classmethod
    def of(cls, thought: Thought) -> Mention:
        return cls(thought_number=thought.number, branch_id=thought.branch_id, excerpt=_excerpt(thought.text))


LeftOut = Annotated[dict[str, int], Field(description=f"Entries beyond {MOST_LISTED}, by the name of their list.")]


class RevisionRun(CamelOutput):
    """Two or more revisions in a row on one line."""

    branch_id: str | None
    first_number: int
    last_number: int
    count: int


class ReasoningChain(CamelOutput):
    """A hypothesis, what supports it, and what was concluded from them."""

    hypothesis: Mention
    evidence: list[Mention]
    conclusions: list[Mention]
    left_out: LeftOut


class BranchFate(CamelOutput):
    """What became of a branch."""

    branch_id: str
    from_number: Annotated[int | None, Field(description="Number of the thought it forked from.")]
    thought_count: int
    fate: Fate
    rejoined_by: Annotated[Mention | None, Field(description="First thought that took it up again.")]


class LongestChain(CamelOutput):
    """The most thoughts that follow one from another."""

    length: int
    first: Mention
    last: Mention


class Patterns(CamelOutput):
    revision_runs: list[RevisionRun]
    chains: list[ReasoningChain]
    branches: list[BranchFate]
    longest_chain: LongestChain | None
    open_questions: list[Mention]
    untested_hypotheses: Annotated[list[Mention], Field(description="Neither supported nor contradicted.")]
    left_out: LeftOut


class CognitiveLoad(CamelOutput):
    complexity_score: Annotated[int, Field(description="0 to 100; the formula stands in docs/analysis.md.")]
    mean_length: Annotated[float, Field(description="Characters per thought.")]
    max_length: int
    open_branches: Annotated[int, Field(description="Branches neither rejoined nor concluded.")]
    open_questions: int
    revision_share: float
    depth: Annotated[int, Field(description="Length of the longest chain.")]
    breadth: Annotated[int, Field(description="Lines that hold thoughts: the main line and the branches.")]


class Fork(CamelOutput):
    """A thought that branches set out from."""

    thought: Mention
    branches: list[str]
    left_out: LeftOut


class RevisionPoint(CamelOutput):
    thought: Mention
    revises: Mention | None


class DecisionPoints(CamelOutput):
    decisions: list[Mention]
    forks: list[Fork]
    revisions: list[RevisionPoint]
    left_out: LeftOut


class Pause(CamelOutput):
    """Time in which nothing was recorded."""

    milliseconds: int
    after: Mention
    before: Mention


class Timeline(CamelOutput):
    first_at: str | None
    last_at: str | None
    duration: Annotated[int, Field(description="Milliseconds from the first to the last thought.")]
    mean_gap: int
    median_gap: int
    gaps: Annotated[list[int], Field(description="Milliseconds between one thought and the next, in order of time.")]
    longest_pauses: Annotated[list[Pause], Field(description=f"The {MOST_PAUSES} longest gaps, the longest first.")]
    left_out: LeftOut


class DeepAnalysis(CamelOutput):
    """A session looked at closely. Parts that were not asked for are null."""

    session_id: str
    analysis_type: AnalysisKind
    patterns: Patterns | None
    cognitive_load: CognitiveLoad | None
    decision_points: DecisionPoints | None
    timeline: Timeline | None


def analyze(session: Session, thoughts: Sequence[Thought]) -> SessionAnalysis:
    """The figures of a session, branches included."""
    count = len(thoughts)
    revisions = sum(map(is_revision, thoughts))
    on_branches = sum(thought.branch_id is not None for thought in thoughts)
    branches = len(lines_of(thoughts).keys() - {None})
    duration = _duration(thoughts)
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
            revision_rate=_share(revisions, count),
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
        patterns=_patterns(thoughts, links) if asked_for("patterns") else None,
        cognitive_load=_cognitive_load(thoughts, links) if asked_for("cognitive_load") else None,
        decision_points=_decision_points(thoughts, links) if asked_for("decision_points") else None,
        timeline=_timeline(thoughts) if include_timeline else None,
    )


class Links:
    """Which thoughts of a session point at which. What points out of the session is left aside."""

    def __init__(self, thoughts: Sequence[Thought]) -> None:
        self.by_seq = {thought.seq: thought for thought in thoughts}
        self._by_place = {(thought.branch_id, thought.number): thought for thought in thoughts}
        self._out: defaultdict[int, list[tuple[str, Thought]]] = defaultdict(list)
        self._in: defaultdict[int, list[tuple[str, Thought]]] = defaultdict(list)
        self._revised: dict[int, Thought] = {}
        self._revisions: defaultdict[int, list[Thought]] = defaultdict(list)
        known = {thought.id: thought for thought in thoughts}
        for thought in thoughts:
            for relation in thought.relations:
                target = known.get(relation["to"])
                if target is not None and target is not thought:
                    self._out[thought.seq].append((relation["type"], target))
                    self._in[target.seq].append((relation["type"], thought))
        for thought in filter(is_revision, thoughts):
            target = self._find_revised(thought)
            if target is not None and target is not thought:
                self._revised[thought.seq] = target
                self._revisions[target.seq].append(thought)

    def named_by(self, thought: Thought, *types: str) -> list[Thought]:
        """What a thought points at by relations of these types."""
        return _once(target for type_, target in self._out.get(thought.seq, ()) if type_ in types)

    def naming(self, thought: Thought, *types: str) -> list[Thought]:
        """What points at a thought by relations of these types."""
        return _once(source for type_, source in self._in.get(thought.seq, ()) if type_ in types)

    def revised_by(self, revision: Thought) -> Thought | None:
        """The thought that a revision replaces."""
        return self._revised.get(revision.seq)

    def revisions_of(self, thought: Thought) -> list[Thought]:
        return self._revisions.get(thought.seq, [])

    def before(self, thought: Thought) -> Thought | None:
        """The thought that one follows: on its line, or where its branch set out."""
        return self.by_seq.get(thought.prev) if thought.prev is not None else None

    def fork_of(self, first: Thought) -> Thought | None:
        """Where a branch set out, by its first thought."""
        return self.by_seq.get(first.origin) if first.origin is not None else self.before(first)

    def at(self, number: int, branch_id: str | None) -> Thought | None:
        return self._by_place.get((branch_id, number))

    def rejecting(self, thought: Thought) -> list[Thought]:
        """What speaks against a thought: contradictions, and revisions that reject it without replacing it."""
        rejections = [revision for revision in self.revisions_of(thought) if "rejected" in revision.labels]
        return _once([*self.naming(thought, "contradicts"), *rejections])

    def is_rejected(self, thought: Thought) -> bool:
        """Spoken against, or put down as rejected itself: the label on a thought that rejects others means those."""
        if self.rejecting(thought):
            return True
        rejects_others = thought.seq in self._revised or self.named_by(thought, "contradicts")
        return "rejected" in thought.labels and not rejects_others

    def stands(self, thought: Thought) -> bool:
        """Neither revised nor rejected."""
        return not self.revisions_of(thought) and not self.is_rejected(thought)

    def _find_revised(self, revision: Thought) -> Thought | None:
        if revision.revises is not None:
            return self.by_seq.get(revision.revises)
        named = self.named_by(revision, "revises")
        if named:
            return named[0]
        if revision.revises_number is None:
            return None
        return self.at(revision.revises_number, revision.branch_id) or self.at(revision.revises_number, None)


def is_revision(thought: Thought) -> bool:
    return thought.is_revision or thought.kind == "revision" or thought.revises is not None


def is_decision(thought: Thought) -> bool:
    """By its kind or label; prose, which has neither, by how it begins."""
    if thought.kind == "decision" or "conclusion" in thought.labels:
        return True
    return thought.kind == "claim" and not thought.labels and _DECIDES.match(thought.text) is not None


def is_tentative(thought: Thought) -> bool:
    """A claim that evidence can speak for: a hypothesis, or prose that something was said about."""
    return thought.kind == "claim" and "rejected" not in thought.labels and not is_decision(thought)


def is_complete(thoughts: Sequence[Thought], branch_id: str | None = None) -> bool:
    """Whether the last thought of a line said that no other is needed. A line without thoughts is not complete."""
    line = lines_of(thoughts).get(branch_id)
    return bool(line) and not line[-1].next_needed


def lines_of(thoughts: Iterable[Thought]) -> dict[str | None, list[Thought]]:
    """The thoughts of each line, in order of recording; the main line has the name None."""
    lines: dict[str | None, list[Thought]] = {}
    for thought in thoughts:
        lines.setdefault(thought.branch_id, []).append(thought)
    return lines


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


def _converges(thoughts: Sequence[Thought]) -> bool:
    """Whether there are branches, and the main line went on after them."""
    return any(thought.branch_id is not None for thought in thoughts) and thoughts[-1].branch_id is None


def _patterns(thoughts: Sequence[Thought], links: Links) -> Patterns:
    left_out: dict[str, int] = {}
    questions = _first(open_questions(thoughts, links), "openQuestions", left_out)
    untested = _first(untested_hypotheses(thoughts, links), "untestedHypotheses", left_out)
    return Patterns(
        revision_runs=_first(_revision_runs(thoughts), "revisionRuns", left_out),
        chains=_first(_chains(thoughts, links), "chains", left_out),
        branches=_first(_branches(thoughts, links), "branches", left_out),
        longest_chain=_longest_chain(thoughts),
        open_questions=_mentions(questions),
        untested_hypotheses=_mentions(untested),
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
        conclusions = [thought for thought in _once(concluded) if is_decision(thought)]
        if not conclusions:
            continue
        left_out: dict[str, int] = {}
        chains.append(
            ReasoningChain(
                hypothesis=Mention.of(hypothesis),
                evidence=_mentions(_first(evidence, "evidence", left_out)),
                conclusions=_mentions(_first(conclusions, "conclusions", left_out)),
                left_out=left_out,
            )
        )
    return chains


def _branches(thoughts: Sequence[Thought], links: Links) -> list[BranchFate]:
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


def _longest_chain(thoughts: Sequence[Thought]) -> LongestChain | None:
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


def _cognitive_load(thoughts: Sequence[Thought], links: Links) -> CognitiveLoad:
    count = len(thoughts)
    lengths = [len(thought.text) for thought in thoughts]
    mean_length = sum(lengths) / count if count else 0.0
    loose = sum(branch.fate in ("open", "abandoned") for branch in _branches(thoughts, links))
    questions = len(open_questions(thoughts, links))
    revisions = sum(map(is_revision, thoughts))
    chain = _longest_chain(thoughts)
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
        revision_share=_share(revisions, count),
        depth=chain.length if chain else 0,
        breadth=len(lines_of(thoughts)),
    )


def _decision_points(thoughts: Sequence[Thought], links: Links) -> DecisionPoints:
    left_out: dict[str, int] = {}
    decisions = _first(list(filter(is_decision, thoughts)), "decisions", left_out)
    revisions = _first(list(filter(is_revision, thoughts)), "revisions", left_out)
    return DecisionPoints(
        decisions=_mentions(decisions),
        forks=_first(_forks(thoughts, links), "forks", left_out),
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
        shown = _first(branch_ids, "branches", left_out)
        forks.append(Fork(thought=Mention.of(links.by_seq[seq]), branches=shown, left_out=left_out))
    return forks


def _timeline(thoughts: Sequence[Thought]) -> Timeline:
    """Gaps are taken in order of time, which an import need not share with the order of recording."""
    timed = sorted(_timed(thoughts), key=lambda moment: moment[0])
    gaps = [(later[0] - earlier[0], earlier[1], later[1]) for earlier, later in pairwise(timed)]
    lengths = [gap[0] for gap in gaps]
    longest = sorted((gap for gap in gaps if gap[0] > 0), key=lambda gap: -gap[0])
    left_out: dict[str, int] = {}
    return Timeline(
        first_at=timed[0][1].timestamp if timed else None,
        last_at=timed[-1][1].timestamp if timed else None,
        duration=sum(lengths),
        mean_gap=round(sum(lengths) / len(lengths)) if lengths else 0,
        median_gap=round(median(lengths)) if lengths else 0,
        gaps=_first(lengths, "gaps", left_out),
        longest_pauses=[
            Pause(milliseconds=length, after=Mention.of(after), before=Mention.of(before))
            for length, after, before in longest[:MOST_PAUSES]
        ],
        left_out=left_out,
    )


def _duration(thoughts: Sequence[Thought]) -> int:
    times = [ms for ms, _ in _timed(thoughts)]
    return max(times) - min(times) if times else 0


def _timed(thoughts: Iterable[Thought]) -> list[tuple[int, Thought]]:
    """Each thought with its time in milliseconds; an imported one may have a time that cannot be read."""
    moments = ((_milliseconds(thought.timestamp), thought) for thought in thoughts)
    return [(ms, thought) for ms, thought in moments if ms is not None]


def _milliseconds(timestamp: str) -> int | None:
    try:
        at = datetime.fromisoformat(timestamp)
    except ValueError:
        return None
    if at.tzinfo is None:
        at = at.replace(tzinfo=UTC)
    return (at - _EPOCH) // timedelta(milliseconds=1)


def _share(part: int, whole: int) -> float:
    return round(part / whole, 2) if whole else 0.0


def _first(entries: Sequence[Entry], name: str, left_out: dict[str, int]) -> list[Entry]:
    """As many entries as are listed; how many more there are is noted under the list's name."""
    if len(entries) > MOST_LISTED:
        left_out[name] = len(entries) - MOST_LISTED
    return list(entries[:MOST_LISTED])


def _mentions(thoughts: Iterable[Thought]) -> list[Mention]:
    return [Mention.of(thought) for thought in thoughts]


def _once(thoughts: Iterable[Thought]) -> list[Thought]:
    """Each thought once, in order of recording."""
    found = {thought.seq: thought for thought in thoughts}
    return [found[seq] for seq in sorted(found)]


def _excerpt(text: str) -> str:
    """The first words, on one line."""
    # What is read is bounded before it is split: a text may be a million characters long.
    line = " ".join(text[: 4 * LONGEST_EXCERPT].split())
    if len(line) <= LONGEST_EXCERPT and len(text) <= 4 * LONGEST_EXCERPT:
        return line
    return line[: LONGEST_EXCERPT - 1] + "…"
