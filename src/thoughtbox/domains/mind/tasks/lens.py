"""A plan or task, opened to find one's way: its capsule and where its reasoning stands. It never moves the focus."""

from __future__ import annotations

from typing import Any

from thoughtbox.domains.mind.opening import first_line
from thoughtbox.domains.mind.tasks.limits import FOCUS_ONLY, FULL
from thoughtbox.domains.mind.tasks.resume import resumed
from thoughtbox.domains.mind.tasks.targets import known_target
from thoughtbox.operations import Tx

SHOWN = ("target", "reasoning_ref", "capsule", "step_focus", "degradation")


def target(tx: Tx, id: str, *, include_drafts: bool) -> dict[str, Any]:
    """What opening `TASK-…` or `PLAN-…` shows."""
    found = known_target(tx, id)
    view, limits = ("audit", FULL) if include_drafts else ("focus_only", FOCUS_ONLY)
    told = resumed(tx, found, view=view, limits=limits, drafts=include_drafts, requested=id)
    return {
        "kind": found.kind,
        "id": id,
        "summary": first_line(f"{found.status}: {found.title}"),
        **{name: told[name] for name in SHOWN},
        "truncated": False,
    }
