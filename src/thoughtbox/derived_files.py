"""Files that are made from the program itself to save time: where they are kept, and whether they may be believed."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterator
from contextlib import suppress
from importlib.util import cache_from_source
from pathlib import Path

PACKAGE = Path(__file__).parent
_OTHERS_MAY_WRITE = stat.S_IWGRP | stat.S_IWOTH


def places(package: Path, *, to_write: bool = False) -> Iterator[Path]:
    """Folders that a file may be in: where the package's bytecode is, or else where this user's caches are."""
    if not (to_write and sys.dont_write_bytecode):
        yield Path(cache_from_source(str(package / "__init__.py"))).parent
    caches = os.environ.get("XDG_CACHE_HOME")
    with suppress(RuntimeError):  # nobody's home
        if sys.platform == "win32":
            caches = caches or os.environ.get("LOCALAPPDATA") or str(Path.home())
        elif sys.platform == "darwin":
            caches = caches or str(Path.home() / "Library" / "Caches")
        yield Path(caches or Path.home() / ".cache") / "thoughtbox"


def is_trusted(state: os.stat_result) -> bool:
    """Whether nobody can have written it who could not have changed the program itself."""
    if sys.platform == "win32":
        return True
    return state.st_uid in (0, os.geteuid(), PACKAGE.stat().st_uid) and not state.st_mode & _OTHERS_MAY_WRITE
