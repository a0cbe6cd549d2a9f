"""Which workspaces a server works in."""

from __future__ import annotations

from typing import NamedTuple

from thoughtbox.errors import WorkspaceLocked, WorkspaceNotAllowed


class Workspaces(NamedTuple):
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
