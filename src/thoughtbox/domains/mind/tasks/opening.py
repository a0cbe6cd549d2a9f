"""A plan or task, opened by its id: enough to find one's way, and nothing is changed by it."""

from __future__ import annotations

from typing import Any

from thoughtbox.domains.mind.tasks.limits import limits_for
from thoughtbox.domains.mind.tasks.resume import resumed
from thoughtbox.domains.mind.tasks.shown import step_shown, target_line
from thoughtbox.domains.mind.tasks.targets import known_target
from thoughtbox.domains.mind.view.tasks import Tasks
from thoughtbox.operations import Tx

SHOWN = ("target", "reasoning_ref", "capsule", "step_focus", "degradation")


def opened_step(tx: Tx, id: str) -> dict[str, Any] | None:
    """A step in full, and the task that it belongs to; None when there is none."""
    step = tx.ask(Tasks).step(id)
    if step is None:
        return None
    task = known_target(tx, step.task)
    return {
        "kind": "step",
        "id": step.id,
        "summary": f"{task.id} {step.path} {step.title}",
        "target": target_line(task),
        "step": step_shown(step, tx.ledger.last_seq()),
        "truncated": False,
    }


def opened_target(tx: Tx, id: str, *, include_drafts: bool) -> dict[str, Any]:
    """The lens of a plan or task: its capsule, where it is reasoned about, and the step that is next."""
    target = known_target(tx, id)
    view = "audit" if include_drafts else "focus_only"
    found = resumed(
        tx, target, view=view, limits=limits_for(view, None, None), drafts=include_drafts, requested=target.id
    )
    lens = {name: found[name] for name in SHOWN if found[name] is not None}
    return {
        "kind": target.kind,
        "id": target.id,
        "summary": found["radar"]["now"],
        **lens,
        "truncated": False,
    }
