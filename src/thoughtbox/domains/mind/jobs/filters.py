"""What jobs are for and about: a task, an anchor."""

from __future__ import annotations

from thoughtbox.domains.mind.anchors.lens import find
from thoughtbox.domains.mind.envelope import warn
from thoughtbox.domains.mind.refusals import invalid
from thoughtbox.domains.mind.scope import target_id, unknown_target
from thoughtbox.domains.mind.view.tasks import Tasks
from thoughtbox.operations import Tx


def task_named(tx: Tx, id: str | None) -> str | None:
    """The task of that id; refuses what is none."""
    found = target_id(id)
    if found is None:
        return None
    if not found.startswith("TASK-"):
        raise invalid(
            f"`task` is no task: {found}",
            recovery="It looks like TASK-001.",
            field="task",
            hints=[{"kind": "prefix", "field": "task", "allowed": ["TASK-"]}],
        )
    if tx.ask(Tasks).target(found) is None:
        raise unknown_target(tx, found)
    return found


def anchor_named(tx: Tx, id: str | None) -> str | None:
    """The id that an anchor has now; it warns of one that nobody registered."""
    if id is None:
        return None
    found = find(tx, id)
    if found.anchor is None:
        warn(
            tx,
            "ANCHOR_UNREGISTERED",
            f"`{found.id}` is not registered; the job names it all the same.",
            f"macro_anchor_note registers it: anchor={found.id}, title, kind, content.",
        )
    return found.id


def tags_of(tx: Tx, id: str | None) -> list[str]:
    """All that an anchor was ever called."""
    return find(tx, id).tags if id is not None else []
