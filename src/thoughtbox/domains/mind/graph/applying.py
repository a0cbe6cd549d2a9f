"""A batch of changes to a graph, checked against the graph as it stands and as the changes before leave it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from thoughtbox.domains.mind import records
from thoughtbox.domains.mind.graph.models import Applied, EdgeDelete, EdgeUpsert, NodeDelete, NodeUpsert
from thoughtbox.domains.mind.refusals import invalid
from thoughtbox.domains.mind.view.documents import Branch
from thoughtbox.domains.mind.view.graph import Graph
from thoughtbox.domains.mind.view.versions import EdgeKey, edge_state, node_state
from thoughtbox.errors import InvalidInput
from thoughtbox.ledger.record import Record
from thoughtbox.operations import Tx

RESERVED = ("task:", "step:")
"""Ids of nodes that stand for tasks and steps, and change with them alone."""
WHY = "graph_apply"

Op = NodeUpsert | NodeDelete | EdgeUpsert | EdgeDelete


class Batch:
    """Changes to one graph, one after the other; each is a record of its own."""

    def __init__(self, tx: Tx, branch: Branch, doc: str, ops: Sequence[Op]) -> None:
        self.applied = Applied()
        self.last: Record | None = None
        self._tx, self._branch, self._doc = tx, branch, doc
        graph = tx.ask(Graph).of(branch, doc)
        # All that any of them will ask about is read at once.
        self._types = {id: node.type for id, node in graph.nodes(_ids(ops)).items()}
        self._edges = set(graph.edges_of(op_key(op) for op in ops if isinstance(op, EdgeDelete)))
        self._touching: dict[str, set[EdgeKey]] = defaultdict(set)
        leaving = {op.id for op in ops if isinstance(op, NodeDelete)}
        for edge in (*graph.edges(sources=leaving), *graph.edges(targets=leaving)) if leaving else ():
            self._put_edge(edge.key)

    def apply(self, index: int, op: Op) -> None:
        match op:
            case NodeUpsert():
                self._upsert_node(index, op)
            case NodeDelete():
                self._delete_node(index, op)
            case EdgeUpsert():
                self._upsert_edge(index, op)
            case EdgeDelete():
                self._delete_edge(index, op)

    def _upsert_node(self, index: int, op: NodeUpsert) -> None:
        _refuse_reserved(index, "id", op.id)
        state = node_state(
            id=op.id, type=op.type, title=op.title, text=op.text, status=op.status, tags=op.tags or (), meta=op.meta
        )
        self.last = records.write_node(self._tx, self._branch.id, self._branch.name, self._doc, state, WHY)
        self._types[op.id] = op.type
        self.applied.nodes_upserted += 1

    def _delete_node(self, index: int, op: NodeDelete) -> None:
        _refuse_reserved(index, "id", op.id)
        type = self._types.get(op.id)
        if type is None:
            raise _refused(index, "id", f"there is no node `{op.id}` to delete")
        for key in sorted(self._touching[op.id]):
            self._write_edge(*key, deleted=True)
        state = node_state(id=op.id, type=type, deleted=True)
        self.last = records.write_node(self._tx, self._branch.id, self._branch.name, self._doc, state, WHY)
        del self._types[op.id]
        self.applied.nodes_deleted += 1

    def _upsert_edge(self, index: int, op: EdgeUpsert) -> None:
        _refuse_reserved(index, "from", op.source)
        for name, id in (("from", op.source), ("to", op.to)):
            if id not in self._types:
                raise _refused(
                    index, name, f"there is no node `{id}`", f"Put a node_upsert of `{id}` before it into ops."
                )
        self._write_edge(*op_key(op), meta=op.meta)

    def _delete_edge(self, index: int, op: EdgeDelete) -> None:
        _refuse_reserved(index, "from", op.source)
        if op_key(op) not in self._edges:
            raise _refused(index, "from", f"there is no edge `{'|'.join(op_key(op))}` to delete")
        self._write_edge(*op_key(op), deleted=True)

    def _write_edge(
        self, source: str, rel: str, to: str, *, meta: dict[str, object] | None = None, deleted: bool = False
    ) -> None:
        key, state = (source, rel, to), edge_state(source, rel, to, meta, deleted=deleted)
        self.last = records.write_edge(self._tx, self._branch.id, self._branch.name, self._doc, state, WHY)
        if deleted:
            self._edges.discard(key)
            self._touching[source].discard(key)
            self._touching[to].discard(key)
            self.applied.edges_deleted += 1
        else:
            self._put_edge(key)
            self.applied.edges_upserted += 1

    def _put_edge(self, key: EdgeKey) -> None:
        self._edges.add(key)
        self._touching[key[0]].add(key)
        self._touching[key[2]].add(key)


def op_key(op: EdgeUpsert | EdgeDelete) -> EdgeKey:
    return op.source, op.rel, op.to


def _ids(ops: Sequence[Op]) -> set[str]:
    """The nodes that the changes name."""
    named = ((op.id,) if isinstance(op, NodeUpsert | NodeDelete) else (op.source, op.to) for op in ops)
    return {id for ids in named for id in ids}


def _refuse_reserved(index: int, field: str, id: str) -> None:
    """An edge belongs to where it leads from: one may lead to a task, and none of one's own away from it."""
    if id.startswith(RESERVED):
        raise _refused(
            index,
            field,
            f"`{id}` stands for a task or a step, and changes with it alone",
            "Take an id that begins with neither task: nor step:; an edge may lead to such a node.",
        )


def _refused(index: int, field: str, message: str, recovery: str | None = None) -> InvalidInput:
    return invalid(
        f"ops[{index}]: {message}; nothing was applied",
        recovery=recovery or "graph_query shows what there is.",
        field=f"ops.{index}.{field}",
    )
