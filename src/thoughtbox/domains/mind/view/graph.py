"""The graph: typed nodes and edges on branches, as they stand and as they stood."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

import orjson

from thoughtbox.domains.mind import records
from thoughtbox.domains.mind.facets import ANY, facets, is_hidden
from thoughtbox.domains.mind.view.documents import BRANCHES, Branch, Document, Documents, Segment
from thoughtbox.domains.mind.view.versions import Edge, EdgeKey, Key, Node, Version, key_of
from thoughtbox.domains.mind.view.versions import edge_state as edge_state
from thoughtbox.domains.mind.view.versions import node_state as node_state
from thoughtbox.ledger.canonical import canonical
from thoughtbox.ledger.clauses import rows_among
from thoughtbox.ledger.record import Record
from thoughtbox.ledger.versions import Versions, standing_at
from thoughtbox.ledger.view import FOREVER, NOW, View
from thoughtbox.world import milliseconds

NODES = Versions(
    "mind_nodes",
    key=["branch", "doc", "id"],
    values=["type", "title", "text", "status", "tags", "meta", "deleted", "ts_ms"],
)
EDGES = Versions("mind_edges", key=["branch", "doc", "source", "rel", "target"], values=["meta", "deleted", "ts_ms"])

NODE_COLUMNS = (
    "n.id, n.type, n.title, n.text, n.status, n.tags, n.meta, n.deleted, n.from_seq, n.ts_ms, n.branch, n.doc"
)
EDGE_COLUMNS = "e.source, e.rel, e.target, e.meta, e.deleted, e.from_seq, e.ts_ms, e.branch, e.doc"

SMALLEST_CHUNK, LARGEST_CHUNK = 32, 512
KEYS_AT_ONCE = 200
"""Edges that one statement asks for by their keys."""


class Graph(View):
    """Nodes and edges by branch and document."""

    name = "mind_graph"
    follows = frozenset({records.CARD, records.NODE, records.EDGE})
    schema = "graph.sql"
    generation = 1

    def apply(self, record: Record) -> None:
        data = record.data
        if record.topic == records.EDGE:
            edge = data["edge"]
            EDGES.put(
                self,
                record.seq,
                branch=data["branch"],
                doc=data["doc"],
                source=edge["from"],
                rel=edge["rel"],
                target=edge["to"],
                meta=_json(edge["meta"]),
                deleted=int(edge["deleted"]),
                ts_ms=milliseconds(record.ts),
            )
            return
        node = data["card"] if record.topic == records.CARD else data["node"]
        doc = data["graphDoc"] if record.topic == records.CARD else data["doc"]
        self._take_node(record, data["branch"], doc, node)

    def _take_node(self, record: Record, branch: int, doc: str, node: Mapping[str, Any]) -> None:
        self._end_facets(record.seq, branch, doc, node["id"])
        is_deleted = bool(node.get("deleted"))
        NODES.put(
            self,
            record.seq,
            branch=branch,
            doc=doc,
            id=node["id"],
            type=node["type"],
            title=node.get("title"),
            text=node.get("text"),
            status=node.get("status"),
            tags=_json(node.get("tags", [])),
            meta=_json(node.get("meta", {})),
            deleted=int(is_deleted),
            ts_ms=milliseconds(record.ts),
        )
        if not is_deleted:
            tags = node.get("tags", [])
            draft = int(is_hidden(tags))
            self.sql.many(
                "INSERT INTO mind_facets (workspace, branch, doc, facet, draft, until_seq, from_seq, id)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                [
                    (self.workspace, branch, doc, facet, draft, FOREVER, record.seq, node["id"])
                    for facet in facets(node["type"], node.get("status"), tags)
                ],
            )

    def _end_facets(self, seq: int, branch: int, doc: str, id: str) -> None:
        """What the node was found by until now."""
        row = self.sql.row(
            f"SELECT from_seq, type, status, tags FROM {NODES.standing} AS n WHERE branch = ? AND doc = ? AND id = ?"
            " AND deleted = 0",
            (self.workspace, NOW, NOW, branch, doc, id),
        )
        if row is None:
            return
        before, type, status, text = row
        tags = orjson.loads(text)
        draft = int(is_hidden(tags))
        self.sql.many(
            "UPDATE mind_facets SET until_seq = ? WHERE workspace = ? AND branch = ? AND doc = ? AND facet = ?"
            " AND draft = ? AND until_seq = ? AND from_seq = ?",
            [(seq, self.workspace, branch, doc, facet, draft, FOREVER, before) for facet in facets(type, status, tags)],
        )

    def of(self, branch: Branch, doc: str) -> GraphDoc:
        """A document as a branch shows it."""
        return GraphDoc(self, Documents(self.sql, self.workspace, self.as_of).segments(branch), doc)

    def of_source(self, branch: int, doc: str) -> GraphDoc:
        """Only what was written on the branch itself."""
        return GraphDoc(self, [Segment(branch, FOREVER)], doc)

    def anywhere(self, id: str) -> Node | None:
        """The newest live version of a node of that id, on any branch that is still there."""
        row = self.sql.row(
            f"SELECT {NODE_COLUMNS} FROM {NODES.standing} AS n WHERE n.id = ? AND n.deleted = 0"
            f" AND EXISTS (SELECT 1 FROM {BRANCHES.standing} AS b WHERE b.branch = n.branch)"
            " ORDER BY n.from_seq DESC LIMIT 1",
            (*standing_at(self), id, *standing_at(self)),
        )
        return _node(row) if row else None

    def last_change(self, document: Document) -> int | None:
        """The last change of a document's nodes and edges, where it was last written."""
        newest = (
            self.sql.row(
                f"SELECT MAX(from_seq) FROM {kind.ever} AS v WHERE branch = ? AND doc = ?",
                (self.workspace, document.until, document.source, document.doc),
            )
            for kind in (NODES, EDGES)
        )
        return max((row[0] for row in newest if row and row[0] is not None), default=None)

    def version(self, seq: int, id: str) -> Node | None:
        """The version of a node that a record made."""
        row = self.sql.row(
            f"SELECT {NODE_COLUMNS} FROM {NODES.ever} AS n WHERE n.from_seq = ? AND n.id = ?",
            (self.workspace, self.as_of, seq, id),
        )
        return _node(row) if row else None


