"""The verbs of the graph."""

from __future__ import annotations

from thoughtbox.domains.mind.arguments import listed
from thoughtbox.domains.mind.envelope import Suggestion, suggest, warn
from thoughtbox.domains.mind.graph.applying import RESERVED, Batch
from thoughtbox.domains.mind.graph.comparing import differing
from thoughtbox.domains.mind.graph.merging import (
    Merge,
    left_dangling,
    ours_of,
    settle,
    summary,
    write_theirs,
)
from thoughtbox.domains.mind.graph.models import (
    ApplyGraph,
    ConflictResolved,
    ConflictShown,
    ConflictsListed,
    DiffGraph,
    GraphApplied,
    GraphDiffed,
    GraphMerged,
    GraphQueried,
    GraphValidated,
    ListConflicts,
    MergeGraph,
    QueryGraph,
    ResolveConflict,
    ShowConflict,
    ValidateGraph,
)
from thoughtbox.domains.mind.graph.querying import Wanted, newest
from thoughtbox.domains.mind.graph.shown import (
    change_shown,
    conflict_shown,
    edge_shown,
    node_shown,
    snapshot,
)
from thoughtbox.domains.mind.graph.validation import EDGE_ENDPOINT_MISSING, validated
from thoughtbox.domains.mind.next_page import same_call, suggest_next
from thoughtbox.domains.mind.paging import clamped, paged, pages_of
from thoughtbox.domains.mind.refusals import choose_one, invalid, suggested, unknown
from thoughtbox.domains.mind.room import IN_FULL, room
from thoughtbox.domains.mind.scope import Scope, branch_named, checked_out, scope_of
from thoughtbox.domains.mind.times import as_of
from thoughtbox.domains.mind.view.documents import Branch, Documents
from thoughtbox.domains.mind.view.graph import Graph, GraphDoc
from thoughtbox.domains.mind.view.merges import Conflict, Merges
from thoughtbox.domains.mind.view.versions import Version, key_of, version_of
from thoughtbox.errors import MergeNotSupported, UnknownId
from thoughtbox.operations import Example, Pages, Tx

MOST_NODES = 200
MOST_EDGES = 1_000
MOST_CHANGES = 200
MOST_MERGED = 1_000
MOST_CONFLICTS = 200
MOST_ERRORS = 500

_APPLY = (
    "graph_apply",
    {
        "ops": [
            {"op": "node_upsert", "id": "H1", "type": "hypothesis", "title": "Reads dominate", "status": "open"},
            {"op": "node_upsert", "id": "E1", "type": "evidence", "title": "Nine of ten requests are reads"},
            {"op": "edge_upsert", "from": "E1", "rel": "supports", "to": "H1"},
        ]
    },
)
_FORK = ("branch_create", {"name": "what-if"})
_THEIRS = (
    "graph_apply",
    {
        "branch": "what-if",
        "ops": [{"op": "node_upsert", "id": "H1", "type": "hypothesis", "title": "Writes dominate", "status": "open"}],
    },
)
_OURS = (
    "graph_apply",
    {"ops": [{"op": "node_upsert", "id": "H1", "type": "hypothesis", "title": "Reads dominate", "status": "done"}]},
)
_MERGE = ("graph_merge", {"from": "what-if", "merge_to_base": True})
_CONFLICT = [_APPLY, _FORK, _THEIRS, _OURS, _MERGE]


def _scope(tx: Tx, call: ApplyGraph | QueryGraph | ValidateGraph) -> Scope:
    if call.target is not None and call.doc is not None:
        raise choose_one("`target` says where to work, and so does `doc`", "target", "doc")
    return scope_of(tx, target=call.target, branch=call.branch, graph=call.doc)


