"""How a workspace and a plan or task in it stand, in one look."""

from __future__ import annotations

from typing import Any

from thoughtbox.domains.mind.envelope import suggest
from thoughtbox.domains.mind.graph.validation import validated
from thoughtbox.domains.mind.notices import Notice
from thoughtbox.domains.mind.scope import GRAPH, checked_out
from thoughtbox.domains.mind.tasks.linting import linted
from thoughtbox.domains.mind.tasks.shown import reasoning_ref
from thoughtbox.domains.mind.tasks.targets import known_target, named_target
from thoughtbox.domains.mind.view.documents import Documents
from thoughtbox.domains.mind.view.graph import Graph
from thoughtbox.domains.mind.workspace.models import Diagnose
from thoughtbox.operations import Tx

MOST_WRONG_EDGES = 5
NO_TARGET = Notice(
    "NO_TARGET",
    "No plan or task is named, and none is in focus: only the branch that is checked out was looked at.",
    "Send target, such as TASK-001, or set one with tasks_focus_set.",
)


def diagnosis(tx: Tx, call: Diagnose) -> dict[str, Any]:
    """What is checked out and in focus, what a plan or task lacks, and what is wrong with the graph."""
    view = tx.ask(Documents)
    branch, focus = checked_out(tx), view.place("focus")
    id = named_target(call) or focus
    told: dict[str, Any] = {"workspace": tx.workspace, "checkout": branch.name, "focus": focus}
    notices: list[Notice] = []
    if id is None:
        notices.append(NO_TARGET)
        suggest(tx, "tasks_context", {"workspace": tx.workspace}, "See which plans and tasks there are")
        told |= {"issues": [], "patches": [], "context_health": {"status": "warn", "stats": {}, "issues": []}}
        graph, where = tx.ask(Graph).of(branch, GRAPH), {"branch": branch.name, "doc": GRAPH}
    else:
        found = linted(tx, known_target(tx, id))
        home = view.canonical(id)
        assert home is not None
        ref = reasoning_ref(id, home)
        told |= {name: found[name] for name in ("target", "summary", "issues", "patches", "context_health")}
        told["reasoning_ref"] = ref
        graph, where = tx.ask(Graph).of(home, ref["graph_doc"]), {"target": id}
    if not validated(graph, MOST_WRONG_EDGES).ok:
        notices.append(
            Notice(
                "EDGE_ENDPOINT_MISSING",
                "The graph has edges that lead from or to a node that is not there.",
                "graph_validate names them.",
            )
        )
        suggest(tx, "graph_validate", {"workspace": tx.workspace, **where}, "See which edges lead nowhere")
    return {**told, "warnings": [notice._asdict() for notice in notices]}
