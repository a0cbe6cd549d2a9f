"""Taking away a folder that programs of a box have filled: however deep or locked it is, and no link is followed."""

from __future__ import annotations

import os
import secrets
import stat
from contextlib import suppress
from pathlib import Path
from typing import Final

MOST_ROUNDS: Final = 1_000_000
"""One for each folder that is in another; there are fewer, unless somebody goes on making them."""


def remove(folder: Path) -> bool:
    """Remove a folder with all that is in it; whether nothing is left. Nobody may be using it any more."""
    try:
        root = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except FileNotFoundError:
        return True
    except OSError:
        return False
    try:
        # Folders in folders come up beside those that they were in: so no path is long, and few are open at once.
        for _ in range(MOST_ROUNDS):
            were_folders = [_has_emptied(root, name) for name in os.listdir(root)]
            if not any(were_folders):
                break
    except OSError:
        return False
    finally:
        os.close(root)
    with suppress(OSError):
        folder.rmdir()
    return not folder.exists()


def _has_emptied(root: int, name: str) -> bool:
    """Remove one thing from a folder, or if it is itself a folder, take what is in it apart."""
    if not stat.S_ISDIR(os.stat(name, dir_fd=root, follow_symlinks=False).st_mode):
        os.unlink(name, dir_fd=root)
        return False
    below = _opened(root, name)
    try:
        for inner in os.listdir(below):
            if stat.S_ISDIR(os.stat(inner, dir_fd=below, follow_symlinks=False).st_mode):
                os.close(_opened(below, inner))
                os.rename(inner, secrets.token_hex(16), src_dir_fd=below, dst_dir_fd=root)
            else:
                os.unlink(inner, dir_fd=below)
    finally:
        os.close(below)
    os.rmdir(name, dir_fd=root)
    return True


def _opened(parent: int, name: str) -> int:
    """A folder, unlocked if its owner has locked it."""
    found = os.open(name, os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=parent)
    try:
        path = f"/proc/self/fd/{found}"
        if os.fstat(found).st_mode & 0o700 != 0o700:
            os.chmod(path, 0o700)
        return os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    finally:
        os.close(found)
