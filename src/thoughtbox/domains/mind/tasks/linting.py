"""What is wrong with a plan or task, read from its views."""

from __future__ import annotations

from itertools import islice
from typing import Any

from thoughtbox.domains.mind.scope import docs_of
from thoughtbox.domains.mind.selection import is_card
from thoughtbox.domains.mind.tasks.cards import graph_of
from thoughtbox.domains.mind.tasks.handoff import next_action
from thoughtbox.domains.mind.tasks.leases import lease_of
from thoughtbox.domains.mind.tasks.lint import Facts, Issue, issue_shown, issues, patch_shown
from thoughtbox.domains.mind.tasks.shown import target_line
from thoughtbox.domains.mind.view.documents import Documents, Narrowed
from thoughtbox.domains.mind.view.tasks import Target, Tasks
from thoughtbox.operations import Tx

MOST_STEPS = 200
MOST_TASKS = 50
MOST_COUNTED = 50
BEGINNINGS = frozenset({"plan_created", "task_created", "steps_added"})


def linted(tx: Tx, target: Target) -> dict[str, Any]:
    """Issues with patches, what to do next, and whether there is any reasoning about it."""
    found = issues(facts_of(tx, target))
    shown = [issue_shown(issue) for issue in found]
    patches = [patch for issue in found if (patch := patch_shown(issue, tx.workspace)) is not None]
    errors = sum(issue["severity"] == "error" for issue in shown)
    return {
        "workspace": tx.workspace,
        "target": target_line(target),
        "summary": {"errors": errors, "warnings": len(shown) - errors, "total": len(shown)},
        "issues": shown,
        "patches": patches,
        # Where the next action is to lint, this is it.
        "actions": [action for action in [next_action(tx, target)] if action["tool"] != "tasks_lint"],
        "context_health": context_health(tx, target),
    }


def facts_of(tx: Tx, target: Target) -> Facts:
    tasks = tx.ask(Tasks)
    if target.kind == "plan":
        return Facts(
            target,
            tasks=tasks.targets("task", parent=target.id, limit=MOST_TASKS),
            active=tasks.targets("task", status="ACTIVE", parent=target.id, limit=MOST_TASKS),
        )
    counts, last_seq = tasks.step_counts(target.id), tx.ledger.last_seq()
    steps = tasks.open_steps(target.id, limit=MOST_STEPS)
    return Facts(
        target,
        steps=steps,
        total_steps=counts.total,
        open_steps=counts.open,
        leased=frozenset(step.id for step in steps if lease_of(step, last_seq) is not None),
    )


def context_health(tx: Tx, target: Target) -> dict[str, Any]:
    """Whether there is any reasoning about a plan or task. Counts go up to fifty."""
    branch = tx.ask(Documents).canonical(target.id)
    if branch is None:
        stats = {"notes": 0, "cards": 0, "trace_notes": 0, "events": target.revision + 1}
        return _health(stats, [Issue("REASONING_BRANCH_MISSING", target)])
    notes_doc, trace_doc, _ = docs_of(target.id)
    documents, notes_only = tx.ask(Documents), Narrowed(kind="note")
    notes = len(documents.entries(branch, notes_doc, before=None, limit=MOST_COUNTED, narrowed=notes_only))
    steps = len(documents.entries(branch, trace_doc, before=None, limit=MOST_COUNTED, narrowed=notes_only))
    known = len(list(islice(filter(is_card, graph_of(tx, target.id).walk(drafts=True)), MOST_COUNTED)))
    stats = {"notes": notes, "cards": known, "trace_notes": steps, "events": target.revision + 1}
    if notes or known:
        return _health(stats, [])
    newest = tx.ledger.records(tx.ask(Tasks).newest_events(target.id, limit=len(BEGINNINGS)))
    is_new = not steps and all(record.data["eventType"] in BEGINNINGS for record in newest)
    return _health(stats, [Issue("CONTEXT_EMPTY" if is_new else "TRACE_ONLY", target)])


def _health(stats: dict[str, int], found: list[Issue]) -> dict[str, Any]:
    return {"status": "warn" if found else "ok", "stats": stats, "issues": [issue_shown(issue) for issue in found]}
