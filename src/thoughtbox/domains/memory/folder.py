"""Which project a call is about, and where its files may stand."""

from __future__ import annotations

import os
from pathlib import Path

from thoughtbox.domains.memory.project import ProjectFolder
from thoughtbox.errors import PathRefused, ProjectUnavailable
from thoughtbox.operations import Tx


def project_of(tx: Tx) -> ProjectFolder:
    """The project that the server was started for; outside of any, a folder of the workspace's own among its data."""
    if tx.project_root is not None:
        return ProjectFolder(tx.project_root)
    if tx.data_dir is not None:
        return ProjectFolder(tx.data_dir / "projects" / tx.workspace)
    raise ProjectUnavailable(
        "this server knows no project: it was started outside of one, and keeps no files",
        recovery="Start it in the project's folder, or set THOUGHTBOX_PROJECT_ROOT to it.",
    )


def confined(tx: Tx, given: str) -> Path:
    """A path that a caller has named, inside the project's folder or the data directory; links are followed first."""
    project = project_of(tx)
    allowed = [Path(os.path.realpath(folder)) for folder in (project.root, tx.data_dir) if folder is not None]
    path = Path(os.path.realpath(project.root / given)) if "\0" not in given else None
    if path is None or not any(path.is_relative_to(folder) for folder in allowed):
        raise PathRefused(
            f"`{given[:200]}` leads out of the project".replace("\0", "␀"),
            recovery="Name a file inside the project's folder.",
            details={"path": given[:200]},
        )
    return path
