"""Nodes of a graph by their ids, and how one that is not there is refused."""

from __future__ import annotations

from collections.abc import Iterable

from thoughtbox.domains.mind.envelope import Suggestion
from thoughtbox.domains.mind.refusals import unknown
from thoughtbox.domains.mind.scope import Scope
from thoughtbox.domains.mind.view.documents import Documents
from thoughtbox.domains.mind.view.graph import Graph, Node
from thoughtbox.errors import UnknownId
from thoughtbox.operations import Tx


def nodes_of(tx: Tx, scope: Scope, ids: Iterable[str], what: str = "card") -> list[Node]:
    """The nodes of these ids in the order they are named, each once; refuses an id that is not there."""
    wanted = list(dict.fromkeys(ids))
    found = tx.ask(Graph).of(scope.branch, scope.graph).nodes(wanted)
    for id in wanted:
        if id not in found:
            raise unknown_node(tx, scope, id, what)
    return [found[id] for id in wanted]


def unknown_node(tx: Tx, scope: Scope, id: str, what: str = "card") -> UnknownId:
    """For a node that the graph does not have; it says where there is one of that id."""
    here = f"{what} in `{scope.graph}` on branch `{scope.branch.name}` with the id"
    elsewhere = tx.ask(Graph).anywhere(id)
    if elsewhere is not None:
        branch = tx.ask(Documents).names([elsewhere.branch])[elsewhere.branch]
        return unknown(here, id, recovery=f"It is there with ref={branch}, graph_doc={elsewhere.doc}.")
    look = {"workspace": tx.workspace, "branch": scope.branch.name, "doc": scope.graph}
    return unknown(
        here,
        id,
        recovery="graph_query shows what there is.",
        suggestions=[Suggestion("graph_query", look, "See which nodes there are", "high")],
    )
