"""What comes out of an analysis. The wire spells it in camelCase."""

from collections.abc import Iterable, Sequence
from typing import Annotated, Literal, Self, TypeVar

from pydantic import Field

from thoughtbox.domains.thoughts.model.reasoning import Fate
from thoughtbox.domains.thoughts.model.thought import Thought
from thoughtbox.operations import CamelOutput

AnalysisKind = Literal["patterns", "cognitive_load", "decision_points", "full"]
MOST_LISTED = 20
MOST_PLACES = 100
"""Places that a list of them has; they are short."""
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


Places = list[str]
"""`12` on the main line, `alt:12` on a branch."""


class SessionAnalysis(CamelOutput):
    """A session in figures, and what it came to."""

    session_id: str
    metadata: AnalysisMetadata
    structure: AnalysisStructure
    quality: AnalysisQuality
    linearity: Annotated[float, Field(description="The same as `structure.linearityScore`.")]
    density: Annotated[float, Field(description="The same as `structure.thoughtDensity`.")]
    completion: Annotated[float, Field(description="1 when complete, else 0.")]
    branch_count: Annotated[int, Field(description="The same as `metadata.branchCount`.")]
    decisions: Annotated[Places, Field(description="Decisions that stand: `12`, or `alt:12` on a branch.")]
    overturned: Annotated[Places, Field(description="Decisions that were revised or rejected, or whose branch was.")]
    rejected: Annotated[Places, Field(description="What an X rejected.")]
    open_questions: Annotated[Places, Field(description="Questions that nothing answers.")]
    untested_assumptions: Annotated[Places, Field(description="Assumptions that nothing was held against.")]
    stale: Annotated[Places, Field(description="What rests on something revised or rejected since.")]
    carried_out: Annotated[Places, Field(description="Decisions and plans that a later thought reports as done.")]
    branches: Annotated[dict[str, Fate], Field(description="What became of each branch.")]
    left_out: Annotated[dict[str, int], Field(description=f"Entries beyond {MOST_PLACES}, by the name of their list.")]


class Mention(CamelOutput):
    """A thought, by its number and its first words."""

    thought_number: int
    branch_id: Annotated[str | None, Field(description="null on the main line.")]
    excerpt: str

    @classmethod
    def of(cls, thought: Thought) -> Self:
        return cls(thought_number=thought.number, branch_id=thought.branch_id, excerpt=excerpt(thought.text))


class Fallen(Mention):
    """A thought that does not stand."""

    how: Annotated[Literal["revised", "rejected", "branch rejected"], Field(description="What became of it.")]
    by: Annotated[str | None, Field(description="Place of the thought that says so; null when a call did.")]
    why: Annotated[str, Field(description="How that begins.")]


class Resting(Mention):
    """A thought that rests on one that fell."""

    rests_on: Annotated[str, Field(description="Place of what fell.")]
    by: Annotated[str, Field(description="Place of what revised or rejected that.")]


class Done(Mention):
    """A decision or plan that was carried out."""

    by: Annotated[str, Field(description="Place of the thought that reports it as done.")]


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
    why: Annotated[str, Field(description="How what was said when it was adopted or rejected begins.")]
    rejoined_by: Annotated[Mention | None, Field(description="First thought of another line that took it up again.")]


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
    open_questions: Annotated[list[Mention], Field(description="Questions that nothing answers.")]
    untested_assumptions: Annotated[list[Mention], Field(description="Assumptions that nothing was held against.")]
    untested_hypotheses: Annotated[list[Mention], Field(description="Neither supported nor contradicted.")]
    stale: Annotated[list[Resting], Field(description="What rests on something revised or rejected since.")]
    left_out: LeftOut


class CognitiveLoad(CamelOutput):
    complexity_score: Annotated[int, Field(description="0 to 100; the formula stands in docs/analysis.md.")]
    mean_length: Annotated[float, Field(description="Characters per thought.")]
    max_length: int
    open_branches: Annotated[int, Field(description="Branches neither adopted nor rejected.")]
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
    decisions: Annotated[list[Mention], Field(description="Those that stand.")]
    overturned: Annotated[list[Fallen], Field(description="Decisions that do not stand.")]
    rejected: Annotated[list[Fallen], Field(description="What an X rejected.")]
    carried_out: Annotated[list[Done], Field(description="Decisions and plans that were reported as done.")]
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


def listed(entries: Sequence[Entry], name: str, left_out: dict[str, int], most: int = MOST_LISTED) -> list[Entry]:
    """As many entries as are listed; how many more there are is noted under the list's name."""
    if len(entries) > most:
        left_out[name] = len(entries) - most
    return list(entries[:most])


def mentions(thoughts: Iterable[Thought]) -> list[Mention]:
    return [Mention.of(thought) for thought in thoughts]


def excerpt(text: str) -> str:
    """The first words, on one line."""
    # What is read is bounded before it is split: a text may be a million characters long.
    line = " ".join(text[: 4 * LONGEST_EXCERPT].split())
    if len(line) <= LONGEST_EXCERPT and len(text) <= 4 * LONGEST_EXCERPT:
        return line
    return line[: LONGEST_EXCERPT - 1] + "…"
