"""Which workspace a call is for, and which ones calls may go to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from thoughtbox.errors import InvalidOperation, WorkspaceLocked, WorkspaceNotAllowed
from thoughtbox.operations.models import Input
from thoughtbox.operations.operation import Operation


@dataclass(frozen=True, slots=True)
class Workspaces:
    """The workspaces that this server works in: all of them, its own alone, or those on a list."""

    own: str = ""
    locked: bool = False
    allowed: tuple[str, ...] = ()

    def must_be_open(self, workspace: str) -> None:
        if self.locked and workspace != self.own:
            raise WorkspaceLocked(
                f"this server works in workspace `{self.own}` only, not in `{workspace}`",
                recovery="Leave workspace out.",
                details={"workspace": workspace},
            )
        if self.allowed and workspace not in (self.own, *self.allowed):
            raise WorkspaceNotAllowed(
                f"workspace `{workspace}` is not among those that this server works in",
                recovery=f"Name one of {', '.join(dict.fromkeys((self.own, *self.allowed)))}, or leave workspace out.",
                details={"workspace": workspace},
            )


ANY = Workspaces()


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
