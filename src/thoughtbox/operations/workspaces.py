"""Which workspace a call is for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from thoughtbox.errors import InvalidOperation
from thoughtbox.operations.models import Input
from thoughtbox.operations.operation import Operation


def named_workspace(operation: Operation, arguments: Mapping[str, Any]) -> str | None:
    """The workspace that a call names in its arguments, if it is one that can; whether it is a name is seen later."""
    named = arguments.get("workspace") if operation.names_workspace else None
    return named if isinstance(named, str) else None


def must_be_for(operation: Operation, arguments: Input, workspace: str) -> None:
    """Refuse a part of a call that is for another workspace than the whole: a transaction is about one."""
    named = getattr(arguments, "workspace", None) if operation.names_workspace else None
    if named is not None and named != workspace:
        raise InvalidOperation(
            f"{operation.name} is for workspace `{named}`, but the call that it is part of is for `{workspace}`",
            recovery="Send it by itself.",
            details={"workspace": named},
        )
