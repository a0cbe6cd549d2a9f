"""What to do about a tool that a gate asks for: a call that can be sent, or where to read about it."""

from __future__ import annotations

from typing import Any

from thoughtbox.domains.memory.view.activity import bare
from thoughtbox.domains.memory.view.experiences import Experiences
from thoughtbox.domains.memory.workflow.compliance import PASS, Missing
from thoughtbox.domains.memory.workflow.models import MissingStep
from thoughtbox.operations import TABLE, Operation, Tx

LONGEST_QUERY = 200

_HOST = "It is no operation of this server: it counts once the host's post-tool-use hook has seen it used."


def step(tx: Tx, missing: Missing, session_id: str, action: str) -> MissingStep:
    """How to do what is missing."""
    tool = bare(missing.tool)
    if tool == PASS:
        call = {"current_phase": missing.gate, "action": action, "session_id": session_id}
        how = f"Pass the gate {missing.gate} first: a strict one asks for those before it."
        return _step(missing, {"operation": PASS, **call}, how)
    operation = TABLE.operations.get(f"memory.{tool}") or TABLE.operations.get(tool)
    if operation is None:
        return _step(missing, None, _HOST)
    arguments = _arguments(tx, tool, operation, action)
    if arguments is None:
        return _step(missing, None, TABLE.guidance(operation.name) or operation.summary)
    return _step(missing, {"operation": operation.name, **arguments}, operation.summary)


def _arguments(tx: Tx, tool: str, operation: Operation, action: str) -> dict[str, Any] | None:
    """Arguments that will do; None where they depend on something that is not there yet."""
    match tool:
        case "search_experiences":
            return {"query": action[:LONGEST_QUERY]}
        case "export_experiences":
            return {"format": "json"}
        case "get_experience" | "tag_experience":
            newest = tx.ask(Experiences).newest()
            named = {"id": newest} | ({"tags": ["workflow"]} if tool == "tag_experience" else {})
            return None if newest is None else named
        case _:
            return None if operation.example.given else dict(operation.example.arguments)


def _step(missing: Missing, call: dict[str, Any] | None, how: str) -> MissingStep:
    return MissingStep(gate=missing.gate, tool=missing.tool, call=call, how=how)
