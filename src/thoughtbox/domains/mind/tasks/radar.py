"""The radar of a plan or task: where it stands, why, what is to be checked, what comes next, what hinders it."""

from __future__ import annotations

from typing import Any

from thoughtbox.domains.mind.tasks.shown import step_shown, target_line
from thoughtbox.domains.mind.view.tasks import Step, Target, Tasks
from thoughtbox.operations import Tx
from thoughtbox.world import milliseconds

ACTIVE_LIMIT = 3
STALE_AFTER_DAYS = 14
MOST_BLOCKERS = 10
DAY_MS = 86_400_000
LONGEST_WHY = 200


def radar(tx: Tx, target: Target) -> dict[str, Any]:
    return _plan_radar(tx, target) if target.kind == "plan" else _task_radar(tx, target)


def steps_block(tx: Tx, target: Target) -> dict[str, Any]:
    """How far a task has come, and its first open step."""
    tasks = tx.ask(Tasks)
    counts, first = tasks.step_counts(target.id), tasks.first_open(target.id)
    return {
        "total": counts.total,
        "open": counts.open,
        "completed": counts.completed,
        **{f"missing_{name}": number for name, number in counts.missing.items()},
        "first_open": step_shown(first, tx.ledger.last_seq()) if first else None,
    }


def horizon(tx: Tx, plan: Target) -> dict[str, Any]:
    """What of a plan is under way. What nobody has touched for two weeks is stale, by the time of the newest record."""
    tasks = tx.ask(Tasks)
    counts = tasks.statuses(plan.id)
    active = tasks.targets("task", status="ACTIVE", parent=plan.id, limit=ACTIVE_LIMIT)
    return {
        "active": counts["ACTIVE"],
        "active_limit": ACTIVE_LIMIT,
        "over_limit": counts["ACTIVE"] > ACTIVE_LIMIT,
        "todo": counts["TODO"],
        "parked": counts["PARKED"],
        "done": counts["DONE"],
        "canceled": counts["CANCELED"],
        "stale": tasks.stale(plan.id, _newest_ms(tx) - STALE_AFTER_DAYS * DAY_MS),
        "stale_after_days": STALE_AFTER_DAYS,
        "active_tasks": [target_line(task) for task in active],
    }


def _newest_ms(tx: Tx) -> int:
    newest = tx.ledger.record(tx.ledger.last_seq())
    return milliseconds(newest.ts) if newest is not None else 0


def blockers(tx: Tx, task: Target) -> list[str]:
    """What hinders the open steps of a task."""
    found = ["The task is marked as blocked."] if task.details.get("blocked") else []
    for step in tx.ask(Tasks).open_steps(task.id, hindered=True, limit=MOST_BLOCKERS):
        told = [*step.details.get("blockers", ())]
        if step.details.get("blocked") or not told:
            told.insert(0, step.details.get("block_reason") or "The step is marked as blocked.")
        found += [f"{step.path}: {text}" for text in told]
    return found[:MOST_BLOCKERS]


def _plan_radar(tx: Tx, plan: Target) -> dict[str, Any]:
    ahead = horizon(tx, plan)
    checklist, current = plan.details.get("checklist", []), plan.details.get("plan_current", 0)
    under_way = [f"{task['id']} {task['title']}" for task in ahead["active_tasks"]]
    to_do = tx.ask(Tasks).targets("task", status="TODO", parent=plan.id, limit=1)
    following = [
        *under_way,
        *(f"{task.id} {task.title}" for task in to_do),
        *checklist[current : current + 1],
    ]
    left = ahead["active"] + ahead["todo"] + ahead["parked"]
    return {
        "now": f"{plan.id} {plan.title} ({plan.status}): {ahead['active']} active, {ahead['todo']} to do,"
        f" {ahead['done']} done",
        "why": _why(plan, None),
        "verify": [f"{left} tasks are not done"] if left else [],
        "next": following[:ACTIVE_LIMIT] or ["Add a task with tasks_create"],
        "blockers": [f"More than {ACTIVE_LIMIT} tasks are active"] if ahead["over_limit"] else [],
        "horizon": ahead,
    }


def _task_radar(tx: Tx, task: Target) -> dict[str, Any]:
    tasks = tx.ask(Tasks)
    step, counts = tasks.first_open(task.id), tasks.step_counts(task.id)
    parent = tasks.target(task.parent) if task.parent else None
    if step is not None:
        now = f"{task.id} {task.title} ({task.status}): {step.path} {step.title}"
    elif counts.total:
        now = f"{task.id} {task.title} ({task.status}): all {counts.total} steps are done"
    else:
        now = f"{task.id} {task.title} ({task.status}): no steps yet"
    return {
        "now": now,
        "why": _why(task, parent),
        "verify": to_verify(step) if step else [],
        "next": _next(task, step, counts.total),
        "blockers": blockers(tx, task),
    }


def to_verify(step: Step) -> list[str]:
    """What is to be confirmed before a step closes."""
    criteria = [] if "criteria" in step.confirmed else step.details.get("success_criteria", [])
    tests = [] if "tests" in step.confirmed else step.details.get("tests", [])
    return [*criteria, *tests]


def _next(task: Target, step: Step | None, total: int) -> list[str]:
    if step is not None:
        return [step.details.get("next_action") or f"Do {step.path} {step.title}"]
    if task.status in ("DONE", "CANCELED"):
        return []
    return ["Complete it with tasks_complete"] if total else ["Add steps with tasks_decompose"]


def _why(target: Target, parent: Target | None) -> str:
    told = target.details.get("contract") or target.details.get("description") or ""
    first = next((line.strip() for line in told.splitlines() if line.strip()), "")
    if first:
        return first if len(first) <= LONGEST_WHY else f"{first[: LONGEST_WHY - 1]}…"
    return f"Part of {parent.id} {parent.title}" if parent else target.title
