"""Files below a folder, and nothing else: no link is followed on the way, and none can be put there meanwhile."""

from __future__ import annotations

import os
import stat
from pathlib import Path, PurePath

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
# What is not there for reading at once, such as a pipe that nobody writes to, must not be waited for.
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | getattr(os, "O_NOCTTY", 0)


def opened_below(root: Path, below: PurePath) -> int | None:
    """A regular file, opened for reading; None if there is none, or it may not be read.

    Folder by folder, so that none can be exchanged for a link that leads out while we look.
    """
    try:
        folder = os.open(root, _FOLDER)
    except OSError:
        return None
    try:
        for name in below.parts[:-1]:
            inner = os.open(name, _FOLDER | os.O_NOFOLLOW, dir_fd=folder)
            os.close(folder)
            folder = inner
        if not stat.S_ISREG(os.stat(below.name, dir_fd=folder, follow_symlinks=False).st_mode):
            return None
        descriptor = os.open(below.name, _FILE, dir_fd=folder)
    except (OSError, ValueError):
        return None
    finally:
        os.close(folder)
    if stat.S_ISREG(os.fstat(descriptor).st_mode):
        return descriptor
    os.close(descriptor)
    return None