class GraphDoc:
    """A graph as one branch shows it: of each key the newest version among its segments."""

    def __init__(self, view: Graph, segments: Sequence[Segment], doc: str) -> None:
        self._view = view
        self._sql = view.sql
        self._segments = segments
        self.doc = doc

    def _until(self, segment: Segment) -> int:
        return min(segment.high, self._view.as_of)

    def nodes(self, ids: Iterable[str], *, deleted: bool = False) -> dict[str, Node]:
        """The nodes of these ids; with `deleted`, the tombstones among them as well."""
        wanted, found = set(ids), dict[str, Node]()
        for segment in self._segments:
            if not wanted:
                break
            rows = rows_among(
                self._sql,
                f"SELECT {NODE_COLUMNS} FROM {NODES.standing} AS n WHERE n.branch = ? AND n.doc = ? AND n.id IN (?*)",
                wanted,
                before=(*self._standing(segment), segment.source, self.doc),
            )
            newer = {node.id: node for node in map(_node, rows)}
            found |= newer
            wanted -= newer.keys()
        return found if deleted else {id: node for id, node in found.items() if not node.deleted}

    def node(self, id: str, *, deleted: bool = False) -> Node | None:
        return self.nodes([id], deleted=deleted).get(id)

    def newest(self, *facets: str, drafts: bool, before: int | None = None, limit: int) -> list[Node]:
        """Live nodes that are found by one of the facets, or all nodes without any; the newest first."""
        return list(islice(self.walk(*facets, drafts=drafts, before=before, chunk=limit), limit))

    def walk(
        self, *facets: str, drafts: bool, before: int | None = None, chunk: int = SMALLEST_CHUNK
    ) -> Iterator[Node]:
        """The same, as many as are taken."""
        chunk = min(max(chunk, 1), LARGEST_CHUNK)
        below = FOREVER if before is None else before
        for place, segment in enumerate(self._segments):
            newer = self._segments[:place]
            at = min(below, self._until(segment) + 1)
            while True:
                found = self._chunk(segment, facets or (ANY,), drafts, at, chunk)
                hidden = self._hidden({node.id for node in found}, newer) if newer else ()
                yield from (node for node in found if node.id not in hidden)
                if len(found) < chunk:
                    break
                at, chunk = found[-1].last_seq, min(2 * chunk, LARGEST_CHUNK)

    def _chunk(self, segment: Segment, facets: Sequence[str], drafts: bool, below: int, limit: int) -> list[Node]:
        until = self._until(segment)
        # What stands now is in order in the key; what stood at a fork, or earlier, has to be sorted.
        stands = "f.until_seq = ?" if until >= NOW else "f.until_seq > ?"
        at = FOREVER if until >= NOW else until
        part = (
            f"SELECT * FROM (SELECT f.id, f.from_seq FROM mind_facets AS f WHERE f.workspace = ? AND f.branch = ?"
            f" AND f.doc = ? AND f.facet = ? AND f.draft = ? AND {stands} AND f.from_seq < ?"
            " ORDER BY f.from_seq DESC LIMIT ?) AS part"
        )
        kinds = [(facet, draft) for facet in facets for draft in ((0, 1) if drafts else (0,))]
        values = [
            value
            for facet, draft in kinds
            for value in (self._view.workspace, segment.source, self.doc, facet, draft, at, below, limit)
        ]
        # One node may be found by several facets, and is shown once.
        chosen = " UNION ".join([part] * len(kinds))
        rows = self._sql.rows(
            f"SELECT {NODE_COLUMNS} FROM (SELECT * FROM ({chosen}) AS u ORDER BY from_seq DESC LIMIT ?) AS c"
            f" JOIN {NODES.standing} AS n ON n.branch = ? AND n.doc = ? AND n.id = c.id ORDER BY c.from_seq DESC",
            (*values, limit, *self._standing(segment), segment.source, self.doc),
        )
        return list(map(_node, rows))

    def _hidden(self, ids: Collection[str], newer: Sequence[Segment]) -> set[str]:
        """Those of these nodes that have a newer version, or a tombstone, in one of these segments."""
        found = set[str]()
        for segment in newer:
            rest = set(ids) - found
            if not rest:
                break
            rows = rows_among(
                self._sql,
                f"SELECT id FROM {NODES.standing} AS n WHERE branch = ? AND doc = ? AND id IN (?*)",
                rest,
                before=(*self._standing(segment), segment.source, self.doc),
            )
            found |= {row[0] for row in rows}
        return found

    def edges(
        self,
        *,
        sources: Iterable[str] | None = None,
        targets: Iterable[str] | None = None,
        deleted: bool = False,
    ) -> list[Edge]:
        """Edges that lead from these nodes, or to these; with both, from one of these to one of those."""
        wanted_sources = set(sources) if sources is not None else None
        wanted_targets = set(targets) if targets is not None else None
        by, among = ("source", wanted_sources) if wanted_sources is not None else ("target", wanted_targets)
        if among is None:
            raise TypeError("edges are looked for by where they lead from or to")
        found: dict[EdgeKey, Edge] = {}
        for segment in self._segments:
            rows = rows_among(
                self._sql,
                f"SELECT {EDGE_COLUMNS} FROM {EDGES.standing} AS e WHERE e.branch = ? AND e.doc = ? AND e.{by} IN (?*)",
                among,
                before=(*self._standing(segment), segment.source, self.doc),
            )
            for edge in map(_edge, rows):
                if wanted_targets is None or edge.target in wanted_targets:
                    found.setdefault(edge.key, edge)
        live = (edge for edge in found.values() if deleted or not edge.deleted)
        return sorted(live, key=lambda edge: edge.last_seq, reverse=True)

    def edges_of(self, keys: Iterable[EdgeKey], *, deleted: bool = False) -> dict[EdgeKey, Edge]:
        """The edges of these keys; with `deleted`, the tombstones among them as well."""
        wanted, found = set(keys), dict[EdgeKey, Edge]()
        for segment in self._segments:
            rest = sorted(wanted - found.keys())
            for start in range(0, len(rest), KEYS_AT_ONCE):
                part = rest[start : start + KEYS_AT_ONCE]
                marks = ", ".join(["(?, ?, ?)"] * len(part))
                rows = self._sql.rows(
                    f"SELECT {EDGE_COLUMNS} FROM {EDGES.standing} AS e WHERE e.branch = ? AND e.doc = ?"
                    f" AND (e.source, e.rel, e.target) IN (VALUES {marks})",
                    (*self._standing(segment), segment.source, self.doc, *(name for key in part for name in key)),
                )
                found |= {edge.key: edge for edge in map(_edge, rows)}
        return found if deleted else {key: edge for key, edge in found.items() if not edge.deleted}

    def versions(self, keys: Iterable[Key]) -> dict[Key, Version]:
        """The newest versions of these nodes and edges, tombstones included."""
        wanted = set(keys)
        nodes = self.nodes((key.name for key in wanted if key.kind == "node"), deleted=True)
        edges = self.edges_of((key.ends for key in wanted if key.kind == "edge"), deleted=True)
        return {key_of(version): version for version in (*nodes.values(), *edges.values())}

    def beyond(self, other: GraphDoc) -> list[tuple[int, int, int]]:
        """Where this graph looks and the other does not: a branch, after which record, up to which one."""
        seen = {segment.source: other._until(segment) for segment in other._segments}
        parts = ((part.source, seen.get(part.source, 0), self._until(part)) for part in self._segments)
        return [(source, low, high) for source, low, high in parts if low < high]

    def edge(self, key: EdgeKey, *, deleted: bool = False) -> Edge | None:
        for segment in self._segments:
            row = self._sql.row(
                f"SELECT {EDGE_COLUMNS} FROM {EDGES.standing} AS e WHERE e.branch = ? AND e.doc = ? AND e.source = ?"
                " AND e.rel = ? AND e.target = ?",
                (*self._standing(segment), segment.source, self.doc, *key),
            )
            if row is not None:
                found = _edge(row)
                return found if deleted or not found.deleted else None
        return None

    def all_nodes(self) -> Iterator[Node]:
        """Every node that the branch shows, tombstones included, the newest segment first: for whole comparisons."""
        seen = set[str]()
        for segment in self._segments:
            rows = self._sql.rows(
                f"SELECT {NODE_COLUMNS} FROM {NODES.standing} AS n WHERE n.branch = ? AND n.doc = ?",
                (*self._standing(segment), segment.source, self.doc),
            )
            fresh = [node for node in map(_node, rows) if node.id not in seen]
            seen |= {node.id for node in fresh}
            yield from fresh

    def all_edges(self) -> Iterator[Edge]:
        """Every edge, in the same way."""
        seen = set[EdgeKey]()
        for segment in self._segments:
            rows = self._sql.rows(
                f"SELECT {EDGE_COLUMNS} FROM {EDGES.standing} AS e WHERE e.branch = ? AND e.doc = ?",
                (*self._standing(segment), segment.source, self.doc),
            )
            fresh = [edge for edge in map(_edge, rows) if edge.key not in seen]
            seen |= {edge.key for edge in fresh}
            yield from fresh

    def live_ids(self) -> set[str]:
        """The ids of all nodes that are there."""
        found: dict[str, bool] = {}
        for segment in self._segments:
            rows = self._sql.rows(
                f"SELECT n.id, n.deleted FROM {NODES.standing} AS n WHERE n.branch = ? AND n.doc = ?",
                (*self._standing(segment), segment.source, self.doc),
            )
            for id, deleted in rows:
                found.setdefault(id, bool(deleted))
        return {id for id, deleted in found.items() if not deleted}

    def live_edges(self) -> list[EdgeKey]:
        """The keys of all edges that are there, the newest first."""
        found: dict[EdgeKey, tuple[int, bool]] = {}
        for segment in self._segments:
            rows = self._sql.rows(
                "SELECT e.source, e.rel, e.target, e.from_seq, e.deleted"
                f" FROM {EDGES.standing} AS e WHERE e.branch = ? AND e.doc = ?",
                (*self._standing(segment), segment.source, self.doc),
            )
            for source, rel, target, seq, deleted in rows:
                found.setdefault((source, rel, target), (seq, bool(deleted)))
        live = (key for key, (_, deleted) in found.items() if not deleted)
        return sorted(live, key=found.__getitem__, reverse=True)

    def _standing(self, segment: Segment) -> tuple[str, int, int]:
        until = min(self._until(segment), NOW)
        return self._view.workspace, until, until


def _json(value: Any) -> str:
    """As it stands in the record: what is replayed is then the same to the letter."""
    return canonical(value).decode()


def _node(row: Sequence[Any]) -> Node:
    id, type, title, text, status, tags, meta, deleted, *rest = row
    return Node(id, type, title, text, status, tuple(orjson.loads(tags)), orjson.loads(meta), bool(deleted), *rest)


def _edge(row: Sequence[Any]) -> Edge:
    source, rel, target, meta, deleted, *rest = row
    return Edge(source, rel, target, orjson.loads(meta), bool(deleted), *rest)
