"""What goes in and what comes out of reading what was thought."""

from typing import Annotated, Any

from pydantic import Field, model_validator

from thoughtbox.domains.mind.arguments import (
    AgentId,
    AsOf,
    BoundedInput,
    BranchName,
    Content,
    ContextBudget,
    Cursor,
    DocName,
    Drafts,
    MindInput,
    Name,
    StepName,
    Target,
    TypeName,
    View,
)
from thoughtbox.domains.mind.budgets import with_one_budget
from thoughtbox.domains.mind.cards.models import GraphDoc, Ref, TraceDoc
from thoughtbox.domains.mind.paging import Page
from thoughtbox.operations import MaxChars, Output, Text

MOST_WANTED = 50

Cards = Annotated[int, Field(ge=0, description="Cards in one answer: 200 at most.")]
FewCards = Annotated[int, Field(ge=0, description="How many of them: 50 at most.")]
Entries = Annotated[int, Field(ge=0, description="Entries in one answer: 200 at most; none with 0.")]
EngineLimit = Annotated[int, Field(ge=0, description="How many of the engine's: 50 at most; none with 0.")]
AllLanes = Annotated[bool, Field(description="The same as include_drafts.")]
Wanted = Name | Annotated[list[Name], Field(max_length=MOST_WANTED)] | None
WantedIds = Name | Annotated[list[Name], Field(max_length=200)] | None
WantedTypes = TypeName | Annotated[list[TypeName], Field(max_length=MOST_WANTED)] | None


class Reading(MindInput):
    """How what was thought is looked at."""

    step: StepName = None
    context_budget: ContextBudget = None
    include_drafts: Drafts = False
    all_lanes: AllLanes = False
    agent_id: AgentId = None

    @property
    def drafts(self) -> bool:
        return self.include_drafts or self.all_lanes


class Bounded(BoundedInput, Reading):
    """The same, with the smaller of two budgets."""

    @model_validator(mode="before")
    @classmethod
    def _one_budget(cls, given: Any) -> Any:
        return with_one_budget(given)

    @property
    def budget_name(self) -> str:
        """What to raise, for more of the answer."""
        return "max_chars" if self.context_budget is None else "context_budget"


class InView(Reading):
    """The same, with a view of relevance."""

    view: View = None


class OnGraph(Bounded):
    """Which graph is looked at."""

    target: Target = None
    ref: Ref = None
    graph_doc: GraphDoc = None


class ReadContext(Bounded, InView):
    target: Target = None
    branch: BranchName = None
    graph_doc: GraphDoc = None
    limit_cards: Cards = 30
    as_of: AsOf = None


class QueryCards(OnGraph):
    ids: Annotated[WantedIds, Field(description="Only cards of these ids.")] = None
    types: Annotated[WantedTypes, Field(description="Only cards of these types.")] = None
    status: Annotated[Wanted, Field(description="Only cards of this status, or of one of these.")] = None
    tags_any: Annotated[Wanted, Field(description="Only cards with one of these tags.")] = None
    tags_all: Annotated[Wanted, Field(description="Only cards with all of these tags.")] = None
    text: Annotated[Content | None, Field(description="Only cards whose title or text contains it.")] = None
    cursor: Cursor = None
    limit: Cards = 50


class ReadFrontier(OnGraph, InView):
    limit_hypotheses: FewCards = 5
    limit_questions: FewCards = 5
    limit_subgoals: FewCards = 5
    limit_tests: FewCards = 5


class ReadPack(ReadFrontier):
    trace_doc: TraceDoc = None
    limit_candidates: Cards = 30


class Watch(ReadPack):
    trace_limit_steps: Entries = 20
    engine_signals_limit: EngineLimit = 6
    engine_actions_limit: EngineLimit = 2


class PackArguments(InView):
    target: Target = None
    ref: Ref = None
    notes_doc: DocName = None
    trace_doc: TraceDoc = None
    graph_doc: GraphDoc = None
    notes_limit: Entries = 20
    trace_limit: Entries = 50
    limit_cards: Cards = 30
    decisions_limit: FewCards = 5
    evidence_limit: FewCards = 5
    blockers_limit: FewCards = 5
    read_only: Annotated[bool, Field(description="Accepted; reading never writes.")] = False


class ReadContextPack(Bounded, PackArguments):
    pass


class ExportContextPack(PackArguments):
    out_file: Annotated[
        Text,
        Field(
            max_length=4_096,
            description="File to write, in the project folder or the data directory; relative to the project folder.",
        ),
    ]
    # The budget is the file's; the answer is always short.
    file_chars: Annotated[MaxChars, Field(alias="max_chars")] = None

    @model_validator(mode="before")
    @classmethod
    def _one_budget(cls, given: Any) -> Any:
        return with_one_budget(given)


class Seen(Output):
    """What was looked at."""

    sparse = True

    branch: str
    graph_doc: str
    step_focus: dict[str, Any] | None = None


class ContextRead(Seen):
    stats: dict[str, Any]
    cards: list[dict[str, Any]]
    truncated: bool = False


class CardsQueried(Seen):
    cards: list[dict[str, Any]]
    pagination: Page
    truncated: bool = False


class FrontierRead(Seen):
    frontier: dict[str, list[dict[str, Any]]]
    truncated: bool = False


class NextRead(Output):
    branch: str
    graph_doc: str
    step_focus: dict[str, Any] | None
    candidate: Annotated[dict[str, Any] | None, Field(description="The open card that was changed last.")]
    truncated: bool = False


class PackRead(Seen):
    trace_doc: str
    capsule: dict[str, Any]
    engine: dict[str, Any] | None = None
    lane_summary: dict[str, Any] | None = None
    stats: dict[str, Any]
    frontier: dict[str, list[dict[str, Any]]]
    candidates: list[dict[str, Any]]
    truncated: bool = False


class Watched(Seen):
    trace_doc: str
    capsule: dict[str, Any]
    engine: dict[str, Any] | None = None
    lane_summary: dict[str, Any] | None = None
    frontier: dict[str, list[dict[str, Any]]]
    candidates: list[dict[str, Any]]
    trace: dict[str, Any]
    truncated: bool = False


class ContextPackRead(Output):
    sparse = True

    requested: dict[str, Any]
    branch: str
    docs: dict[str, str]
    step_focus: dict[str, Any] | None = None
    capsule: dict[str, Any]
    engine: dict[str, Any] | None = None
    lane_summary: dict[str, Any] | None = None
    notes: dict[str, Any]
    trace: dict[str, Any]
    cards: list[dict[str, Any]]
    signals: dict[str, Any]
    stats: dict[str, Any]
    bridge: dict[str, Any] | None = None
    truncated: bool = False


class ContextPackExported(Output):
    out_file: str
    bytes: int
    truncated: bool
