"""Nodes, edges and conflicts as they are shown: what one does not have is left out."""

from __future__ import annotations

from typing import Any

from thoughtbox.domains.mind.view.merges import Conflict
from thoughtbox.domains.mind.view.versions import Edge, Node, Version
from thoughtbox.ledger.record import present


def node_shown(node: Node) -> dict[str, Any]:
    told = {"title": node.title, "text": node.text, "status": node.status}
    kept = {"tags": list(node.tags) or None, "meta": node.meta or None}
    return {"id": node.id, "type": node.type, **present(told), **present(kept), **_version(node)}


def edge_shown(edge: Edge) -> dict[str, Any]:
    meta = {"meta": edge.meta} if edge.meta else {}
    return {"from": edge.source, "rel": edge.rel, "to": edge.target, **meta, **_version(edge)}


def version_shown(version: Version) -> dict[str, Any]:
    return node_shown(version) if isinstance(version, Node) else edge_shown(version)


def snapshot(version: Version | None) -> dict[str, Any] | None:
    """One side of a conflict; None for what was never there."""
    return version_shown(version) if version is not None else None


def conflict_shown(conflict: Conflict) -> dict[str, Any]:
    """A conflict in a list."""
    return {
        "conflict_id": conflict.id,
        "kind": conflict.kind,
        "key": conflict.name,
        "status": conflict.status,
        "created_at_ms": conflict.created_ms,
        "created_seq": conflict.created_seq,
    }


def change_shown(version: Version) -> dict[str, Any]:
    """A state that differs from another branch's."""
    if isinstance(version, Node):
        return {"kind": "node", "id": version.id, "to": node_shown(version)}
    key = {"from": version.source, "rel": version.rel, "to": version.target}
    return {"kind": "edge", "key": key, "to": edge_shown(version)}


def _version(version: Version) -> dict[str, Any]:
    return {"deleted": version.deleted, "last_seq": version.last_seq, "last_ts_ms": version.last_ts_ms}