@room.operation(
    "graph_apply",
    writes=True,
    effect="removes",
    title="Change a graph",
    toolsets=IN_FULL,
    errors=[UnknownId],
    example=Example(_APPLY[1]),
)
def graph_apply(tx: Tx, call: ApplyGraph) -> GraphApplied:
    """Put nodes and edges into a graph or take them away, in order: all of it, or nothing."""
    scope = _scope(tx, call)
    batch = Batch(tx, scope.branch, scope.graph, call.ops)
    for index, op in enumerate(call.ops):
        batch.apply(index, op)
    assert batch.last is not None
    last = version_of(batch.last)
    return GraphApplied(
        branch=scope.branch.name,
        doc=scope.graph,
        applied=batch.applied,
        last_seq=last.last_seq,
        last_ts_ms=last.last_ts_ms,
    )


@room.operation(
    "graph_query",
    title="Query a graph",
    toolsets=IN_FULL,
    errors=[UnknownId],
    keep=["pagination"],
    newest_first=frozenset({"nodes", "edges"}),
    pages=pages_of("nodes", "last_seq"),
    example=Example({"types": "hypothesis", "status": "open"}, given=[_APPLY]),
)
def graph_query(tx: Tx, call: QueryGraph) -> GraphQueried:
    """The nodes of a graph that pass every filter, drafts included, the newest first, and the edges between them."""
    tx = as_of(tx, call.as_of)
    scope = _scope(tx, call)
    graph = tx.ask(Graph).of(scope.branch, scope.graph)
    limit = clamped(call.limit, MOST_NODES)
    found = newest(graph, _wanted(call), before=call.cursor, limit=limit + 1)
    nodes, page = paged(found, call.cursor, limit, by="last_seq")
    ids = [node.id for node in nodes]
    edges = graph.edges(sources=ids, targets=ids) if call.include_edges and ids else []
    most = min(max(call.edges_limit, 0), MOST_EDGES)
    suggest_next(tx, "graph_query", call, "See the nodes before these")
    return GraphQueried(
        branch=scope.branch.name,
        doc=scope.graph,
        nodes=[node_shown(node) for node in nodes],
        edges=[edge_shown(edge) for edge in edges[:most]],
        edges_truncated=True if len(edges) > most else None,
        pagination=page,
    )


def _wanted(call: QueryGraph) -> Wanted:
    return Wanted(
        ids=frozenset(listed(call.ids)),
        types=frozenset(listed(call.types)),
        statuses=frozenset(listed(call.status)),
        tags_any=frozenset(tag.strip().lower() for tag in listed(call.tags_any)),
        tags_all=frozenset(tag.strip().lower() for tag in listed(call.tags_all)),
        text=call.text or "",
    )


@room.operation(
    "graph_validate",
    title="Check a graph",
    toolsets=IN_FULL,
    errors=[UnknownId],
    newest_first=frozenset({"errors"}),
    example=Example({}, given=[_APPLY]),
)
def graph_validate(tx: Tx, call: ValidateGraph) -> GraphValidated:
    """Whether every edge of a graph leads from a node to a node, and which do not."""
    scope = _scope(tx, call)
    found = validated(tx.ask(Graph).of(scope.branch, scope.graph), clamped(call.max_errors, MOST_ERRORS))
    mendable = (one.key for one in found.dangling if not one.key[0].startswith(RESERVED))
    if (key := next(mendable, None)) is not None:
        op = {"op": "edge_delete", "from": key[0], "rel": key[1], "to": key[2]}
        where = {"workspace": tx.workspace, "branch": scope.branch.name, "doc": scope.graph}
        suggest(tx, "graph_apply", {**where, "ops": [op]}, "Take the newest such edge away", "low")
    return GraphValidated(
        branch=scope.branch.name,
        doc=scope.graph,
        ok=found.ok,
        stats={"nodes": found.nodes, "edges": found.edges},
        errors=[one.shown() for one in found.dangling],
        truncated=found.truncated,
    )


