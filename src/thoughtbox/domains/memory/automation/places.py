"""Whose files automation touches: the project's, and nobody else's."""

from __future__ import annotations

import os
from pathlib import Path

from thoughtbox.domains.memory.folder import confined, project_of
from thoughtbox.domains.memory.project import ProjectFolder
from thoughtbox.errors import PathRefused, ProjectUnavailable
from thoughtbox.operations import Tx


def named_project(tx: Tx, given: str | None) -> ProjectFolder:
    """The project; a caller may name it, and no other."""
    folder = own_project(tx) if given is not None else project_of(tx)
    if given is not None and Path(os.path.realpath(given)) != Path(os.path.realpath(folder.root)):
        raise PathRefused(
            f"`{given[:200]}` is not the project that this server works for",
            recovery="Leave project_path out.",
            details={"fields": ["project_path"]},
        )
    return folder


def own_project(tx: Tx) -> ProjectFolder:
    if tx.project_root is None:
        raise ProjectUnavailable(
            "this server was started outside of a project",
            recovery="Start it in the project's folder, or set THOUGHTBOX_PROJECT_ROOT to it.",
        )
    return project_of(tx)


def inside(tx: Tx, path: Path) -> Path:
    """Where a file of the project really stands: a link must not lead out of it."""
    return confined(tx, str(path))


def shown(folder: ProjectFolder, path: Path) -> str:
    return str(path.relative_to(folder.root)) if path.is_relative_to(folder.root) else str(path)
