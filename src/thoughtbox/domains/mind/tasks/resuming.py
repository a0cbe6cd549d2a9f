"""Verbs for whoever resumes a plan or task."""

from __future__ import annotations

from typing import Any

from thoughtbox.domains.mind.room import IN_CORE, IN_FULL, room
from thoughtbox.domains.mind.tasks.limits import limits_for
from thoughtbox.domains.mind.tasks.looking import set_focus
from thoughtbox.domains.mind.tasks.read_models import Resume, Resumed, ResumeSuper, Snapshot
from thoughtbox.domains.mind.tasks.shaping import GIVEN
from thoughtbox.domains.mind.tasks.targets import named_target, target_of
from thoughtbox.domains.mind.view.tasks import Target
from thoughtbox.errors import UnknownId
from thoughtbox.operations import Example, Pages, Tx

SNAPSHOT = 4_000
"""Characters that a snapshot is made for when no budget is given: it shows little of each, and cuts nothing."""
NEWEST_FIRST = frozenset({"refs", "cards", "decisions", "evidence", "blockers", "signals", "actions", "items"})

CAPSULE = ("capsule", *(f"capsule.{part}" for part in ("action", "refs", "target", "radar", "handoff", "last_event")))
"""What is left in the end, and of that, what to do next."""
PAGES = (Pages("cards", None, "cards_pagination", within="memory"),)


@room.operation(
    "tasks_resume_super",
    writes=True,
    effect="overwrites",
    idempotent=True,
    title="Resume a plan or task",
    toolsets=IN_FULL,
    errors=[UnknownId],
    keep=CAPSULE,
    newest_first=NEWEST_FIRST,
    pages=PAGES,
    example=Example({"task": "TASK-001"}, given=GIVEN),
)
def tasks_resume_super(tx: Tx, call: ResumeSuper) -> Resumed:
    """All that is needed to go on with a plan or task: radar, timeline, memory, signals, and a capsule to hand over.

    A plan or task that is named becomes the focus, unless read_only is sent.
    """
    view = call.view or ("smart" if call.context_budget is not None else "full")
    target = target_of(tx, call)
    return Resumed(**_focused(tx, call, target), **_resumed(tx, call, target, view))


@room.operation(
    "tasks_snapshot",
    writes=True,
    effect="overwrites",
    title="Resume in short, with what is new",
    toolsets=IN_CORE,
    errors=[UnknownId],
    keep=CAPSULE,
    newest_first=NEWEST_FIRST,
    pages=PAGES,
    example=Example({"task": "TASK-001", "delta": True}, given=GIVEN),
)
def tasks_snapshot(tx: Tx, call: Snapshot) -> Resumed:
    """The state of a plan or task and what to do next; with delta, also what is new since the last such snapshot.

    A plan or task that is named becomes the focus, unless read_only is sent.
    """
    from thoughtbox.domains.mind.tasks.snapshot import news

    target = target_of(tx, call)
    drafts = call.all_lanes or call.include_drafts
    delta = news(tx, target, drafts=drafts, keep=not call.read_only) if call.delta else None
    focused = _focused(tx, call, target)
    return Resumed(**focused, **_resumed(tx, call, target, "smart", sized_for=SNAPSHOT), delta=delta)


def _focused(tx: Tx, call: Resume, target: Target) -> dict[str, Any]:
    """Make what was named the focus."""
    if call.read_only or named_target(call) is None:
        return {}
    previous = set_focus(tx, target)
    return {"focus_restored": previous != target.id, "focus_previous": previous}


def _resumed(tx: Tx, call: Resume, target: Target, view: str, sized_for: int | None = None) -> dict[str, Any]:
    from thoughtbox.domains.mind.tasks.resume import resumed

    return resumed(
        tx,
        target,
        view=view,
        limits=limits_for(view, call.max_chars if call.max_chars is not None else sized_for, call),
        drafts=call.all_lanes or call.include_drafts or view == "audit",
        requested=named_target(call),
        max_chars=call.max_chars,
    )
