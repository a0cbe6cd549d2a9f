"""A three-way merge of a branch's graph into the branch that it was made from.

Each node and edge is taken by itself: what the branch says now (theirs), what the base says now (ours), and what both
said when they last agreed (base): when it was last merged, or else at the fork.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

import orjson

from thoughtbox.domains.mind import records
from thoughtbox.domains.mind.graph.comparing import said
from thoughtbox.domains.mind.graph.shown import conflict_shown, snapshot
from thoughtbox.domains.mind.view.documents import Branch
from thoughtbox.domains.mind.view.graph import Graph, GraphDoc
from thoughtbox.domains.mind.view.merges import Conflict, Merges
from thoughtbox.domains.mind.view.versions import Edge, Key, Node, Version, key_of, version_of
from thoughtbox.ledger.canonical import canonical
from thoughtbox.operations import Tx

WHY = "graph_merge"


@dataclass(frozen=True, slots=True)
class Side:
    """One node or edge as the three see it."""

    theirs: Version
    base: Version | None
    ours: Version | None

    @property
    def key(self) -> Key:
        return key_of(self.theirs)

    @property
    def is_settled(self) -> bool:
        """Whether there is nothing to bring: they did not change it, or both say the same."""
        return self.theirs.said in (said(self.base), said(self.ours))

    @property
    def is_ours_unchanged(self) -> bool:
        return said(self.ours) == said(self.base)


@dataclass(slots=True)
class Outcome:
    """What merging a page of changes comes to."""

    applied: list[Side] = field(default_factory=list)
    differing: list[Side] = field(default_factory=list)
    skipped: int = 0


@dataclass(frozen=True, slots=True)
class Merge:
    """A merge of one document of a branch into its base."""

    tx: Tx
    source: Branch
    into: Branch
    doc: str

    def changes(self, before: int | None, limit: int) -> list[Version]:
        """What was written on the branch: the newest version of each key, the newest first."""
        return self.tx.ask(Merges).written_on(self.source, self.doc, before=before, limit=limit)

    def outcome(self, theirs: Sequence[Version], known: Mapping[Key, Sequence[Conflict]]) -> Outcome:
        """What becomes of these changes, given the conflicts about them that are known."""
        found = Outcome()
        for side in self._sides(theirs):
            version = side.theirs.last_seq
            resolved = any(one.theirs == version and one.status == "resolved" for one in known.get(side.key, ()))
            if resolved or side.is_settled:
                found.skipped += 1
            elif side.is_ours_unchanged:
                found.applied.append(side)
            else:
                found.differing.append(side)
        return found

    def _sides(self, theirs: Sequence[Version]) -> Iterator[Side]:
        """All three versions of each, read at once."""
        keys = [key_of(version) for version in theirs]
        ours = self.tx.ask(Graph).of(self.into, self.doc).versions(keys)
        fork = self.tx.at(self.source.base_seq).ask(Graph).of(self.into, self.doc).versions(keys)
        merged = self.tx.ask(Merges).merged(self.source, self.doc, keys)
        bases = fork | {
            key_of(version): version for version in map(version_of, self.tx.ledger.records(merged.values()))
        }
        for key, version in zip(keys, theirs, strict=True):
            yield Side(version, bases.get(key), ours.get(key))

    def write(self, sides: Sequence[Side]) -> None:
        """Bring what the branch says into its base: nodes before the edges between them, in order of writing."""
        for side in sorted(sides, key=lambda side: (isinstance(side.theirs, Edge), side.theirs.last_seq)):
            write_theirs(self.tx, self.into, self.doc, side.theirs, WHY)

    def note(self, outcome: Outcome, known: Mapping[Key, Sequence[Conflict]]) -> tuple[list[Conflict], int]:
        """Write down what is now in conflict and what no longer is; those there are, and how many are new."""
        found, created = list[Conflict](), 0
        for side in outcome.differing:
            id = conflict_id(self.source, self.into, self.doc, side)
            before = next((one for one in known.get(side.key, ()) if one.id == id), None)
            if before is None or before.status != "open":
                before = self._open(id, side)
                created += 1
            found.append(before)
        standing = {conflict.id for conflict in found}
        for conflict in (one for about in known.values() for one in about):
            if conflict.status == "open" and conflict.id not in standing:
                text = f"{conflict.kind} {conflict.name} is no longer in conflict as it was"
                settle(self.tx, conflict, self.into, "superseded", text)
        return found, created

    def _open(self, id: str, side: Side) -> Conflict:
        kind, name = side.key
        data = {"conflict": id, "source": self.source.id, "doc": self.doc, "kind": kind, "name": name, **_seqs(side)}
        text = f"{kind} {name} differs on {self.source.name} and {self.into.name}"
        records.write_conflict(self.tx, self.into.id, self.into.name, data, "open", text)
        made = self.tx.ask(Merges).conflict(id)
        assert made is not None
        return made

    def previews(self, outcome: Outcome, known: Mapping[Key, Sequence[Conflict]]) -> tuple[list[dict[str, Any]], int]:
        """The conflicts that there would be, with the three versions of each; and how many of them would be new."""
        shown, created = list[dict[str, Any]](), 0
        for side in outcome.differing:
            id = conflict_id(self.source, self.into, self.doc, side)
            standing = next((one for one in known.get(side.key, ()) if one.id == id and one.status == "open"), None)
            if standing is not None:
                shown.append(conflict_shown(standing))
                continue
            created += 1
            sides = {"base": snapshot(side.base), "theirs": snapshot(side.theirs), "ours": snapshot(side.ours)}
            kind, name = side.key
            shown.append({"conflict_id": id, "kind": kind, "key": name, "status": "preview", **sides})
        return shown, created


def conflict_id(source: Branch, into: Branch, doc: str, side: Side) -> str:
    """The same situation has the same id, whenever it is found."""
    situation = orjson.dumps([source.id, into.id, doc, *side.key, side.theirs.last_seq])
    return f"CONFLICT-{sha256(situation).hexdigest()[:32]}"


def write_theirs(tx: Tx, into: Branch, doc: str, theirs: Version, why: str) -> None:
    """Write a version of another branch into this one."""
    merged_from = {"branch": theirs.branch, "seq": theirs.last_seq}
    write = records.write_node if isinstance(theirs, Node) else records.write_edge
    write(tx, into.id, into.name, doc, theirs.state(), why, merged_from=merged_from)


def settle(tx: Tx, conflict: Conflict, into: Branch, status: str, text: str, *, resolution: str | None = None) -> None:
    """Write down that a conflict is one no longer, with what the base said at that time."""
    ours = ours_of(tx, conflict, into)
    data = {
        "conflict": conflict.id,
        "source": conflict.source,
        "doc": conflict.doc,
        "kind": conflict.kind,
        "name": conflict.name,
        "base": conflict.base,
        "theirs": conflict.theirs,
        "ours": ours.last_seq if ours is not None else None,
    }
    records.write_conflict(tx, into.id, into.name, data, status, text, resolution)


def ours_of(tx: Tx, conflict: Conflict, into: Branch) -> Version | None:
    """What the branch that is merged into says now."""
    return tx.ask(Graph).of(into, conflict.doc).versions([conflict.key]).get(conflict.key)


def left_dangling(graph: GraphDoc, written: Sequence[Version]) -> bool:
    """Whether one of these versions leaves an edge without one of its ends."""
    gone = [version.id for version in written if isinstance(version, Node) and version.deleted]
    if gone and (graph.edges(sources=gone) or graph.edges(targets=gone)):
        return True
    edges = [version for version in written if isinstance(version, Edge) and not version.deleted]
    ends = {id for edge in edges for id in (edge.source, edge.target)}
    return len(graph.nodes(ends)) < len(ends)


def summary(sides: Sequence[Side]) -> dict[str, int]:
    """How much these change, compared with their base."""
    nodes = [side for side in sides if isinstance(side.theirs, Node)]
    edges = [side for side in sides if isinstance(side.theirs, Edge)]
    return {
        "nodes_changed": len(nodes),
        "edges_changed": len(edges),
        "node_fields_changed": sum(map(_fields_changed, nodes)),
        "edge_fields_changed": sum(map(_fields_changed, edges)),
    }


def _fields_changed(side: Side) -> int:
    """Fields that say another thing; of what goes or comes back, that it does is one of them."""
    if side.theirs.deleted:
        return 1
    now, before = _fields(side.theirs), _fields(side.base)
    came_back = side.base is not None and side.base.deleted
    return sum(value != before.get(name, _NOTHING) for name, value in now.items()) + came_back


_NOTHING = canonical(None)


def _fields(version: Version | None) -> dict[str, bytes]:
    """What a version says, field by field; what it does not have is as nothing."""
    if version is None or version.deleted:
        return {}
    told: dict[str, Any] = {"meta": version.meta or None}
    if isinstance(version, Node):
        told |= {"type": version.type, "title": version.title, "text": version.text, "status": version.status}
        told |= {"tags": version.tags or None}
    return {name: canonical(value) for name, value in told.items()}


def _seqs(side: Side) -> dict[str, int | None]:
    versions = {"base": side.base, "theirs": side.theirs, "ours": side.ours}
    return {name: version.last_seq if version is not None else None for name, version in versions.items()}