@room.operation(
    "graph_diff",
    title="Compare graphs of two branches",
    toolsets=IN_FULL,
    errors=[UnknownId],
    keep=["pagination"],
    newest_first=frozenset({"changes"}),
    pages=[Pages("changes", lambda change: change["to"]["last_seq"], "pagination")],
    example=Example({"from": "main", "to": "what-if"}, given=[_APPLY, _FORK, _THEIRS]),
)
def graph_diff(tx: Tx, call: DiffGraph) -> GraphDiffed:
    """The nodes and edges of one branch, deleted ones included, that say another thing than the other branch does."""
    source, to = branch_named(tx, call.source), branch_named(tx, call.to)
    limit = clamped(call.limit, MOST_CHANGES)
    found = differing(tx, source, to, call.doc, before=call.cursor, limit=limit + 1)
    changes, page = paged(found, call.cursor, limit, by="last_seq")
    suggest_next(tx, "graph_diff", call, "See the changes before these")
    return GraphDiffed(
        source=source.name, to=to.name, doc=call.doc, changes=list(map(change_shown, changes)), pagination=page
    )


@room.operation(
    "graph_merge",
    writes=True,
    effect="overwrites",
    title="Merge a graph back",
    toolsets=IN_FULL,
    errors=[UnknownId, MergeNotSupported],
    keep=["pagination", "diff_summary"],
    newest_first=frozenset({"conflicts", "conflict_ids"}),
    example=Example(_MERGE[1], given=[_APPLY, _FORK, _THEIRS]),
)
def graph_merge(tx: Tx, call: MergeGraph) -> GraphMerged:
    """Bring what a branch changed in a graph into the branch it was made from; what both changed is a conflict."""
    source = branch_named(tx, call.source)
    into = _base_of(tx, call, source)
    merge = Merge(tx, source, into, call.doc)
    limit = clamped(call.limit, MOST_MERGED)
    theirs, page = paged(merge.changes(call.cursor, limit + 1), call.cursor, limit, by="last_seq")
    if not theirs and call.cursor is None:
        _warn_of_other_doc(tx, call, source)
    known = tx.ask(Merges).conflicts_about(source, call.doc, map(key_of, theirs))
    outcome = merge.outcome(theirs, known)
    if call.dry_run:
        conflicts, created = merge.previews(outcome, known)
    else:
        noted, created = merge.note(outcome, known)  # first, while the base says what it said
        merge.write(outcome.applied)
        conflicts = [conflict_shown(conflict) for conflict in noted]
        _suggest_after_merge(tx, call, into, conflicts)
        if not page.has_more:
            _warn_of_dangling(tx, into, call.doc, [side.theirs for side in outcome.applied])
    suggest_next(tx, "graph_merge", call, "Merge what was changed before these")
    return GraphMerged(
        source=source.name,
        into=into.name,
        doc=call.doc,
        merged=len(outcome.applied),
        skipped=outcome.skipped,
        conflicts_created=created,
        conflict_ids=[conflict["conflict_id"] for conflict in conflicts],
        conflicts=conflicts,
        diff_summary=summary([*outcome.applied, *outcome.differing]),
        pagination=page,
    )


def _base_of(tx: Tx, call: MergeGraph, source: Branch) -> Branch:
    """The branch to merge into: the one that it was made from, and no other."""
    into = branch_named(tx, call.into) if call.into is not None else None
    base = tx.ask(Documents).branch_of(source.base) if source.base is not None else None
    if base is None:
        raise MergeNotSupported(
            f"`{source.name}` was made from no branch, so that there is none to merge it into",
            recovery="branch_create makes a branch from it, and that one can be merged back.",
            details=suggested([Suggestion("branch_list", {"workspace": tx.workspace}, "See what was made from what")]),
        )
    to_base = Suggestion(
        "graph_merge", same_call(tx, call, into=base.name, merge_to_base=None), f"Merge it into {base.name}", "high"
    )
    if into is None and not call.merge_to_base:
        raise invalid(
            "neither `into` nor `merge_to_base` says where to merge to",
            recovery=f"Send merge_to_base=true: it is merged into {base.name}.",
            field="into",
            suggestions=[to_base],
        )
    if into is not None and into.id != base.id:
        raise MergeNotSupported(
            f"`{source.name}` was made from `{base.name}`, and cannot be merged into `{into.name}`",
            recovery=f"Send into={base.name}, or merge_to_base=true without into.",
            details=suggested([to_base]),
        )
    return base


