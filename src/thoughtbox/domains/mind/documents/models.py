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
from thoughtbox.operations import Output, Text

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


class Page(Output):
    cursor: int | None
    next_cursor: int | None = None
    has_more: bool
    limit: int
    count: int


class Shown(Output):
    sparse = True

    branch: str
    doc: str
    entries: list[dict[str, Any]]
    sequential: dict[str, Any] | None = None
    pagination: Page
    truncated: bool = False
