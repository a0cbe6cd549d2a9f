"""What the Observatory answers over HTTP where no operation does: records, their places, and what leads to them."""

from typing import Annotated, Any, ClassVar, Literal, NotRequired

from pydantic import ConfigDict, Field, SkipValidation
from typing_extensions import TypedDict  # the one of the standard library is no good to pydantic before Python 3.12

from thoughtbox.domains.notebooks.cell import CellType, Language, Outcome, Status
from thoughtbox.domains.thoughts.answers import RelationShown
from thoughtbox.domains.thoughts.watched.models import WatchedSession
from thoughtbox.ledger.record import Kind
from thoughtbox.operations import CamelOutput


class Health(CamelOutput):
    """That it is there; the rest is for those who may look."""

    sparse: ClassVar[bool] = True

    status: Literal["ok"]
    version: str
    workspace: Annotated[str | None, Field(description="The one that is shown when none is named.")] = None
    connections: Annotated[int | None, Field(description="Watchers over WebSocket.")] = None
    max_connections: int | None = None
    read_only: Annotated[
        bool | None, Field(description="Whether nothing can come in: an export, or a file nobody may write.")
    ] = None


class WorkspaceShown(CamelOutput):
    workspace: str
    records: int
    streams: int


class Workspaces(CamelOutput):
    workspaces: list[WorkspaceShown]
    default: str


class Body(TypedDict):
    text: str
    cipher: NotRequired[str]
    labels: NotRequired[list[str]]
    metrics: NotRequired[dict[str, float]]


class Provenance(TypedDict):
    surface: NotRequired[str]
    operation: NotRequired[str]
    transport: NotRequired[str]
    model: NotRequired[str]
    via: NotRequired[list[str]]


class Attrs(TypedDict):
    """What a record of its kind has; all that a model may write can have relations."""

    __pydantic_config__ = ConfigDict(extra="allow")  # ty: ignore[invalid-typed-dict-statement] - pydantic reads it there

    relations: NotRequired[list[RelationShown]]


class Data(TypedDict):
    """What a room keeps of a record; its topic says which views follow it."""

    __pydantic_config__ = ConfigDict(extra="allow")  # ty: ignore[invalid-typed-dict-statement] - pydantic reads it there

    topic: str


class Envelope(TypedDict):
    """A record as it is stored. `attrs` are those of its kind, `data` those of its room and topic."""

    id: str
    kind: Kind
    ts: str
    session: str
    branch: str
    agent: str
    refs: list[str]
    body: Body
    source: Provenance
    attrs: Attrs
    data: Data
    confidence: NotRequired[float]


class RecordShown(CamelOutput):
    seq: int
    id: str
    stream: str
    stream_index: int
    room: str
    kind: Kind
    content_hash: str
    hash: str
    record: Annotated[Envelope, SkipValidation, Field(description="The record as stored.")]


class Records(CamelOutput):
    records: list[RecordShown]
    next_cursor: Annotated[str | None, Field(description="There may be more behind it, also where a page is empty.")]
    seq: int


class Neighbour(CamelOutput):
    """A record beside another one, in brief."""

    id: str
    seq: int
    kind: Annotated[Kind | None, Field(description="null: it was tampered with, and cannot be opened.")]
    text: str
    stream: str
    relation: Annotated[str | None, Field(description="What it is to the other, where it refers to that.")]


class Neighbours(CamelOutput):
    previous: Annotated[Neighbour | None, Field(description="Before it in its stream.")]
    next: Annotated[Neighbour | None, Field(description="Behind it in its stream.")]
    before: Annotated[Neighbour | None, Field(description="Before it in the workspace.")]
    after: Annotated[Neighbour | None, Field(description="Behind it in the workspace.")]


class ProofShown(CamelOutput):
    """How the record leads to the root of the tree (RFC 6962)."""

    index: int
    size: int
    root: str
    path: list[str]
    checkpoint: str | None


class RecordRead(RecordShown):
    previous_hash: str
    proof: ProofShown
    neighbours: Neighbours
    referred_to_by: list[Neighbour]
    session: Annotated[WatchedSession | None, Field(description="The session of thoughts that it belongs to.")]


class HitShown(CamelOutput):
    id: str
    seq: int
    room: str
    kind: Kind
    stream: str
    session: str
    title: Annotated[str | None, Field(description="Of its session, where that has one.")]
    snippet: Annotated[str, Field(description="Words around the match, which stands between « and ».")]
    ts: str


class Found(CamelOutput):
    q: str
    hits: list[HitShown]
    next_cursor: str | None
    note: Annotated[str | None, Field(description="What to know of the answer: that there was nothing to look for.")]


class LaneShown(CamelOutput):
    stream: str
    branch: str
    room: str
    session: str


