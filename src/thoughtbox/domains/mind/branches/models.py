"""What goes in and what comes out of branches."""

from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field

from thoughtbox.domains.mind.arguments import (
    AgentId,
    AsOf,
    BoundedInput,
    Content,
    Cursor,
    DocName,
    Meta,
    MindInput,
    Name,
    Seq,
)
from thoughtbox.domains.mind.documents.models import Format, Limit, Title
from thoughtbox.domains.mind.paging import Page
from thoughtbox.operations import Output, Text

FromBranch = Annotated[
    Name | None, Field(alias="from", description="Branch to begin from; the one checked out when left out.")
]
NotesDoc = Annotated[Name, Field(description="Document on both branches.")]


class CreateBranch(MindInput):
    name: Annotated[Name, Field(description="What to call it.")]
    source: FromBranch = None


class ListBranches(BoundedInput):
    limit: Annotated[int, Field(ge=0, description="Branches in one answer: 1 to 500.")] = 50
    cursor: Annotated[str | None, Field(description="Name of the last branch that was shown.")] = None
    as_of: AsOf = None


class Checkout(MindInput):
    ref: Annotated[Name, Field(description="Branch to work on from now on.")]


class RenameBranch(MindInput):
    old: Annotated[Name, Field(description="What it is called.")]
    new: Annotated[Name, Field(description="What to call it.")]


class DeleteBranch(MindInput):
    name: Annotated[Name, Field(description="Branch to delete.")]


class NoteOnBranch(MindInput):
    name: Annotated[Name | None, Field(description="Branch to switch to; it is made when it is not there.")] = None
    source: Annotated[
        Name | None,
        Field(alias="from", description="Branch that a new one begins from; without name, the one to switch to."),
    ] = None
    doc: DocName = None
    content: Annotated[Text | None, Field(description="The note; or send template.")] = None
    template: Annotated[str | None, Field(description="Headings to fill in: initiative or decision.")] = None
    goal: Annotated[Content | None, Field(description="With template: what it is for.")] = None
    format: Format = None
    title: Title = None
    meta: Meta = None
    agent_id: AgentId = None


class Diff(BoundedInput):
    source: Annotated[Name, Field(alias="from", description="Branch to compare with.")]
    to: Annotated[Name, Field(description="Branch whose further entries are shown.")]
    doc: NotesDoc = "notes"
    cursor: Cursor = None
    limit: Limit = 20
    as_of: AsOf = None


class Merge(MindInput):
    source: Annotated[Name, Field(alias="from", description="Branch whose notes are copied.")]
    into: Annotated[Name | None, Field(description="Branch that gets them.")] = None
    merge_to_base: Annotated[bool, Field(description="Into the branch that it was made from.")] = False
    doc: NotesDoc = "notes"
    cursor: Annotated[Seq | None, Field(ge=0, description="next_cursor of the call before: it goes on there.")] = None
    limit: Annotated[int, Field(ge=0, description="Entries looked at in one call: 1 to 200.")] = 200
    dry_run: Annotated[bool, Field(description="Only tell what would be merged.")] = False


class _FromTo(Output):
    """An answer with a `from` in it."""

    model_config = ConfigDict(validate_by_name=True, validate_by_alias=True)

    source: Annotated[str, Field(alias="from")]


class Made(Output):
    name: str
    base_branch: str
    base_seq: int


class BranchCreated(Output):
    workspace: str
    branch: Made


class BranchesListed(Output):
    sparse = True

    workspace: str
    branches: list[dict[str, Any]]
    truncated: bool = False
    next_cursor: str | None = None


class Switched(Output):
    previous: str
    current: str


class CheckedOut(Output):
    workspace: str
    previous: str
    current: str


class Renamed(Output):
    workspace: str
    previous: str
    current: str


class BranchDeleted(Output):
    workspace: str
    name: str
    deleted: Literal[True] = True


class OnBranch(Output):
    sparse = True

    name: str
    created: bool
    base_branch: str | None = None
    base_seq: int | None = None


class BranchNoted(Output):
    workspace: str
    branch: OnBranch
    checkout: Switched
    note: dict[str, Any]


class Differing(_FromTo):
    to: str
    doc: str
    entries: list[dict[str, Any]]
    pagination: Page
    truncated: bool = False


class Merged(_FromTo):
    into: str
    doc: str
    merged: int
    skipped: int
    pagination: Page
