"""Whose request it is: the token that it came with, and the workspaces which that token reaches.

The gate puts it into the request; a request without one (over stdio, or where no token is asked for) reaches all.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from tests.support.sdk_door.context import Context
from thoughtbox.errors import WorkspaceNotFound

STATE = "thoughtbox.principal"


class Principal(NamedTuple):
    """The holder of a token."""

    id: str
    """Tells tokens apart, also two that had the same name one after the other. It is no secret."""
    workspaces: tuple[str, ...] | None
    """Those it reaches; None stands for all."""


def principal_in(scope: Mapping[str, Any]) -> Principal | None:
    """The principal in an ASGI scope."""
    return scope.get("state", {}).get(STATE)


def principal_of(ctx: Context) -> Principal | None:
    return principal_in(ctx.request.scope) if ctx.request is not None else None


def principal_id(ctx: Context) -> str | None:
    """What is given to one principal is bound to this."""
    principal = principal_of(ctx)
    return principal.id if principal is not None else None


def reached(ctx: Context, named: str | None, project: str) -> str:
    """The workspace that a request is about: the one it names, or the server's own.

    A token that does not reach the server's own stands for the first of those it reaches when the request names
    none, since most clients cannot name any.
    """
    workspaces = _workspaces(ctx)
    if named is None:
        return project if workspaces is None or project in workspaces else workspaces[0]
    must_reach(ctx, named)
    return named


def reaches(ctx: Context, workspace: str) -> bool:
    workspaces = _workspaces(ctx)
    return workspaces is None or workspace in workspaces


def must_reach(ctx: Context, workspace: str) -> None:
    """What a token does not reach is not there, whether it exists or not: nobody goes and looks."""
    if not reaches(ctx, workspace):
        raise WorkspaceNotFound(
            f"there is no workspace `{workspace}` for this token",
            recovery=f"It reaches {', '.join(_workspaces(ctx) or ())}.",
        )


def _workspaces(ctx: Context) -> tuple[str, ...] | None:
    principal = principal_of(ctx)
    return principal.workspaces if principal is not None else None
