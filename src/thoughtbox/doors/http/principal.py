"""Whose request it is: the token that it came with, and the workspaces which that token reaches.

The gate puts it into the request; a request without one (over stdio, or where no token is asked for) reaches all.
"""

from __future__ import annotations

from typing import NamedTuple

from thoughtbox.errors import WorkspaceNotFound


class Principal(NamedTuple):
    """The holder of a token."""

    id: str
    """Tells tokens apart, also two that had the same name one after the other. It is no secret."""
    workspaces: tuple[str, ...] | None
    """Those it reaches; None stands for all."""


def reached(principal: Principal | None, named: str | None, project: str) -> str:
    """The workspace that a request is about: the one it names, or the server's own.

    A token that does not reach the server's own stands for the first of those it reaches when the request names
    none, since most clients cannot name any.
    """
    workspaces = principal.workspaces if principal is not None else None
    if named is None:
        return project if workspaces is None or project in workspaces else workspaces[0]
    must_reach(principal, named)
    return named


def reaches(principal: Principal | None, workspace: str) -> bool:
    return principal is None or principal.workspaces is None or workspace in principal.workspaces


def must_reach(principal: Principal | None, workspace: str) -> None:
    """What a token does not reach is not there, whether it exists or not: nobody goes and looks."""
    if not reaches(principal, workspace):
        known = principal.workspaces if principal is not None else None
        raise WorkspaceNotFound(
            f"there is no workspace `{workspace}` for this token",
            recovery=f"It reaches {', '.join(known or ())}.",
        )
