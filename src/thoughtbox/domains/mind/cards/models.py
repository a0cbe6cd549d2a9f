"""What goes in and what comes out of cards."""

from typing import Annotated, Any

from pydantic import Field

from thoughtbox.domains.mind.arguments import (
    AgentId,
    AsOf,
    BoundedInput,
    BranchName,
    Content,
    Cursor,
    DocName,
    Meta,
    MindInput,
    Name,
    StepName,
    Target,
    TypeName,
)
from thoughtbox.domains.mind.paging import Page
from thoughtbox.operations import Output, Text

Card = Annotated[
    str | dict[str, Any],
    Field(description="{type?, title?, text?, id?, status?, tags?, meta?}, or `key: value` lines, or plain text."),
]
Ids = Name | Annotated[list[Name], Field(max_length=200)]
CardId = Annotated[Name, Field(description="Id of the card.")]
CardIds = Annotated[Ids, Field(description="Ids of the cards.")]
Status = Annotated[TypeName, Field(description="Any word, such as open, accepted, rejected, closed.")]
Message = Annotated[Content | None, Field(description="Why, in a line: kept in the card's meta.")]
Ref = Annotated[Name | None, Field(description="Branch to work on; the one checked out when left out.")]
TraceDoc = Annotated[Name | None, Field(description="Trace document on that branch.")]
GraphDoc = Annotated[Name | None, Field(description="Graph document on that branch.")]


class Placed(MindInput):
    """Where cards are written."""

    target: Target = None
    branch: BranchName = None
    trace_doc: TraceDoc = None
    graph_doc: GraphDoc = None


class WriteCard(Placed):
    card: Card
    supports: Annotated[Ids | None, Field(description="Ids of cards that it supports.")] = None
    blocks: Annotated[Ids | None, Field(description="Ids of cards that it speaks against.")] = None
    step: StepName = None
    agent_id: AgentId = None


class Applied(Output):
    nodes_upserted: int
    edges_upserted: int


class CardWritten(Output):
    branch: str
    trace_doc: str
    graph_doc: str
    card_id: str
    inserted: bool
    trace_seq: int
    trace_ref: str
    graph_applied: Applied
    last_seq: int
    graph_ref: str


Stage = Annotated[str | dict[str, Any] | None, Field(description="Its text, or a card.")]


class Pipeline(Placed):
    notes_doc: DocName = None
    frame: Stage = None
    hypothesis: Stage = None
    test: Stage = None
    evidence: Stage = None
    decision: Stage = None
    status: Annotated[dict[str, Status] | None, Field(description="Status by stage; open where none is given.")] = None
    step: StepName = None
    note_decision: Annotated[bool, Field(description="Sum the decision up in the notes.")] = True
    note_title: Annotated[Content | None, Field(description="Title of that note.")] = None
    note_format: Annotated[Content | None, Field(description="Format of that note, such as text.")] = None
    agent_id: AgentId = None


class StageWritten(Output):
    stage: str
    card_id: str
    inserted: bool
    edges_upserted: int
    last_seq: int
    trace_ref: str
    graph_ref: str


class DecisionNote(Output):
    card_id: str
    doc: str
    seq: int


class PipelineWritten(Output):
    sparse = True

    branch: str
    trace_doc: str
    graph_doc: str
    notes_doc: str | None = None
    cards: list[StageWritten]
    decision_note: DecisionNote | None = None


class Template(BoundedInput):
    type: Annotated[Text, Field(max_length=128, description="Type of card.")]


class TemplateShown(Output):
    type: str
    supported_types: list[str]
    template: dict[str, Any]
    guidance: dict[str, str]
    truncated: bool = False


class Playbook(BoundedInput):
    name: Annotated[Text, Field(max_length=256, description="Name of the playbook.")]


class PlaybookShown(Output):
    workspace: str
    name: str
    template: dict[str, Any]
    truncated: bool = False


class InGraph(MindInput):
    """Which graph is meant."""

    target: Target = None
    ref: Ref = None
    graph_doc: GraphDoc = None


class Link(InGraph):
    source: Annotated[Name, Field(alias="from", description="Id of the node that it leads from.")]
    rel: Annotated[TypeName, Field(description="What the one is to the other, such as supports.")]
    to: Annotated[Name, Field(description="Id of the node that it leads to.")]
    message: Annotated[Content | None, Field(description="Why, in a line: kept in the edge's meta.")] = None
    meta: Meta = None
    agent_id: AgentId = None