def _suggest_after_merge(tx: Tx, call: MergeGraph, into: Branch, conflicts: list[dict[str, object]]) -> None:
    if conflicts:
        first = {"workspace": tx.workspace, "conflict_id": conflicts[0]["conflict_id"]}
        suggest(tx, "graph_conflict_show", first, "See what both sides say, and choose", "high")


def _warn_of_other_doc(tx: Tx, call: MergeGraph, source: Branch) -> None:
    """Nothing was written where the call looks: a branch of a task has its cards in the task's own document."""
    doc = tx.ask(Merges).first_written(source)
    if doc is None:
        return
    warn(
        tx,
        "NOTHING_TO_MERGE",
        f"Nothing was written to {call.doc} on {source.name}, but to {doc}.",
        f'Send doc="{doc}" to merge that.',
    )
    again = call.model_dump(by_alias=True, exclude_defaults=True) | {"workspace": tx.workspace, "doc": doc}
    suggest(tx, "graph_merge", again, f"Merge {doc}", "high")


def _warn_of_dangling(tx: Tx, branch: Branch, doc: str, written: list[Version]) -> None:
    graph: GraphDoc = tx.ask(Graph).of(branch, doc)
    if left_dangling(graph, written):
        where = {"workspace": tx.workspace, "branch": branch.name, "doc": doc}
        warn(
            tx,
            EDGE_ENDPOINT_MISSING,
            f"An edge on {branch.name} has lost one of its ends by this.",
            "graph_validate names the edges: put the node back, or take them away.",
        )
        suggest(tx, "graph_validate", where, "See which edges have lost an end", "high")


@room.operation(
    "graph_conflicts",
    title="List merge conflicts",
    toolsets=IN_FULL,
    errors=[UnknownId],
    keep=["pagination"],
    newest_first=frozenset({"conflicts"}),
    pages=pages_of("conflicts", "created_seq"),
    example=Example({"into": "main"}, given=_CONFLICT),
)
def graph_conflicts(tx: Tx, call: ListConflicts) -> ConflictsListed:
    """The conflicts that merges into a branch have found, the newest first."""
    into = branch_named(tx, call.into)
    limit = clamped(call.limit, MOST_CONFLICTS)
    found = tx.ask(Merges).conflicts(into, call.doc, call.status, before=call.cursor, limit=limit + 1)
    conflicts, page = paged(found, call.cursor, limit, by="created_seq")
    suggest_next(tx, "graph_conflicts", call, "See the conflicts before these")
    if conflicts and call.status == "open":
        first = {"workspace": tx.workspace, "conflict_id": conflicts[0].id}
        suggest(tx, "graph_conflict_show", first, "See what both sides say, and choose")
    return ConflictsListed(
        into=into.name, doc=call.doc, conflicts=list(map(conflict_shown, conflicts)), pagination=page
    )


