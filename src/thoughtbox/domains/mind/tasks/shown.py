"""Plans, tasks, steps and events as they are shown."""

from __future__ import annotations

from typing import Any

from thoughtbox.domains.mind.scope import docs_of
from thoughtbox.domains.mind.tasks.fields import CHECKPOINTS, with_defaults
from thoughtbox.domains.mind.tasks.leases import Lease, lease_of
from thoughtbox.domains.mind.view.documents import Branch
from thoughtbox.domains.mind.view.tasks import Step, Target
from thoughtbox.ledger.record import Record, present
from thoughtbox.world import milliseconds


def target_shown(target: Target) -> dict[str, Any]:
    """A plan or task in full."""
    return {
        **target_line(target),
        **with_defaults(target.kind, target.details),
        **present({"parked_until_ts_ms": target.details.get("parked_until_ts_ms")}),
        "created_at_ms": target.created_ms,
        "updated_at_ms": target.updated_ms,
    }


def target_line(target: Target) -> dict[str, Any]:
    """A plan or task in a line."""
    return {
        "id": target.id,
        "kind": target.kind,
        "title": target.title,
        "status": target.status,
        "revision": target.revision,
        **present({"parent_plan_id": target.parent}),
    }


def step_shown(step: Step, last_seq: int) -> dict[str, Any]:
    """A step in full; its lease, if it has one that still holds."""
    lease = lease_of(step, last_seq)
    return {
        **step_line(step),
        **present({"parent_step_id": step.parent}),
        "ordinal": step.ordinal,
        **with_defaults("step", step.details),
        "checkpoints": {name: {"confirmed": name in step.confirmed} for name in CHECKPOINTS},
        **present({"lease": lease_shown(lease, last_seq) if lease else None}),
    }


def step_line(step: Step) -> dict[str, Any]:
    """A step in a line."""
    return {"step_id": step.id, "path": step.path, "title": step.title, "completed": step.completed}


def lease_shown(lease: Lease, last_seq: int) -> dict[str, Any]:
    return {**lease._asdict(), "remaining_seq": lease.expires_seq - last_seq}


def event_shown(record: Record) -> dict[str, Any]:
    """A mutation of a plan or task."""
    data = record.data
    return {
        "event_id": data["eventId"],
        "ts": record.ts,
        "ts_ms": milliseconds(record.ts),
        "task": data["task"],
        "path": data.get("path"),
        "type": data["eventType"],
        "payload": dict(data["payload"]),
    }


def reasoning_ref(target: str, branch: Branch) -> dict[str, str]:
    """Where the reasoning about a plan or task stands."""
    notes, trace, graph = docs_of(target)
    return {"branch": branch.name, "notes_doc": notes, "trace_doc": trace, "graph_doc": graph}
