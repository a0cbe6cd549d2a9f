"""Which operation a call on the gateway means, and its arguments.

`{operation: "session", subOperation: "get", sessionId: …}`, `{operation: "session.get", sessionId: …}` and
`{operation: "session", args: {operation: "get", args: {sessionId: …}}}` all mean the same.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from thoughtbox.errors import InvalidOperation, InvalidPayload

if TYPE_CHECKING:
    from thoughtbox.operations import Table

OPERATION, SUB_OPERATION, ARGUMENTS = "operation", "subOperation", "args"


def route(table: Table, arguments: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """The name of the operation that is meant, and its own arguments."""
    given = {name: value for name, value in arguments.items() if value is not None}
    name = _name(given, OPERATION)
    if name is None:
        raise InvalidPayload(
            f"`{OPERATION}` is missing: it names what to do",
            recovery=table.guidance(),
            details={"fields": [OPERATION]},
        )
    own = _unfolded(given)
    family = table.family(name)
    if family:
        sub = _name(own, SUB_OPERATION)
        if sub is None and OPERATION in own:  # nested: {operation: "session", args: {operation: "get", args: {…}}}
            sub = _name(own, OPERATION)
            own = _unfolded(own)
        if sub is None:
            raise InvalidPayload(
                f"`{name}` needs `{SUB_OPERATION}`",
                recovery=f"It is one of {', '.join(sorted(family))}.",
                details={"fields": [SUB_OPERATION]},
            )
        name = f"{name}.{sub}"
    found = table.look_up(name, own)
    if found.gateway is not None:
        raise InvalidOperation(f"`{found.name}` leads to other operations, not to itself")
    return found.name, own


def _name(given: dict[str, Any], field: str) -> str | None:
    name = given.pop(field, None)
    if name is not None and not isinstance(name, str):
        raise InvalidPayload(f"`{field}` must be a text", details={"fields": [field]})
    return name or None


def _unfolded(given: dict[str, Any]) -> dict[str, Any]:
    """Arguments given flat and those given under `args`, together; one that is given twice must be the same."""
    rest = {name: value for name, value in given.items() if name != ARGUMENTS}
    nested = given.get(ARGUMENTS)
    if nested is None:
        return rest
    if isinstance(nested, str):  # some clients send objects as text
        try:
            nested = json.loads(nested)
        except (ValueError, RecursionError):
            nested = None
    if not isinstance(nested, dict):
        raise InvalidPayload(f"`{ARGUMENTS}` must be an object", details={"fields": [ARGUMENTS]})
    for name, value in nested.items():
        if name in rest and rest[name] != value:
            raise InvalidPayload(
                f"`{name}` is given twice, and differently",
                recovery=f"Send it beside `{OPERATION}` or inside `{ARGUMENTS}`, not both.",
                details={"fields": [name]},
            )
    return {**nested, **rest}