class Linked(Output):
    branch: str
    graph_doc: str
    edge: dict[str, Any]
    changed: bool
    last_seq: int
    graph_ref: str


class SetStatus(InGraph):
    targets: CardIds
    status: Status
    message: Message = None
    meta: Meta = None
    agent_id: AgentId = None


class Pin(InGraph):
    targets: CardIds
    pinned: Annotated[bool, Field(description="false takes the pin away.")] = True
    agent_id: AgentId = None


class CardState(Output):
    """What a card is after a call that may have changed it."""

    card_id: str
    status: str | None
    pinned: bool
    changed: bool
    last_seq: int
    graph_ref: str


class CardsChanged(Output):
    branch: str
    graph_doc: str
    cards: list[CardState]
    changed: int


class ListPins(BoundedInput):
    target: Target = None
    ref: Ref = None
    graph_doc: GraphDoc = None
    cursor: Cursor = None
    limit: Annotated[int, Field(ge=0, description="Cards in one answer: 1 to 200.")] = 50
    agent_id: AgentId = None
    as_of: AsOf = None


class Pins(Output):
    branch: str
    graph_doc: str
    pins: list[dict[str, Any]]
    pagination: Page
    truncated: bool = False


class Lint(BoundedInput):
    target: Target = None
    ref: Ref = None
    graph_doc: GraphDoc = None
    max_errors: Annotated[int, Field(ge=0, description="Errors in one answer: 1 to 500.")] = 50
    as_of: AsOf = None


class Linted(Output):
    branch: str
    graph_doc: str
    ok: bool
    stats: dict[str, int]
    errors: list[dict[str, Any]]
    truncated: bool = False


class Publish(InGraph):
    trace_doc: TraceDoc = None
    card_id: CardId
    pin: Annotated[bool, Field(description="Pin the published copy.")] = True
    agent_id: AgentId = None


class Published(Output):
    branch: str
    trace_doc: str
    graph_doc: str
    card_id: str
    published_id: str
    inserted: bool
    updated: bool
    trace_seq: int
    trace_ref: str
    last_seq: int
    graph_ref: str


class NominalMerge(InGraph):
    ids: Annotated[Ids | None, Field(description="Ids of the cards to compare; the newest when left out.")] = None
    limit: Annotated[int, Field(ge=1, le=200, description="So many of the newest cards are compared.")] = 50
    limit_groups: Annotated[int, Field(ge=1, le=50, description="Groups that are merged in one call.")] = 10
    dry_run: Annotated[bool, Field(description="Say what would be merged, and write nothing.")] = False
    agent_id: AgentId = None


class Group(Output):
    canonical: str
    duplicates: list[str]


class Merged(Output):
    branch: str
    graph_doc: str
    compared: int
    groups: list[Group]
    merged: int
    has_more: bool
    dry_run: bool


class OpenSubgoal(InGraph):
    question_id: Annotated[Name, Field(description="Id of the question that it serves.")]
    message: Annotated[Text | None, Field(description="The question of the subgoal.")] = None
    meta: Meta = None
    child_trace_doc: Annotated[Name | None, Field(description="Trace of the subgoal; one of its own by default.")] = (
        None
    )
    child_graph_doc: Annotated[Name | None, Field(description="Graph of the subgoal; one of its own by default.")] = (
        None
    )
    agent_id: AgentId = None


class SubgoalOpened(Output):
    branch: str
    graph_doc: str
    question_id: str
    card_id: str
    child_trace_doc: str
    child_graph_doc: str
    trace_seq: int
    trace_ref: str
    last_seq: int
    graph_ref: str


class CloseSubgoal(InGraph):
    trace_doc: TraceDoc = None
    card_id: Annotated[Name, Field(description="Id of the subgoal's card.")]
    return_card: Annotated[str | dict[str, Any] | None, Field(description="What came of it: a card, or its text.")] = (
        None
    )
    message: Message = None
    meta: Meta = None
    agent_id: AgentId = None


class Returned(Output):
    card_id: str
    trace_seq: int
    trace_ref: str
    last_seq: int
    graph_ref: str


class SubgoalClosed(Output):
    sparse = True

    branch: str
    graph_doc: str
    card_id: str
    status: str
    changed: bool
    returned: Returned | None = None
    last_seq: int
    graph_ref: str
