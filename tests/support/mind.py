"""The shortest way to the tools of the mind room: `mind.notes_commit(content="…")` is the result of the call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import pytest

from tests.support.box import WORKSPACE, Box
from thoughtbox.domains.mind.scope import branch_named
from thoughtbox.domains.mind.view.graph import Graph, Node
from thoughtbox.errors import ThoughtboxError
from thoughtbox.operations import Tx
from thoughtbox.operations.caller import ANONYMOUS

T = TypeVar("T")


class Mind:
    """Calls tools of the room on a box, in its own workspace or in one that it is given."""

    def __init__(self, box: Box, workspace: str | None = None) -> None:
        self.box = box
        self._named = {"workspace": workspace} if workspace is not None else {}

    def __getattr__(self, tool: str) -> Any:
        if tool.startswith("_"):
            raise AttributeError(tool)
        return lambda **arguments: self.whole(tool, **arguments)["result"]

    def whole(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """The whole envelope."""
        return self.box.call(tool, {**self._named, **arguments})

    def warnings(self, tool: str, **arguments: Any) -> list[str]:
        """The codes of what the call warns of."""
        return [warning["code"] for warning in self.whole(tool, **arguments)["warnings"]]

    def refused(self, tool: str, **arguments: Any) -> ThoughtboxError:
        """The error that a call is refused with; nothing may have been written."""
        before = self.head()
        with pytest.raises(ThoughtboxError) as error:
            self.whole(tool, **arguments)
        assert self.head() == before
        return error.value

    def send(self, suggestion: dict[str, Any]) -> dict[str, Any]:
        """A suggested call, exactly as it was given."""
        assert suggestion["action"] == "call_tool"
        return self.box.call(suggestion["target"], suggestion["params"])

    def head(self) -> int:
        """The number of the newest record."""
        workspace = self._named.get("workspace", WORKSPACE)
        return self.box.app.dispatcher.ask(workspace, ANONYMOUS, lambda tx: tx.ledger.last_seq()).result()


def node(mind: Mind, id: str, branch: str = "main", doc: str = "graph") -> Node:
    """A node as a branch shows it."""
    return nodes(mind, id, branch=branch, doc=doc)[id]


def nodes(mind: Mind, *ids: str, branch: str = "main", doc: str = "graph") -> dict[str, Node]:
    """Those of these nodes that a branch shows."""
    return _asked(mind, lambda tx: tx.ask(Graph).of(branch_named(tx, branch), doc).nodes(ids))


def edges(mind: Mind, *sources: str, branch: str = "main", doc: str = "graph") -> list[tuple[str, str, str]]:
    """The edges that lead from these nodes."""
    found = _asked(mind, lambda tx: tx.ask(Graph).of(branch_named(tx, branch), doc).edges(sources=sources))
    return sorted(edge.key for edge in found)


def _asked(mind: Mind, question: Callable[[Tx], T]) -> T:
    return mind.box.app.dispatcher.ask(WORKSPACE, ANONYMOUS, question).result()


def fill_mind(box: Box) -> None:
    """Something in every table of the room."""
    mind = Mind(box)
    mind.commit(artifact="first", message="m")
    mind.tag_create(name="v1")
    mind.think_card(card={"id": "H1", "type": "hypothesis", "title": "Cold", "tags": ["a:storage", "pinned"]})
    mind.think_card(card={"id": "E1", "type": "evidence", "title": "Seen"}, supports=["H1"])
    mind.think_pipeline(decision="Warm it")
    mind.branch_create(name="what-if")
    for branch, status in (("what-if", "rejected"), ("main", "accepted")):
        mind.think_set_status(ref=branch, targets=["H1"], status=status)
    mind.think_set_status(ref="what-if", targets=["E1"], status="closed")
    mind.notes_commit(branch="what-if", content="why not")
    mind.graph_merge(**{"from": "what-if"}, merge_to_base=True)
    mind.merge(**{"from": "what-if"}, merge_to_base=True)
    mind.macro_anchor_note(anchor="a:storage", title="Storage", kind="component", content="It holds the cache.")
    mind.anchors_rename(**{"from": "a:storage", "to": "a:store"})
    plan = mind.tasks_create(kind="plan", title="Warm it")["id"]
    steps = [{"title": "Measure", "success_criteria": ["known"], "tests": ["bench"]}]
    task = mind.tasks_create(kind="task", parent=plan, title="Find out", steps=steps)["id"]
    mind.tasks_focus_set(target=task)
    mind.tasks_note(task=task, path="s:0", note="measured")
    job = mind.tasks_jobs_create(title="Run it", prompt="Do", task=task)["job"]["id"]
    mind.runner_heartbeat(runner_id="r1", status="idle")
    mind.tasks_jobs_claim(job=job, runner_id="r1")
