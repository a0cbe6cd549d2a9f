"""Where a project begins: the folder that a server, a command or a hook was started in, or one around it."""

from __future__ import annotations

from pathlib import Path

MARKS = (".claude", ".git", ".hg", "pyproject.toml", "package.json", "Cargo.toml", "go.mod")
"""A folder that holds one of these is a project's."""


def around(folder: Path) -> Path | None:
    """The nearest project around a folder, itself included. A home is no project, nor is the root of a disk."""
    home = Path.home()
    folders = (each for each in (folder, *folder.parents) if each != home and each != Path(each.anchor))
    return next((each for each in folders if any((each / mark).exists() for mark in MARKS)), None)
