"""Reading within an allowance: regular files below a root, without following a link, every byte counted."""

from __future__ import annotations

import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path, PurePath

from thoughtbox.files_below import opened_below


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
    descriptor = opened_below(root, below)
    if descriptor is None:
        yield None
        return
    try:
        allowance.files += 1
        yield Transcript(descriptor, os.fstat(descriptor).st_size, allowance)
    finally:
        os.close(descriptor)
