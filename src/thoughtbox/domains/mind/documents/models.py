"""What goes in and what comes out of documents."""

from typing import Annotated, Any, Literal

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
    Target,
)
from thoughtbox.operations import Key, Output, Text

Title = Annotated[Content | None, Field(description="What it is about, in a line.")]
Format = Annotated[Content | None, Field(description="What the content is written in, such as text or markdown.")]
Limit = Annotated[int, Field(ge=0, description="Entries in one answer: 1 to 200.")]


class CommitNote(MindInput):
    target: Target = None
    branch: BranchName = None
    doc: DocName = None
    content: Annotated[Text, Field(description="The note.")]
    title: Title = None
    format: Format = None
    meta: Meta = None
    agent_id: AgentId = None


class NoteCommitted(Output):
    entry: dict[str, Any]


class Show(BoundedInput):
    target: Target = None
    doc_kind: Annotated[Literal["notes", "trace"], Field(description="Which document, when doc does not name it.")] = (
        "trace"
    )
    branch: BranchName = None
    doc: DocName = None
    cursor: Cursor = None
    limit: Limit = 20
    as_of: AsOf = None


class Open(BoundedInput):
    id: Annotated[
        Key,
        Field(
            description="CARD-… or a card's own, <doc>@<seq>, a:<slug>, PLAN-…, TASK-…, STEP-…, evt_…, CONFLICT-…, "
            "JOB-…, JOB-…@<seq>, runner:<id>."
        ),
    ]
    limit: Annotated[int, Field(ge=1, le=50, description="Cards or events shown with it: 1 to 50.")] = 20
    include_drafts: Annotated[bool, Field(description="Show drafts, too; of a job, its prompt.")] = False
    all_lanes: Annotated[bool, Field(description="The same, under its old name.")] = False
    as_of: AsOf = None


class ListDocs(BoundedInput):
    ref: BranchName = None
    limit: Annotated[int, Field(ge=0, description="Documents in one answer: 1 to 200.")] = 50
    cursor: Annotated[str | None, Field(description="Name of the last document that was shown.")] = None
    as_of: AsOf = None


class DocsListed(Output):
    sparse = True

    branch: str
    docs: list[dict[str, Any]]
    truncated: bool = False
    next_cursor: str | None = None


class Opened(Output):
    """One of several kinds: a card, an entry, an anchor, a plan, task or step, a conflict, a runner, a job."""

    sparse = True

    kind: Literal["card", "doc_entry", "anchor", "runner", "task", "plan", "step", "conflict", "job", "job_event"]
    id: str | None = None
    ref: str | None = None
    summary: Annotated[str | None, Field(description="What it is about, in a line.")] = None
    head: dict[str, Any] | None = None
    card: dict[str, Any] | None = None
    edges: dict[str, list[str]] | None = None
    entry: dict[str, Any] | None = None
    anchor: dict[str, Any] | None = None
    stats: dict[str, Any] | None = None
    cards: list[dict[str, Any]] | None = None
    count: int | None = None
    status: str | None = None
    lease: dict[str, Any] | None = None
    meta: dict[str, Any] | None = None
    target: dict[str, Any] | None = None
    reasoning_ref: dict[str, Any] | None = None
    capsule: dict[str, Any] | None = None
    step: dict[str, Any] | None = None
    step_focus: dict[str, Any] | None = None
    conflict: dict[str, Any] | None = None
    degradation: dict[str, Any] | None = None
    job: dict[str, Any] | None = None
    prompt: str | None = None
    event: dict[str, Any] | None = None
    events: list[dict[str, Any]] | None = None
    context: dict[str, Any] | None = None
    has_more_events: bool | None = None
    truncated: bool = False


class Export(BoundedInput):
    target: Target = None
    notes_limit: Annotated[int, Field(ge=0, description="Notes shown; 0 for none.")] = 20
    trace_limit: Annotated[int, Field(ge=0, description="Entries of the trace shown; 0 for none.")] = 50


class Exported(Output):
    target: dict[str, Any]
    reasoning_ref: dict[str, str]
    notes: dict[str, Any]
    trace: dict[str, Any]
    truncated: bool = False
