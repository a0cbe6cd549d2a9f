"""What tests of branches read and write without a tool for it."""

from __future__ import annotations

from typing import Any

from tests.support.box import WORKSPACE
from tests.support.mind import Mind
from thoughtbox.domains.mind import records
from thoughtbox.domains.mind.scope import branch_named
from thoughtbox.operations import Tx
from thoughtbox.operations.caller import ANONYMOUS


def texts(mind: Mind, branch: str, doc: str = "notes", **options: Any) -> list[str]:
    """What a branch shows in a document, in order."""
    shown = mind.show(branch=branch, doc=doc, doc_kind="notes", limit=200, **options)
    return [entry["content"] for entry in shown["entries"]]


def seq_of(mind: Mind, text: str, branch: str = "main") -> int:
    """The number of the note with that text."""
    shown = mind.show(branch=branch, doc_kind="notes", limit=200)["entries"]
    return next(entry["seq"] for entry in shown if entry["content"] == text)


def merge(mind: Mind, source: str, into: str, **options: Any) -> tuple[int, int]:
    """Merge notes: how many were merged and skipped."""
    answer = mind.merge(**{"from": source, "into": into, **options})
    return answer["merged"], answer["skipped"]


def canonical_branch(mind: Mind, target: str) -> str:
    """Make the branch of a plan or task."""
    name = f"{target.partition('-')[0].lower()}/{target}"
    mind.box.app.dispatcher.do(
        WORKSPACE, ANONYMOUS, lambda tx: records.write_branch(tx, "created", name=name, canonical=target), what="make"
    ).result()
    return name


def write_event(mind: Mind, branch: str, doc: str) -> None:
    """An entry of another kind, as a plan or task writes it."""

    def write(tx: Tx) -> None:
        state = {"revision": 0, "kind": "plan", "title": "t", "status": "TODO", "details": {}}
        about = {"task": "PLAN-001", "payload": {}, "state": state}
        records.write_event(tx, branch_named(tx, branch).id, branch, doc, "plan_created", "made", about)

    mind.box.app.dispatcher.do(WORKSPACE, ANONYMOUS, write, what="write").result()


def focus(mind: Mind, target: str) -> None:
    """Put a plan or task into focus."""
    mind.box.app.dispatcher.do(
        WORKSPACE, ANONYMOUS, lambda tx: records.write_place(tx, "focus", target, "focus"), what="focus"
    ).result()
