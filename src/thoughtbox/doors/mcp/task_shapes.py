"""Tasks as the protocol shows them: the names and shapes of the extension `io.modelcontextprotocol/tasks`."""

from __future__ import annotations

from secrets import token_urlsafe
from typing import Final

import orjson

from thoughtbox.doors.mcp.envelope import Peer
from thoughtbox.doors.mcp.jsonrpc import INTERNAL_ERROR, MISSING_REQUIRED_CLIENT_CAPABILITY, ProtocolError
from thoughtbox.doors.mcp.request import Request, Result
from thoughtbox.doors.mcp.revisions import STAMP, TASKS
from thoughtbox.operations.task_records import Outcome, TaskState
from thoughtbox.settings import WORKSPACE

LONGEST_ID = 128
"""Characters of a task's id: Claude Code takes no longer ones."""

SOONEST_MS, LATEST_MS = 100, 5_000
"""How long a client waits at least, and at most, before it asks again."""

ENDED_WITH_SERVER: Final = "the server that worked on it has ended; what the call had written by then stays written"
CANCELLED: Final = "Cancelled by the client; what the call had written by then stays written."


def declares(peer: Peer) -> bool:
    """Whether a client knows tasks, by what it says with this very request."""
    return (peer.capabilities.get("extensions") or {}).get(TASKS) is not None


def must_declare(request: Request) -> None:
    if not declares(request.peer):
        raise ProtocolError(
            MISSING_REQUIRED_CLIENT_CAPABILITY,
            f"the request does not declare the extension {TASKS}",
            {"requiredCapabilities": {"extensions": {TASKS: {}}}},
        )


def new_id(workspace: str) -> str | None:
    """An id that nobody can guess. It says where the task is kept: not every client names a workspace.

    None where that makes it longer than clients take.
    """
    task_id = f"{token_urlsafe(32)}.{workspace}"
    return task_id if len(task_id) <= LONGEST_ID else None


def workspace_in(task_id: str) -> str | None:
    """Where a task would be kept that has this id; None when no id looks like that."""
    workspace = task_id.partition(".")[2]
    return workspace if len(task_id) <= LONGEST_ID and WORKSPACE.fullmatch(workspace) else None


def poll_interval_ms(age_ms: int) -> int:
    """When to ask again: soon for a task that has just begun, and seldom for one that takes long."""
    return min(max(age_ms // 4, SOONEST_MS), LATEST_MS)


def standing(task: TaskState, note: str | None) -> tuple[str, Result]:
    """The status of a task, and what belongs to it; `note` is how far it has come, None where nobody is at it."""
    outcome = task.outcome
    if outcome is None:
        if note is None:
            error = {"code": INTERNAL_ERROR, "message": ENDED_WITH_SERVER}
            return "failed", {"statusMessage": ENDED_WITH_SERVER, "error": error}
        if task.asked:
            return "input_required", {"inputRequests": task.asked}
        return "working", {"statusMessage": note} if note else {}
    if outcome.status == "completed":
        return "completed", {"result": _result(outcome)}
    if outcome.status == "failed":
        assert outcome.error is not None
        return "failed", {"statusMessage": outcome.error["message"], "error": outcome.error}
    return "cancelled", {"statusMessage": CANCELLED}


def _result(outcome: Outcome) -> Result:
    """The result that the plain call would have had."""
    assert outcome.answer is not None
    return {
        "content": [{"type": "text", "text": outcome.answer}],
        "structuredContent": orjson.Fragment(outcome.answer),
        "isError": outcome.is_error,
        "resultType": "complete",
        "_meta": STAMP,
    }