@room.operation(
    "graph_conflict_show",
    title="Look at a merge conflict",
    toolsets=IN_FULL,
    errors=[UnknownId],
    keep=["conflict"],
    example=Example({"conflict_id": "CONFLICT-" + "0" * 32}, given=_CONFLICT, fails_with=UnknownId),
)
def graph_conflict_show(tx: Tx, call: ShowConflict) -> ConflictShown:
    """A conflict with what both sides say, and what they said when they last agreed."""
    conflict, source, into = _conflict(tx, call.conflict_id)
    versions = _versions(tx, conflict)
    is_open = conflict.status == "open"
    ours = ours_of(tx, conflict, into) if is_open else versions.get(conflict.ours)
    if is_open:
        for resolution, reason in (
            ("use_from", f"Take what {source.name} says"),
            ("use_into", f"Keep what {into.name} says"),
        ):
            params = {"workspace": tx.workspace, "conflict_id": conflict.id, "resolution": resolution}
            suggest(tx, "graph_conflict_resolve", params, reason)
    resolved = {"resolved_at_ms": conflict.changed_ms} if conflict.status == "resolved" else {}
    return ConflictShown(
        conflict={
            "conflict_id": conflict.id,
            "kind": conflict.kind,
            "key": conflict.name,
            "from": source.name,
            "into": into.name,
            "doc": conflict.doc,
            "status": conflict.status,
            "base": snapshot(versions.get(conflict.base)),
            "theirs": snapshot(versions[conflict.theirs]),
            "ours": snapshot(ours),
            "created_at_ms": conflict.created_ms,
            **resolved,
        }
    )


@room.operation(
    "graph_conflict_resolve",
    writes=True,
    effect="overwrites",
    title="Resolve a merge conflict",
    toolsets=IN_FULL,
    errors=[UnknownId],
    example=Example(
        {"conflict_id": "CONFLICT-" + "0" * 32, "resolution": "use_from"}, given=_CONFLICT, fails_with=UnknownId
    ),
)
def graph_conflict_resolve(tx: Tx, call: ResolveConflict) -> ConflictResolved:
    """Settle a conflict: write what the merged branch says, or keep what is there."""
    conflict, source, into = _conflict(tx, call.conflict_id)
    if conflict.status != "open":
        raise _not_open(tx, conflict, into)
    takes_theirs = call.resolution == "use_from"
    winner = source.name if takes_theirs else into.name
    text = f"{conflict.kind} {conflict.name} is as {winner} says"
    settle(tx, conflict, into, "resolved", text, resolution=call.resolution)
    if takes_theirs:
        theirs = _versions(tx, conflict)[conflict.theirs]
        write_theirs(tx, into, conflict.doc, theirs, "graph_conflict_resolve")
        _warn_of_dangling(tx, into, conflict.doc, [theirs])
    return ConflictResolved(conflict_id=conflict.id, applied=takes_theirs)


def _conflict(tx: Tx, id: str) -> tuple[Conflict, Branch, Branch]:
    """A conflict, the branch that was merged, and the one that it was merged into."""
    found, documents = tx.ask(Merges).conflict(id), tx.ask(Documents)
    source = documents.branch_of(found.source) if found is not None else None
    into = documents.branch_of(found.target) if found is not None else None
    if found is None or source is None or into is None:
        where = {"workspace": tx.workspace, "into": checked_out(tx).name}
        raise unknown(
            "conflict",
            id,
            recovery="graph_conflicts lists those of a branch.",
            suggestions=[Suggestion("graph_conflicts", where, "See which conflicts are open", "high")],
        )
    return found, source, into


def _not_open(tx: Tx, conflict: Conflict, into: Branch) -> Exception:
    where = {"workspace": tx.workspace, "into": into.name, "doc": conflict.doc}
    how = f"was resolved already: {conflict.resolution}" if conflict.resolution else "was superseded by a later merge"
    return invalid(
        f"`{conflict.id}` {how}",
        recovery="graph_conflicts lists those that are still open.",
        field="conflict_id",
        suggestions=[Suggestion("graph_conflicts", where, "See which conflicts are still open", "high")],
    )


def _versions(tx: Tx, conflict: Conflict) -> dict[int | None, Version]:
    """The versions that a conflict is about, by the numbers of their records."""
    seqs = [seq for seq in (conflict.base, conflict.theirs, conflict.ours) if seq is not None]
    return {record.seq: version_of(record) for record in tx.ledger.records(seqs)}
