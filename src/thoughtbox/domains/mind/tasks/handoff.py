"""The handoff: a plan or task in a capsule, for whoever goes on with it, and the call to make next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from thoughtbox.domains.mind.tasks.closing import unproved
from thoughtbox.domains.mind.tasks.fields import anchors
from thoughtbox.domains.mind.tasks.gate import has_gaps, reasoning_gaps
from thoughtbox.domains.mind.tasks.inbox import inbox
from thoughtbox.domains.mind.tasks.leases import lease_of
from thoughtbox.domains.mind.tasks.shown import step_line, target_line
from thoughtbox.domains.mind.toolsets import shown_in
from thoughtbox.domains.mind.view.tasks import Step, Target, Tasks
from thoughtbox.operations import Tx

VERSION = 1
MOST = 3
OVER = ("DONE", "CANCELED")


def act(tx: Tx, tool: str, purpose: str, **args: Any) -> dict[str, Any]:
    """A call that can be sent as it stands, and whether the caller is shown its tool."""
    shown = shown_in(tx.caller.toolset)
    return {
        "tool": tool,
        "purpose": purpose,
        "args": {"workspace": tx.workspace, **args},
        "available": shown is None or tool in shown,
    }


def next_action(tx: Tx, target: Target) -> dict[str, Any]:
    """The call to make next."""
    return _next_of_plan(tx, target) if target.kind == "plan" else _next_of_task(tx, target)


def _next_of_plan(tx: Tx, plan: Target) -> dict[str, Any]:
    tasks = tx.ask(Tasks)
    for status, word in (("ACTIVE", "Go on with"), ("TODO", "Begin with"), ("PARKED", "Look again at")):
        for task in tasks.targets("task", status=status, parent=plan.id, limit=1):
            return act(tx, "tasks_snapshot", f"{word} {task.id} {task.title}", task=task.id)
    if plan.status in OVER:
        return act(tx, "tasks_context", "See which plans and tasks there are")
    if any(tasks.statuses(plan.id).values()):
        return act(tx, "tasks_complete", f"Every task of {plan.id} is done", plan=plan.id)
    return act(tx, "tasks_lint", "See what the plan lacks: it has no tasks", plan=plan.id)


def _next_of_task(tx: Tx, task: Target) -> dict[str, Any]:
    if task.status in OVER:
        return act(
            tx, "tasks_radar", f"{task.id} is {task.status}: see what else {task.parent} needs", plan=task.parent
        )
    if task.status == "PARKED":
        return act(tx, "tasks_complete", f"{task.id} is parked: take it up again", task=task.id, status="ACTIVE")
    tasks = tx.ask(Tasks)
    step = tasks.first_open(task.id)
    if step is not None:
        return _next_of_step(tx, task, step)
    if tasks.step_counts(task.id).total:
        return act(tx, "tasks_complete", f"Every step of {task.id} is done", task=task.id)
    return act(tx, "tasks_lint", f"See what {task.id} lacks: it has no steps", task=task.id)


def _next_of_step(tx: Tx, task: Target, step: Step) -> dict[str, Any]:
    named = {"task": task.id, "step_id": step.id}
    if lease_of(step, tx.ledger.last_seq()) is not None:
        return act(tx, "tasks_step_lease_get", f"Somebody works on {step.path} {step.title}: see who", **named)
    if lacking := unproved(step, "require"):
        purpose = f"{step.path} needs proof of {', '.join(lacking)} before it closes: see what else it lacks"
        return act(tx, "tasks_lint", purpose, task=task.id)
    if task.details.get("reasoning_mode") == "strict" and has_gaps(gaps := reasoning_gaps(tx, task, step)):
        call = gaps.calls[0]
        args = {name: value for name, value in call.params.items() if name != "workspace"}
        return act(tx, call.tool, f"{task.id} is strict: argue {step.path} {step.title} first", **args)
    purpose = f"Do {step.path} {step.title}; once its criteria and tests hold, close it"
    return act(tx, "tasks_close_step", purpose, **named, checkpoints="gate")


def capsule(
    tx: Tx,
    target: Target,
    *,
    focus: str | None,
    ref: Mapping[str, str],
    seen: Mapping[str, Any],
    events: Sequence[Mapping[str, Any]],
    drafts: bool,
    refs: Sequence[str],
    counts: Mapping[str, int],
) -> dict[str, Any]:
    """All that is needed to go on, small enough to stay when nothing else fits. `seen` is the radar."""
    tasks = tx.ask(Tasks)
    open_steps = tasks.open_steps(target.id, limit=MOST)
    about = anchors(target.details.get("tags", []))
    return {
        "type": "handoff_capsule",
        "version": VERSION,
        "workspace": tx.workspace,
        "toolset": tx.caller.toolset,
        "focus": focus,
        "target": target_line(target),
        "reasoning_ref": dict(ref),
        "radar": {
            "now": seen["now"],
            "why": seen["why"],
            **{name: seen[name][:MOST] for name in ("verify", "next", "blockers")},
        },
        "handoff": {
            "done": [event["payload"]["title"] for event in events if event["type"] == "step_done"][-MOST:],
            "remaining": [f"{step.path} {step.title}" for step in open_steps],
            "risks": seen["blockers"][:MOST],
        },
        "counts": dict(counts),
        "last_event": {name: events[-1][name] for name in ("event_id", "type", "ts")} if events else None,
        "action": next_action(tx, target),
        "prep_action": _prepare(tx, target, counts),
        "map_action": act(tx, "open", f"See what is known about {about[0]}", id=about[0]) if about else None,
        "escalation": act(
            tx, "tasks_resume_super", "See all of it, drafts included", target=target.id, view="audit", read_only=True
        ),
        "where": {
            "lane": {"kind": "all" if drafts else "shared"},
            "map": {"where": about[0] if about else None, "top_anchors": about[:MOST]},
            "step_focus": step_line(open_steps[0]) if open_steps else None,
            **inbox(tx, target.id),
            **({"horizon": seen["horizon"]} if "horizon" in seen else {}),
        },
        "refs": list(refs),
    }


def _prepare(tx: Tx, target: Target, counts: Mapping[str, int]) -> dict[str, Any] | None:
    """What to read before that, if there is anything."""
    if not counts["notes"]:
        return None
    return act(tx, "show", f"Read the notes of {target.id} first", target=target.id, doc_kind="notes")