class Graph(CamelOutput):
    """Many records, in columns of equal length: where each stands, and what it goes on from."""

    seq: Annotated[int, Field(description="The newest record of the workspace.")]
    total: Annotated[int, Field(description="Records that there are in all in what was asked for.")]
    lanes: Annotated[list[LaneShown], Field(description="What `lane` counts through: streams and their branches.")]
    seqs: list[int]
    lane: list[int]
    kind: Annotated[list[int], Field(description="Places in the list of kinds.")]
    parent: Annotated[list[int], Field(description="The record before it on its lane, or its fork point; 0: none.")]
    times: Annotated[list[int], Field(description="Milliseconds since 1970.")]
    numbers: Annotated[list[int], Field(description="Of a thought its number; otherwise its place in its stream.")]
    flags: Annotated[
        list[int],
        Field(description="Sums: 1 revises another, 2 first of a branch, 4 leads to an action, 8 ends a session."),
    ]
    links: Annotated[
        list[tuple[int, int, str]], Field(description="Relations: the record that has it, the other one, its type.")
    ]
    next_cursor: str | None


class CheckpointShown(CamelOutput):
    size: int
    root: str
    seq: int


class Chain(CamelOutput):
    """Records as their bytes stand in the store, unchecked: whoever reads them computes the hashes anew."""

    workspace: str
    seq: Annotated[int, Field(description="The number of the newest record, as the store says.")]
    rows: Annotated[
        list[tuple[int, str, int, str, str]],
        Field(description="Number, stream, place in the stream, content, hash."),
    ]
    checkpoints: Annotated[list[CheckpointShown], Field(description="Signed tree heads that stand on this page.")]
    next_cursor: str | None


class StreamShown(CamelOutput):
    stream: str
    room: str
    records: int
    first_seq: int
    last_seq: int


class Streams(CamelOutput):
    streams: list[StreamShown]
    next_cursor: str | None


class ActionShown(CamelOutput):
    action_id: str
    thoughts: Annotated[int, Field(description="Thoughts that name it.")]
    seq: Annotated[int, Field(description="The last of them.")]
    ts: str


class Actions(CamelOutput):
    actions: list[ActionShown]
    next_cursor: str | None


class FormShown(CamelOutput):
    """One form of something that a run has shown. All of it stands at /api/outputs, under its hash."""

    sparse: ClassVar[bool] = True

    mime: str
    sha256: str
    size: Annotated[int | None, Field(description="Bytes, where it did not take reading it to know.")] = None
    text: Annotated[str | None, Field(description="Of a text: what it says, perhaps not all of it.")] = None
    cut: Annotated[bool | None, Field(description="Whether `text` is not all.")] = None


class PieceShown(CamelOutput):
    """Something that a run has shown, in the forms that it has."""

    kind: Literal["stream", "display", "result", "error"]
    name: Annotated[str, Field(description="Of a stream stdout or stderr, of an error its name.")]
    forms: list[FormShown]


class RunWatched(CamelOutput):
    """A run of a cell: what it has come to, or how far it is."""

    sparse: ClassVar[bool] = True

    run_id: str
    notebook_id: str
    cell_id: str
    begun_at: str
    agent: str
    tail: Annotated[str | None, Field(description="While it goes on: the end of what it has printed.")] = None
    ended_id: Annotated[str | None, Field(description="The record of its end; left out while it goes on.")] = None
    hash: Annotated[str | None, Field(description="Of that record: what citations name.")] = None
    outcome: Outcome | None = None
    exit_code: int | None = None
    duration_ms: int | None = None
    truncated: Annotated[bool | None, Field(description="Whether it has shown more than is kept.")] = None
    error: str | None = None
    note: str | None = None
    pieces: list[PieceShown]
    more_pieces: Annotated[int | None, Field(description="So many behind these are left out.")] = None


class CellWatched(CamelOutput):
    """A cell, and its last run with the text that it has."""

    sparse: ClassVar[bool] = True

    id: str
    type: CellType
    text: str
    record_id: Annotated[str, Field(description="The record that holds its text.")]
    changed_at: str
    changed_by: str
    language: Language | None = None
    filename: str | None = None
    status: Annotated[Status | None, Field(description="Of a code cell.")] = None
    run: RunWatched | None = None
    brought: Annotated[
        list[PieceShown] | None,
        Field(description="What the file that it came from had shown below it, until it is run or changed here."),
    ] = None


class NotebookWatched(CamelOutput):
    """A notebook with its cells, in order."""

    id: str
    name: str
    language: Language
    trusted: bool
    created_at: int
    updated_at: int
    count: Annotated[int, Field(description="Cells that there are in all.")]
    cells: list[CellWatched]
    next_cursor: str | None
    seq: Annotated[int, Field(description="The newest record of the workspace.")]


class ErrorShown(CamelOutput):
    """ErrorPayload, as every door shows it."""

    code: str
    message: str
    recovery: str | None = None
    details: dict[str, Any] | None = None
