"""What comes out of an analysis. The wire spells it in camelCase."""

from collections.abc import Iterable, Sequence
from typing import Annotated, Literal, Self, TypeVar

from pydantic import Field

from thoughtbox.domains.thoughts.model.thought import Thought
from thoughtbox.operations import CamelOutput

AnalysisKind = Literal["patterns", "cognitive_load", "decision_points", "full"]
Fate = Literal["rejoined", "concluded", "open", "abandoned"]
MOST_LISTED = 20
MOST_PAUSES = 5
LONGEST_EXCERPT = 120
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
    def of(cls, thought: Thought) -> Self:
        return cls(thought_number=thought.number, branch_id=thought.branch_id, excerpt=excerpt(thought.text))


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


def listed(entries: Sequence[Entry], name: str, left_out: dict[str, int]) -> list[Entry]:
    """As many entries as are listed; how many more there are is noted under the list's name."""
    if len(entries) > MOST_LISTED:
        left_out[name] = len(entries) - MOST_LISTED
    return list(entries[:MOST_LISTED])


def mentions(thoughts: Iterable[Thought]) -> list[Mention]:
    return [Mention.of(thought) for thought in thoughts]


def excerpt(text: str) -> str:
    """The first words, on one line."""
    # What is read is bounded before it is split: a text may be a million characters long.
    line = " ".join(text[: 4 * LONGEST_EXCERPT].split())
    if len(line) <= LONGEST_EXCERPT and len(text) <= 4 * LONGEST_EXCERPT:
        return line
    return line[: LONGEST_EXCERPT - 1] + "…"
