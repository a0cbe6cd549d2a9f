"""Which project a session belongs to, and whether that is the one asked for."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path

from thoughtbox.domains.mind.transcripts.models import ProjectShown

OF_A_REPOSITORY = 95
OF_A_MANIFEST = 60
UNKNOWN = 0
MANIFESTS = ("Cargo.toml", "package.json", "pyproject.toml", "go.mod")

_MOST_FOLDERS = 64
_LONG_NAME = 200
"""Claude Code shortens the names of folders that would be longer, and adds a hash."""
_SURE_OF = 150


class Scope:
    """The sessions that a call is about: those that ran below a folder, or all of them."""

    def __init__(self, asked: str | None, project_root: Path | None) -> None:
        # A prefix that a caller sends is taken literally. The project's root is a folder: its neighbour, whose name
        # begins with the same letters, is another project.
        self.prefix = asked if asked is not None else str(project_root or "")
        self._literal = asked is not None
        self._folder = canonical(self.prefix)

    def holds(self, hints: Iterable[str]) -> bool:
        return not self.prefix or any(map(self._begins, hints))

    def may_be_in(self, folder_name: str) -> bool:
        """Whether sessions of this scope can be in a folder that Claude Code named after where they began."""
        if not self.prefix:
            return True
        name = _encoded(folder_name)
        asked = {_encoded(path) for path in (self.prefix, self._folder) if path is not None}
        shortened = len(folder_name) >= _LONG_NAME
        return any(name.startswith(a) or (shortened and a.startswith(name[:_SURE_OF])) for a in asked)

    def _begins(self, hint: str) -> bool:
        if self._literal and hint.startswith(self.prefix):
            return True
        return _is_below(hint, self.prefix) or (
            self._folder is not None and (path := canonical(hint)) is not None and _is_below(path, self._folder)
        )


def _is_below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(f"{folder.rstrip('/')}/")


def _encoded(path: str) -> str:
    """A path as a folder's name, whichever characters that client's release replaced, and by how many dashes."""
    return re.sub(r"[^A-Za-z0-9]+", "-", path).rstrip("-")


def _fnv1a(text: str) -> str:
    found = 0xCBF29CE484222325
    for byte in text.encode("utf-8", "replace"):
        found = (found ^ byte) * 0x100000001B3 % 2**64
    return f"{found:016x}"


def canonical(path: str) -> str | None:
    """An absolute path without links and dots; None for what is none."""
    if not path.startswith("/"):
        return None
    try:
        return os.path.realpath(path)
    except (OSError, ValueError):
        return None


def project_of(cwd: str | None) -> ProjectShown:
    """The repository around a folder, else the nearest folder with a manifest, else the folder itself."""
    if cwd is None:
        return ProjectShown(id=_fnv1a(""), name="unknown", confidence=UNKNOWN)
    root, confidence = _root_around(cwd)
    return ProjectShown(id=_fnv1a(root), name=Path(root).name or root, confidence=confidence)


def _root_around(cwd: str) -> tuple[str, int]:
    path = canonical(cwd)
    if path is None:
        return cwd, UNKNOWN
    folders = [Path(path), *Path(path).parents][:_MOST_FOLDERS]
    for folder in folders:
        if _has(folder, ".git"):
            return str(folder), OF_A_REPOSITORY
    for folder in folders:
        if any(_has(folder, name) for name in MANIFESTS):
            return str(folder), OF_A_MANIFEST
    return path, UNKNOWN


def _has(folder: Path, name: str) -> bool:
    try:
        return os.path.lexists(folder / name)
    except (OSError, ValueError):
        return False
