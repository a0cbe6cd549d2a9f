"""What goes in and what comes out of the version control of notes."""

from typing import Annotated, Any

from pydantic import Field

from thoughtbox.domains.mind.arguments import AsOf, BoundedInput, Content, Cursor, Meta, MindInput, Name
from thoughtbox.domains.mind.documents.models import Limit
from thoughtbox.domains.mind.paging import Page
from thoughtbox.operations import Output, Text

Doc = Annotated[Name, Field(description="Document it is about.")]
Ref = Annotated[int, Field(ge=1, le=2**53)] | Name


class Commit(MindInput):
    artifact: Annotated[Text, Field(description="What is kept: the text of the note.")]
    message: Annotated[Text, Field(description="What it is, in a line.")]
    docs: Annotated[
        Name | Annotated[list[Name], Field(min_length=1, max_length=50)],
        Field(description="Document it goes to, or several."),
    ] = "notes"
    meta: Meta = None


class Log(BoundedInput):
    ref: Annotated[Ref | None, Field(description="Branch, tag or entry; the branch checked out when left out.")] = None
    doc: Annotated[Name | None, Field(description="Document it is about: notes, or that of the tag.")] = None
    cursor: Cursor = None
    limit: Limit = 20
    as_of: AsOf = None


class Reset(MindInput):
    ref: Annotated[Ref, Field(description="Where to: seq of an entry, a tag, or a branch.")]
    doc: Doc = "notes"


class Reflog(BoundedInput):
    ref: Annotated[Name | None, Field(description="Branch; the one checked out when left out.")] = None
    doc: Doc = "notes"
    cursor: Cursor = None
    limit: Annotated[int, Field(ge=0, description="Moves in one answer: 1 to 200.")] = 50


class CreateTag(MindInput):
    name: Annotated[Name, Field(description="What to call it.")]
    source: Annotated[
        Ref | None,
        Field(alias="from", description="Seq of an entry, a tag or a branch; the newest commit when left out."),
    ] = None
    doc: Annotated[Name | None, Field(description="Document it is about: notes, or that of the tag in from.")] = None
    force: Annotated[bool, Field(description="Move a tag of that name.")] = False


class ListTags(BoundedInput):
    limit: Annotated[int, Field(ge=0, description="Tags in one answer: 1 to 500.")] = 50
    cursor: Annotated[str | None, Field(description="Name of the last tag that was shown.")] = None
    as_of: AsOf = None


class DeleteTag(MindInput):
    name: Annotated[Content, Field(description="Tag to delete.")]


class Committed(Output):
    commits: list[dict[str, Any]]


class Logged(Output):
    branch: str
    doc: str
    head_seq: int | None
    commits: list[dict[str, Any]]
    pagination: Page
    truncated: bool = False


class WasReset(Output):
    branch: str
    doc: str
    old_seq: int | None
    new_seq: int


class Moves(Output):
    branch: str
    doc: str
    entries: list[dict[str, Any]]
    pagination: Page
    truncated: bool = False


class TagCreated(Output):
    tag: dict[str, Any]


class TagsListed(Output):
    sparse = True

    tags: list[dict[str, Any]]
    truncated: bool = False
    next_cursor: str | None = None


class TagDeleted(Output):
    name: str
    deleted: bool
