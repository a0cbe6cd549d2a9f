"""What every answer of this room looks like.

`{success, intent, result, warnings, suggestions, context, error, timestamp}`, whether it succeeded or not.

An operation answers with its result. What it has to say beside that, it says with `warn` and `suggest`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

from thoughtbox.domains.mind.notices import Notice
from thoughtbox.domains.mind.toolsets import disclosed
from thoughtbox.errors import ThoughtboxError
from thoughtbox.operations import Envelope, Operation, Outside, Tx, redacted
from thoughtbox.world import iso

Priority = Literal["high", "medium", "low"]


class Suggestion(NamedTuple):
    """A call that can be sent as it stands."""

    target: str
    params: Mapping[str, Any]
    reason: str
    priority: Priority = "medium"

    def shown(self) -> dict[str, Any]:
        return {
            "action": "call_tool",
            "target": self.target,
            "reason": self.reason,
            "priority": self.priority,
            "validated": True,
            "params": dict(self.params),
        }


class NextPage(NamedTuple):
    """A call that leads on from the page that is shown, if that is not the last: only its cursor is still open."""

    target: str
    params: Mapping[str, Any]
    reason: str

    def after(self, result: Mapping[str, Any]) -> Suggestion | None:
        cursor = result.get("pagination", {}).get("next_cursor")
        return Suggestion(self.target, {**self.params, "cursor": cursor}, self.reason) if cursor is not None else None


def warn(tx: Tx, code: str, message: str, recovery: str) -> None:
    """Say something beside the answer that its reader should know."""
    tx.remarks.append(Notice(code, message, recovery))


def suggest(tx: Tx, target: str, params: Mapping[str, Any], reason: str, priority: Priority = "medium") -> None:
    """Name a call to make next."""
    tx.remarks.append(Suggestion(target, params, reason, priority))


def intent(operation: Operation) -> str:
    """The tool's name; those of tasks are called by their verb alone."""
    return operation.bare.removeprefix("tasks_")


def _answered(
    operation: Operation,
    result: Mapping[str, Any],
    remarks: Sequence[Any],
    warnings: Sequence[Mapping[str, str]],
    outside: Outside,
) -> dict[str, Any]:
    told = [one.after(result) if isinstance(one, NextPage) else one for one in remarks]
    return {
        "success": True,
        "intent": intent(operation),
        "result": redacted(result),
        "warnings": [*(one._asdict() for one in told if isinstance(one, Notice)), *warnings],
        "suggestions": disclosed([one.shown() for one in told if isinstance(one, Suggestion)], outside.toolset),
        "context": {},
        "error": None,
        "timestamp": iso(outside.now_ms),
    }


def _refused(error: ThoughtboxError, outside: Outside) -> dict[str, Any]:
    told = error.payload()
    details = dict(told.pop("details", {}))
    suggestions = details.pop("suggestions", [])
    hints = details.pop("hints", None)
    return {
        "success": False,
        "intent": "error",
        "result": {},
        "warnings": [],
        "suggestions": disclosed(suggestions, outside.toolset),
        "context": {},
        "error": {**told, **({"hints": hints} if hints else {}), **({"details": details} if details else {})},
        "timestamp": iso(outside.now_ms),
    }


def _schema(result: dict[str, Any]) -> dict[str, Any]:
    definitions = {"$defs": result["$defs"]} if "$defs" in result else {}
    own = {name: part for name, part in result.items() if name != "$defs"}
    several = {"type": "array", "items": {"type": "object"}}
    return {
        "type": "object",
        **definitions,
        "properties": {
            "success": {"type": "boolean"},
            "intent": {"type": "string"},
            "result": own,
            "warnings": several,
            "suggestions": several,
            "context": {"type": "object"},
            "error": {"type": ["object", "null"]},
            "timestamp": {"type": "string"},
        },
        "required": ["success", "intent", "result"],
    }


ENVELOPE = Envelope(part="result", answered=_answered, refused=_refused, schema=_schema)
