"""What goes in and what comes out of the graph."""

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, ConfigDict, Field

from thoughtbox.domains.mind.arguments import (
    AsOf,
    BoundedInput,
    BranchName,
    Content,
    Cursor,
    DocName,
    Meta,
    MindInput,
    Name,
    Target,
    TypeName,
)
from thoughtbox.domains.mind.names import bad_name
from thoughtbox.domains.mind.paging import Page
from thoughtbox.operations import Input, Output

MOST_OPS = 1_000
MOST_TAGS = 100
MOST_WANTED = 1_000


def _normalized(tags: list[str]) -> list[str]:
    found = {tag.strip().lower() for tag in tags}
    for tag in sorted(found):
        if (wrong := bad_name(tag)) is not None:
            raise ValueError(f"tag {tag[:80]!r}: {wrong}")
    return sorted(found)


Tags = Annotated[list[str], Field(max_length=MOST_TAGS), AfterValidator(_normalized)]
"""Trimmed, in lower case, each once and in order."""
From = Annotated[Name, Field(alias="from", description="Id of the node that it leads from.")]
To = Annotated[Name, Field(description="Id of the node that it leads to.")]
Rel = Annotated[TypeName, Field(description="What it says, such as supports.")]
NodeId = Annotated[Name, Field(description="What the node is known by.")]
GraphName = Annotated[Name, Field(description="Graph document on both branches.")]
OneOrSome = str | Annotated[list[str], Field(max_length=MOST_WANTED)] | None


class NodeUpsert(Input):
    """Put a node there, all of it: what is left out, it does not have."""

    op: Literal["node_upsert"]
    id: NodeId
    type: TypeName
    title: Content | None = None
    text: Content | None = None
    status: TypeName | None = None
    tags: Tags | None = None
    meta: Meta = None


class NodeDelete(Input):
    """Take a node away, and every edge that touches it."""

    op: Literal["node_delete"]
    id: NodeId


class EdgeUpsert(Input):
    """Put an edge between two nodes that are there."""

    op: Literal["edge_upsert"]
    source: From
    rel: Rel
    to: To
    meta: Meta = None


class EdgeDelete(Input):
    """Take an edge away."""

    op: Literal["edge_delete"]
    source: From
    rel: Rel
    to: To


Op = Annotated[NodeUpsert | NodeDelete | EdgeUpsert | EdgeDelete, Field(discriminator="op")]


class ApplyGraph(MindInput):
    target: Target = None
    branch: BranchName = None
    doc: DocName = None
    ops: Annotated[
        list[Op],
        Field(min_length=1, max_length=MOST_OPS, description="What to change, in order: all or nothing."),
    ]


class Applied(Output):
    nodes_upserted: int = 0
    nodes_deleted: int = 0
    edges_upserted: int = 0
    edges_deleted: int = 0


class GraphApplied(Output):
    branch: str
    doc: str
    applied: Applied
    last_seq: int
    last_ts_ms: int


class QueryGraph(BoundedInput):
    target: Target = None
    branch: BranchName = None
    doc: DocName = None
    ids: Annotated[OneOrSome, Field(description="Only nodes of these ids.")] = None
    types: Annotated[OneOrSome, Field(description="Only nodes of these types.")] = None
    status: Annotated[OneOrSome, Field(description="Only nodes of this status, or of one of these.")] = None
    tags_any: Annotated[OneOrSome, Field(description="Only nodes with one of these tags.")] = None
    tags_all: Annotated[OneOrSome, Field(description="Only nodes with all of these tags.")] = None
    text: Annotated[Content | None, Field(description="Only nodes whose title or text contains it.")] = None
    cursor: Cursor = None
    limit: Annotated[int, Field(ge=0, description="Nodes in one answer: 1 to 200.")] = 50
    include_edges: Annotated[bool, Field(description="Show the edges between these nodes, too.")] = True
    edges_limit: Annotated[int, Field(ge=0, description="Edges in one answer: 0 to 1000.")] = 200
    as_of: AsOf = None


class GraphQueried(Output):
    sparse = True

    branch: str
    doc: str
    nodes: list[dict[str, Any]]
    edges: list[dict[str, Any]]
    edges_truncated: bool | None = None
    """Whether there are more edges between these nodes."""
    pagination: Page
    truncated: bool = False


class ValidateGraph(BoundedInput):
    target: Target = None
    branch: BranchName = None
    doc: DocName = None
    max_errors: Annotated[int, Field(ge=0, description="Errors in one answer: 1 to 500.")] = 50


class GraphValidated(Output):
    branch: str
    doc: str
    ok: bool
    stats: dict[str, int]
    errors: list[dict[str, Any]]
    truncated: bool = False


class _FromBranch(Output):
    model_config = ConfigDict(validate_by_name=True, validate_by_alias=True)

    source: Annotated[str, Field(alias="from")]


class DiffGraph(BoundedInput):
    source: Annotated[Name, Field(alias="from", description="Branch to compare with.")]
    to: Annotated[Name, Field(description="Branch whose states are shown where they differ.")]
    doc: GraphName = "graph"
    cursor: Cursor = None
    limit: Annotated[int, Field(ge=0, description="Changes in one answer: 1 to 200.")] = 20


class GraphDiffed(_FromBranch):
    to: str
    doc: str
    changes: list[dict[str, Any]]
    pagination: Page
    truncated: bool = False


class MergeGraph(MindInput):
    source: Annotated[Name, Field(alias="from", description="Branch whose changes are merged.")]
    into: Annotated[Name | None, Field(description="The branch that it was made from.")] = None
    merge_to_base: Annotated[bool, Field(description="Merge into the branch that it was made from.")] = False
    doc: GraphName = "graph"
    cursor: Cursor = None
    limit: Annotated[int, Field(ge=0, description="Changed nodes and edges in one call: 1 to 1000.")] = 200
    dry_run: Annotated[bool, Field(description="Only say what would be merged.")] = False


class GraphMerged(_FromBranch):
    into: str
    doc: str
    merged: int
    skipped: int
    conflicts_created: int
    conflict_ids: list[str]
    conflicts: list[dict[str, Any]]
    diff_summary: dict[str, int]
    pagination: Page
    truncated: bool = False


class ListConflicts(BoundedInput):
    into: Annotated[Name, Field(description="Branch that was merged into.")]
    doc: GraphName = "graph"
    status: Annotated[
        Literal["open", "resolved", "superseded"],
        Field(description="superseded: either side changed again, and a later merge saw to it."),
    ] = "open"
    cursor: Cursor = None
    limit: Annotated[int, Field(ge=0, description="Conflicts in one answer: 1 to 200.")] = 50


class ConflictsListed(Output):
    into: str
    doc: str
    conflicts: list[dict[str, Any]]
    pagination: Page
    truncated: bool = False


ConflictId = Annotated[
    str,
    Field(pattern=r"^CONFLICT-[0-9a-f]{32}$", description="Its id, as graph_merge or graph_conflicts gives it."),
]


class ShowConflict(BoundedInput):
    conflict_id: ConflictId


class ConflictShown(Output):
    conflict: dict[str, Any]
    truncated: bool = False


class ResolveConflict(MindInput):
    conflict_id: ConflictId
    resolution: Annotated[
        Literal["use_from", "use_into"],
        Field(description="use_from: write what the merged branch says; use_into: keep what is there."),
    ]


class ConflictResolved(Output):
    conflict_id: str
    status: Literal["resolved"] = "resolved"
    applied: bool
