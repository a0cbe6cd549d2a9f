"""What goes in and what comes out of anchors."""

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field

from thoughtbox.domains.mind.anchors.anchor import (
    LONGEST_DESCRIPTION,
    LONGEST_REF,
    LONGEST_TITLE,
    MOST_LISTED,
)
from thoughtbox.domains.mind.anchors.ids import AnchorId, AnchorName
from thoughtbox.domains.mind.arguments import (
    AgentId,
    BoundedInput,
    BranchName,
    Content,
    Drafts,
    Meta,
    MindInput,
    Name,
    StepName,
    Target,
)
from thoughtbox.operations import Output, Text

Kind = Literal["boundary", "component", "contract", "data", "test-surface", "ops"]
MOST_ANCHORS = 200
MOST_CARDS = 50


def _line(text: str) -> str:
    if any(ord(character) < 32 or ord(character) == 127 for character in text) or text != text.strip() or not text:
        raise ValueError("it is one line, without white space around it")
    return text


Line = Annotated[str, AfterValidator(_line)]
Ids = Annotated[list[AnchorName], Field(max_length=MOST_LISTED)]


class ListAnchors(BoundedInput):
    text: Annotated[Text | None, Field(max_length=256, description="Only those with this in their id or title.")] = None
    kind: Annotated[Kind | None, Field(description="Only those of this kind.")] = None
    status: Annotated[Text | None, Field(max_length=256, description="Only those of this status.")] = None
    cursor: Annotated[AnchorName | None, Field(description="next_cursor of the page before.")] = None
    limit: Annotated[int, Field(ge=0, description="Anchors in one answer: 1 to 200.")] = 50


class AnchorsListed(Output):
    sparse = True

    anchors: list[dict[str, Any]]
    count: int
    has_more: bool
    next_cursor: str | None = None
    truncated: bool = False


class Snapshot(BoundedInput):
    anchor: AnchorId
    limit: Annotated[int, Field(ge=0, description="Cards in one answer: 1 to 50.")] = 20
    tasks_limit: Annotated[int, Field(ge=0, description="Tasks in one answer: 0 to 50.")] = 10
    include_drafts: Drafts = False
    all_lanes: Annotated[bool, Field(description="The same as include_drafts.")] = False


class LinkStats(Output):
    links_count: int
    links_has_more: bool


class AnchorShown(Output):
    anchor: dict[str, Any]
    stats: LinkStats
    cards: list[dict[str, Any]]
    count: int
    has_more: bool
    tasks: list[dict[str, Any]]
    tasks_has_more: bool
    truncated: bool = False


class Export(BoundedInput):
    format: Annotated[Literal["mermaid", "text"], Field(description="A mermaid flowchart, or one line per anchor.")] = (
        "mermaid"
    )
    limit: Annotated[int, Field(ge=0, description="Anchors in the export: 1 to 200.")] = MOST_ANCHORS


class Exported(Output):
    format: str
    text: str
    count: int
    has_more: bool
    truncated: bool = False


class AnchorNote(MindInput):
    anchor: AnchorId
    content: Annotated[Text, Field(description="What is known about it.")]
    title: Annotated[
        Line | None, Field(max_length=LONGEST_TITLE, description="Title of the anchor; needed for a new one.")
    ] = None
    kind: Annotated[Kind | None, Field(description="What it is; needed for a new one.")] = None
    status: Annotated[Line | None, Field(max_length=256, description="Status of the anchor, such as active.")] = None
    description: Annotated[
        Text | None, Field(max_length=LONGEST_DESCRIPTION, description="What the anchor stands for.")
    ] = None
    refs: Annotated[
        Annotated[list[Annotated[Line, Field(max_length=LONGEST_REF)]], Field(max_length=MOST_LISTED)] | None,
        Field(description="Where it is found: paths, addresses. They replace those it has."),
    ] = None
    aliases: Annotated[Ids | None, Field(description="Other ids for it, added to those it has.")] = None
    parent_id: Annotated[
        AnchorName | Literal[""] | None, Field(description='Anchor that contains it; "" for none.')
    ] = None
    depends_on: Annotated[Ids | None, Field(description="Anchors that it needs. They replace those it has.")] = None
    card_type: Annotated[Name, Field(description="Type of the card that is written.")] = "note"
    card_id: Annotated[Name | None, Field(description="Id of the card; one is made when left out.")] = None
    note_title: Annotated[Content | None, Field(description="Title of the card.")] = None
    visibility: Annotated[
        Literal["canon", "draft"] | None,
        Field(description="canon for a decision, evidence or test, otherwise draft, when left out."),
    ] = None
    pin: Annotated[bool, Field(description="Pin the card.")] = False
    meta: Meta = None
    target: Target = None
    step: StepName = None
    branch: BranchName = None
    agent_id: AgentId = None


class NoteWritten(Output):
    card_id: str
    type: str
    visibility: str
    inserted: bool
    branch: str
    trace_doc: str
    graph_doc: str
    trace_ref: str
    graph_ref: str


class AnchorNoted(Output):
    anchor: dict[str, Any]
    created: bool
    updated: bool
    note: NoteWritten


class Lint(BoundedInput):
    limit: Annotated[int, Field(ge=0, description="Findings in one answer: 1 to 200.")] = 50


class Linted(Output):
    ok: bool
    anchors: int
    issues: list[dict[str, Any]]
    count: int
    has_more: bool
    truncated: bool = False


class Rename(MindInput):
    source: Annotated[AnchorName, Field(alias="from", description="Anchor to rename.")]
    to: Annotated[AnchorName, Field(description="What it is to be called.")]


class Merge(MindInput):
    source: Annotated[AnchorName, Field(alias="from", description="Anchor that becomes a part of the other.")]
    into: Annotated[AnchorName, Field(description="Anchor that it becomes a part of.")]


class Moved(Output):
    anchor: dict[str, Any]
    alias: str
    changed: bool
