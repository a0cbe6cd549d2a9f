"""Graphs in a few words: `upsert("H1")`, `link("E1", "H1")`, and what a branch shows of one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from tests.support.mind import Mind
from thoughtbox.engine.protocol import Row, Sql
from thoughtbox.operations import Tx

Op = dict[str, Any]


def upsert(id: str, type: str = "idea", **fields: Any) -> Op:
    return {"op": "node_upsert", "id": id, "type": type, **fields}


def delete(id: str) -> Op:
    return {"op": "node_delete", "id": id}


def link(source: str, to: str, rel: str = "supports", **fields: Any) -> Op:
    return {"op": "edge_upsert", "from": source, "rel": rel, "to": to, **fields}


def unlink(source: str, to: str, rel: str = "supports") -> Op:
    return {"op": "edge_delete", "from": source, "rel": rel, "to": to}


def put(mind: Mind, *ops: Op, branch: str = "main", **where: Any) -> dict[str, Any]:
    return mind.graph_apply(branch=branch, ops=list(ops), **where)


def ids(mind: Mind, branch: str = "main", **filters: Any) -> list[str]:
    """The nodes that a query finds, the newest first."""
    return [node["id"] for node in mind.graph_query(branch=branch, **filters)["nodes"]]


def titles(mind: Mind, branch: str = "main") -> dict[str, str | None]:
    return {node["id"]: node.get("title") for node in mind.graph_query(branch=branch, limit=200)["nodes"]}


def edges(mind: Mind, branch: str = "main", **filters: Any) -> list[str]:
    """The edges that a query finds, the newest first."""
    found = mind.graph_query(branch=branch, **filters)["edges"]
    return [f"{edge['from']}|{edge['rel']}|{edge['to']}" for edge in found]


def merge(mind: Mind, source: str = "what-if", **more: Any) -> dict[str, Any]:
    """Merge a branch's graph into its base."""
    return mind.graph_merge(**{"from": source, "merge_to_base": True, **more})


def diff(mind: Mind, source: str, to: str, **more: Any) -> dict[str, Any]:
    return mind.graph_diff(**{"from": source, "to": to, **more})


def fork(mind: Mind, *ops: Op, name: str = "what-if") -> None:
    """Put something on main, and make a branch from it."""
    if ops:
        put(mind, *ops)
    mind.branch_create(name=name, **{"from": "main"})


def clash(mind: Mind, id: str = "H1") -> str:
    """Both sides change a node; the id of the conflict."""
    fork(mind, upsert(id, title="before"))
    put(mind, upsert(id, title="theirs"), branch="what-if")
    put(mind, upsert(id, title="ours"))
    (conflict,) = merge(mind)["conflict_ids"]
    return conflict


class CountingSql:
    """Passes everything on, and counts what is asked and what comes back."""

    def __init__(self, sql: Sql) -> None:
        self.asked = 0
        self.read = 0
        self._sql = sql

    def __getattr__(self, name: str) -> Any:
        return getattr(self._sql, name)

    def row(self, statement: str, parameters: Sequence[Any] = ()) -> Row | None:
        self.asked += 1
        return self._sql.row(statement, parameters)

    def rows(self, statement: str, parameters: Sequence[Any] = ()) -> list[Row]:
        found = self._sql.rows(statement, parameters)
        self.asked += 1
        self.read += len(found)
        return found


def counted(tx: Tx) -> CountingSql:
    """Count what views are asked in this transaction from now on."""
    counting = CountingSql(tx.sql)
    tx.sql = cast("Sql", counting)
    return counting
