"""Versions of nodes and edges: what one says, what it is a version of, and how it stands in a record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from thoughtbox.domains.mind import records
from thoughtbox.ledger.canonical import canonical
from thoughtbox.ledger.record import Record
from thoughtbox.world import milliseconds


class Node(NamedTuple):
    """A version of a node."""

    id: str
    type: str
    title: str | None
    text: str | None
    status: str | None
    tags: tuple[str, ...]
    meta: dict[str, Any]
    deleted: bool
    last_seq: int
    last_ts_ms: int
    branch: int
    doc: str

    @property
    def said(self) -> tuple[Any, ...]:
        """What makes two versions the same, whenever and wherever they were written. In Python, true equals 1."""
        if self.deleted:
            return (True,)
        return (False, self.type, self.title, self.text, self.status, self.tags, canonical(self.meta))

    def state(self) -> dict[str, Any]:
        """As it stands in a record."""
        return node_state(
            id=self.id,
            type=self.type,
            title=self.title,
            text=self.text,
            status=self.status,
            tags=self.tags,
            meta=self.meta,
            deleted=self.deleted,
        )


EdgeKey = tuple[str, str, str]
"""Where an edge leads from, what it says, and where it leads to."""


class Edge(NamedTuple):
    """A version of an edge."""

    source: str
    rel: str
    target: str
    meta: dict[str, Any]
    deleted: bool
    last_seq: int
    last_ts_ms: int
    branch: int
    doc: str

    @property
    def key(self) -> EdgeKey:
        return self.source, self.rel, self.target

    @property
    def said(self) -> tuple[Any, ...]:
        return (True,) if self.deleted else (False, canonical(self.meta))

    def state(self) -> dict[str, Any]:
        return edge_state(self.source, self.rel, self.target, self.meta, deleted=self.deleted)


Version = Node | Edge


class Key(NamedTuple):
    """What a version is a version of."""

    kind: str
    """`node` or `edge`."""
    name: str
    """A node's id, or `from|rel|to`: no name contains `|`."""

    @property
    def ends(self) -> EdgeKey:
        """An edge's own key."""
        source, rel, target = self.name.split("|")
        return source, rel, target


def key_of(version: Version) -> Key:
    return Key("node", version.id) if isinstance(version, Node) else Key("edge", "|".join(version.key))


def version_of(record: Record) -> Version:
    """The version of a node or an edge that a record made."""
    data, made = record.data, (record.seq, milliseconds(record.ts), record.data["branch"])
    if record.topic == records.EDGE:
        edge = data["edge"]
        return Edge(edge["from"], edge["rel"], edge["to"], edge["meta"], edge["deleted"], *made, data["doc"])
    is_card = record.topic == records.CARD
    node = data["card"] if is_card else data["node"]
    return Node(
        node["id"],
        node["type"],
        node.get("title"),
        node.get("text"),
        node.get("status"),
        tuple(node.get("tags", ())),
        node.get("meta", {}),
        bool(node.get("deleted")),
        *made,
        data["graphDoc"] if is_card else data["doc"],
    )


def node_state(
    *,
    id: str,
    type: str,
    title: str | None = None,
    text: str | None = None,
    status: str | None = None,
    tags: Sequence[str] = (),
    meta: Mapping[str, Any] | None = None,
    deleted: bool = False,
) -> dict[str, Any]:
    """A node as it stands in a record."""
    return {
        "id": id,
        "type": type,
        "title": title,
        "text": text,
        "status": status,
        "tags": list(tags),
        "meta": dict(meta or {}),
        "deleted": deleted,
    }


def edge_state(
    source: str, rel: str, target: str, meta: Mapping[str, Any] | None = None, *, deleted: bool = False
) -> dict[str, Any]:
    """An edge as it stands in a record."""
    return {"from": source, "rel": rel, "to": target, "meta": dict(meta or {}), "deleted": deleted}
