"""Events: one for every mutation of a plan or task.

An event is one record: the entry in the trace of its plan or task, and what its views make of it. What it changes in
the graph is written with it, so that all of it stands or nothing does.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from thoughtbox.domains.mind import records
from thoughtbox.domains.mind.scope import docs_of
from thoughtbox.domains.mind.view.documents import Branch, Documents
from thoughtbox.domains.mind.view.graph import Graph, GraphDoc, edge_state, node_state
from thoughtbox.domains.mind.view.tasks import Step, Target, Tasks
from thoughtbox.errors import UnknownId
from thoughtbox.ledger.record import Record, present
from thoughtbox.operations import Tx

PROJECTION = "task_projection"


def happened(
    tx: Tx,
    target: Target,
    type: str,
    said: str,
    payload: Mapping[str, Any],
    *,
    path: str | None = None,
    state: Mapping[str, Any] | None = None,
    steps: Sequence[Mapping[str, Any]] = (),
) -> Record:
    """Write a mutation of a plan or task that is there. `state` and `steps` are what changed; None is no longer set."""
    branch = canonical_branch(tx, target.id)
    return write(tx, branch, target.id, target.revision + 1, type, said, payload, path=path, state=state, steps=steps)


def write(
    tx: Tx,
    branch: Branch,
    id: str,
    revision: int,
    type: str,
    said: str,
    payload: Mapping[str, Any],
    *,
    path: str | None = None,
    state: Mapping[str, Any] | None = None,
    steps: Sequence[Mapping[str, Any]] = (),
) -> Record:
    about = {
        "task": id,
        **present({"path": path}),
        "payload": dict(payload),
        "state": {"revision": revision, **(state or {})},
        **present({"steps": [dict(step) for step in steps] or None}),
    }
    record = records.write_event(tx, branch.id, branch.name, docs_of(id)[1], type, said, about)
    _project(tx, branch, id, [step["id"] for step in steps])
    return record


def canonical_branch(tx: Tx, id: str) -> Branch:
    """Where everything about a plan or task goes, whatever is checked out."""
    branch = tx.ask(Documents).canonical(id)
    if branch is None:
        raise UnknownId(f"the branch of {id} is gone", recovery="Begin it again with tasks_create.", details={"id": id})
    return branch


def _project(tx: Tx, branch: Branch, id: str, steps: Iterable[str]) -> None:
    """Bring the graph of a plan or task up to date: what is as it was is not written again."""
    tasks, doc = tx.ask(Tasks), docs_of(id)[2]
    graph = tx.ask(Graph).of(branch, doc)
    target = tasks.target(id)
    if target is None:
        raise LookupError(f"{id} is not there")
    _put_node(tx, branch, graph, _target_node(target))
    for step in filter(None, map(tasks.step, steps)):
        _put_node(tx, branch, graph, _step_node(step))
        above = f"step:{step.parent}" if step.parent else f"task:{id}"
        edge = edge_state(above, "contains", f"step:{step.id}")
        if graph.edge((above, "contains", f"step:{step.id}")) is None:
            records.write_edge(tx, branch.id, branch.name, doc, edge, PROJECTION)


def _put_node(tx: Tx, branch: Branch, graph: GraphDoc, state: dict[str, Any]) -> None:
    known = graph.node(state["id"])
    if known is None or known.state() != state:
        records.write_node(tx, branch.id, branch.name, graph.doc, state, PROJECTION)


def _target_node(target: Target) -> dict[str, Any]:
    return node_state(
        id=f"task:{target.id}",
        type=target.kind,
        title=target.title,
        text=target.details.get("description"),
        status=target.status,
        meta={"task_id": target.id},
    )


def _step_node(step: Step) -> dict[str, Any]:
    return node_state(
        id=f"step:{step.id}",
        type="step",
        title=step.title,
        status="done" if step.completed else "open",
        meta={"task_id": step.task, "step_id": step.id, "path": step.path},
    )
