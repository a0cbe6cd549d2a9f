"""What the workflow leaves in the ledger: how a session stands after each verification, that it was reset."""

from collections.abc import Mapping
from typing import Any, Literal

from thoughtbox.ledger.ledger import Ledger
from thoughtbox.ledger.record import Draft, Record, present
from thoughtbox.operations import Name, RecordData, Room, Tx, must_stand_in

WORKFLOW = "memory.workflow"
STREAM = "memory/workflow"

Change = Literal["verified", "refused", "applied", "reset"]


class WorkflowData(RecordData):
    """What a record of a workflow session says: what has changed, and how the session stands from then on."""

    change: Change
    session_id: Name
    preset: str
    gates_passed: list[str]
    steps_completed: list[str]
    created_at: int
    expires_at: int
    counts_from: int
    active: bool
    phase: str | None = None
    action: str | None = None
    missing: list[str] | None = None


def write_workflow(
    tx: Tx,
    change: Change,
    session: Mapping[str, Any],
    said: str,
    *,
    phase: str | None = None,
    action: str | None = None,
    missing: list[str] | None = None,
) -> Record:
    """Write down how a workflow session stands; `session` is a row of its view."""
    data = {
        "change": change,
        "sessionId": session["session_id"],
        "preset": session["preset"],
        "gatesPassed": list(session["gates_passed"]),
        "stepsCompleted": list(session["steps_completed"]),
        "createdAt": session["created_at"],
        "expiresAt": session["expires_at"],
        "countsFrom": session["counts_from"],
        "active": session["active"],
        **present({"phase": phase, "action": action, "missing": missing}),
    }
    draft = Draft(kind="observation", topic=WORKFLOW, text=said, session=session["session_id"], data=data)
    return tx.append(draft, stream=STREAM)


def opened(record: Record, before: Ledger) -> None:
    """Open a record as this room will; it raises for one that could not be read."""
    must_stand_in(record, STREAM)
    WorkflowData.read(record.data)


def declare(room: Room) -> None:
    room.topic(WORKFLOW, opened, streams="memory")
