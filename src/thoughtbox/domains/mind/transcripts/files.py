"""Reading within an allowance: regular files below a root, without following a link, every byte counted."""

from __future__ import annotations

import os
import stat
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path, PurePath

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
# What is not there for reading at once, such as a pipe that nobody writes to, must not be waited for.
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | getattr(os, "O_NOCTTY", 0)


class Allowance:
    """What a call may still open and read."""

    def __init__(self, files: int, size: int) -> None:
        self._most_files = files
        self._most_bytes = size
        self.files = 0
        self.bytes = 0
        self.truncated = False
        """Whether something was left unread because the bytes were used up."""

    @property
    def more_files(self) -> bool:
        return self.files < self._most_files

    @property
    def bytes_left(self) -> int:
        return self._most_bytes - self.bytes

    def grant(self, wanted: int) -> int:
        """As many of the wanted bytes as may be read."""
        granted = min(wanted, self.bytes_left)
        self.truncated = self.truncated or granted < wanted
        return granted


class Transcript:
    """An open file, as long as it was when it was opened: what is appended meanwhile is not read."""

    def __init__(self, descriptor: int, size: int, allowance: Allowance) -> None:
        self._descriptor = descriptor
        self._allowance = allowance
        self.size = size

    def read(self, start: int, length: int) -> bytes:
        """Bytes from `start` on; fewer where the file or the allowance ends, or the disk fails."""
        left = self._allowance.grant(max(0, min(length, self.size - start)))
        parts = []
        while left > 0:
            try:
                part = os.pread(self._descriptor, left, start)
            except OSError:
                break
            if not part:  # it became shorter
                break
            self._allowance.bytes += len(part)
            parts.append(part)
            start += len(part)
            left -= len(part)
        return b"".join(parts)

    def read_end(self, start: int, stop: int) -> tuple[int, bytes]:
        """What is between two places, and where that begins: if not all of it may be read, its end is."""
        start = stop - self._allowance.grant(max(0, stop - start))
        return start, self.read(start, stop - start)


@contextmanager
def opened(root: Path, below: PurePath, allowance: Allowance) -> Generator[Transcript | None]:
    """The file below the root, or None if it is gone, is no regular file, or may not be read."""
    descriptor = _descriptor(root, below)
    if descriptor is None:
        yield None
        return
    try:
        allowance.files += 1
        yield Transcript(descriptor, os.fstat(descriptor).st_size, allowance)
    finally:
        os.close(descriptor)


def _descriptor(root: Path, below: PurePath) -> int | None:
    """Folder by folder, so that none can be exchanged for a link that leads out while we look."""
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
