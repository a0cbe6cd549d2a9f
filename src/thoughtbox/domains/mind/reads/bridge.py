"""From a plan or task about which nothing is known yet to the branch that is checked out, where something is."""

from __future__ import annotations

from typing import Any

from thoughtbox.domains.mind.cards.card import TYPES
from thoughtbox.domains.mind.envelope import suggest, warn
from thoughtbox.domains.mind.facets import of_type
from thoughtbox.domains.mind.reads.lens import Lens
from thoughtbox.domains.mind.scope import GRAPH, NOTES, TRACE, Scope, checked_out
from thoughtbox.domains.mind.view.documents import Documents, Narrowed
from thoughtbox.domains.mind.view.graph import Graph
from thoughtbox.operations import Tx

WRITTEN = Narrowed(kind="note")
"""What somebody wrote: that a task was made is no context yet."""


def bridge(tx: Tx, lens: Lens) -> dict[str, Any] | None:
    """Where to look instead, when a plan or task has no context and the branch that is checked out has some."""
    scope = lens.scope
    here = checked_out(tx)
    if scope.target is None or here.id == scope.branch.id or any(_has(tx, scope).values()):
        return None
    has = _has(tx, Scope(here))
    if not any(has.values()):
        return None
    warn(
        tx,
        "CONTEXT_EMPTY_FOR_TARGET",
        f"Nothing was noted or thought about {scope.target} yet; {here.name}, which is checked out, has context.",
        f"Read that one with ref={here.name}, or write the first note or card about {scope.target}.",
    )
    _suggest_reading(tx, here.name, has)
    return {"checkout": here.name, "docs": {"notes": NOTES, "trace": TRACE, "graph": GRAPH}, "has": has}


def _has(tx: Tx, scope: Scope) -> dict[str, bool]:
    documents, graph = tx.ask(Documents), tx.ask(Graph).of(scope.branch, scope.graph)
    return {
        "notes": bool(documents.entries(scope.branch, scope.notes, before=None, limit=1, narrowed=WRITTEN)),
        "trace": bool(documents.entries(scope.branch, scope.trace, before=None, limit=1, narrowed=WRITTEN)),
        "graph": bool(graph.newest(*map(of_type, TYPES), drafts=True, limit=1)),
    }


def _suggest_reading(tx: Tx, branch: str, has: dict[str, bool]) -> None:
    why = f"See what is known on branch {branch}"
    if has["graph"]:
        suggest(tx, "think_pack", {"workspace": tx.workspace, "ref": branch}, why, "high")
        return
    kind = "notes" if has["notes"] else "trace"
    suggest(tx, "show", {"workspace": tx.workspace, "branch": branch, "doc_kind": kind}, why, "high")
