"""What must hold in a graph: every edge leads from a node to a node."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

from thoughtbox.domains.mind.view.graph import GraphDoc
from thoughtbox.domains.mind.view.versions import EdgeKey

EDGE_ENDPOINT_MISSING = "EDGE_ENDPOINT_MISSING"


class Dangling(NamedTuple):
    """An edge, and those of its ends that are not there."""

    key: EdgeKey
    missing: Sequence[str]

    def shown(self) -> dict[str, Any]:
        source, rel, target = self.key
        name = "|".join(self.key)
        gone = " and ".join(f"`{id}`" for id in self.missing)
        op = json.dumps({"op": "edge_delete", "from": source, "rel": rel, "to": target}, ensure_ascii=False)
        return {
            "code": EDGE_ENDPOINT_MISSING,
            "message": f"edge `{name}` needs {gone}, which {'is' if len(self.missing) == 1 else 'are'} not there",
            "kind": "edge",
            "key": name,
            "recovery": f"Put {gone} there with graph_apply, or take the edge away: ops=[{op}].",
        }


class Validation(NamedTuple):
    """What a graph holds, and what is wrong with it: the newest edges first, so many at most."""

    nodes: int
    edges: int
    dangling: list[Dangling]
    truncated: bool

    @property
    def ok(self) -> bool:
        return not self.dangling


def validated(graph: GraphDoc, most: int) -> Validation:
    """Look at every edge of a graph."""
    nodes, edges = graph.live_ids(), graph.live_edges()
    wrong = [
        Dangling(key, [id for id in dict.fromkeys((key[0], key[2])) if id not in nodes])
        for key in edges
        if key[0] not in nodes or key[2] not in nodes
    ]
    return Validation(len(nodes), len(edges), wrong[:most], len(wrong) > most)
