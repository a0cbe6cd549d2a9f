"""The files of a store that a process has open, and whether they still are the files at their paths.

A file that was removed or replaced can still be written through an open descriptor: all
goes well, and is gone with the process. Files are only looked at here, never opened: closing a
database file or its shared memory would drop the locks that SQLite holds on it.

Nothing can be taken out of a directory, or put into it, without the directory's time moving on.
While that has not moved, one look at the directory is enough.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import NamedTuple

from thoughtbox.errors import StorageError

SECOND_NS = 1_000_000_000
COARSEST_NS = 3 * SECOND_NS
FINE_NS = SECOND_NS // 10
"""Two changes may bear the same time: one this young proves nothing, where a file system counts in seconds, and where
it counts in parts of them."""


class _File(NamedTuple):
    path: str
    device: int
    inode: int


class _Directory(NamedTuple):
    """A directory as it was when all files were in place."""

    path: str
    device: int
    inode: int
    changed_ns: int


class OpenFiles:
    """A database, its log and its shared memory."""

    def __init__(self, database: Path) -> None:
        self._database = os.path.abspath(database)  # noqa: PTH100 - links are left as they are
        real = os.path.realpath(database)  # SQLite puts the others beside the file that a link leads to
        self._others = (f"{real}-wal", f"{real}-shm")
        # Through a link there are more ways to another file than one directory can tell of.
        self._directory = str(Path(real).parent) if real == self._database else None
        self._held: tuple[_File, ...] = ()
        self._seen: _Directory | None = None

    def hold(self) -> None:
        """Remember the files, now that a connection has them: while it does, nobody else takes the log away."""
        known = {file.path: file for file in self._held}
        self._held = tuple(known.get(path) or _look(path) for path in (self._database, *self._others))
        self._seen = None

    def let_go_of_log(self) -> None:
        """The connection is to be closed: if it was the last one, SQLite takes the log away."""
        self._held = self._held[:1]
        self._seen = None

    def are_in_place(self) -> bool:
        try:
            if (seen := self._seen) is not None:
                found = os.stat(seen.path)  # noqa: PTH116 - before every commit, and faster
                if found.st_mtime_ns == seen.changed_ns and found.st_ino == seen.inode and found.st_dev == seen.device:
                    return True
            return self._look_at_each()
        except OSError:
            return False

    def have(self, descriptor: int) -> bool:
        """Whether what was opened is one of the files, and no other that stands in its place."""
        found = os.fstat(descriptor)
        return any((file.device, file.inode) == (found.st_dev, found.st_ino) for file in self._held)

    def check(self, *, is_written: bool = False) -> None:
        """Refuse to go on with files that are no longer the store's; `is_written` when it has come to a commit."""
        if self.are_in_place():
            return
        what = "; what was written last may be there or not, when they are back" if is_written else ""
        raise StorageError(
            f"the store was removed or replaced while this server was running{what}",
            recovery=f"Put {self._database} and the files beside it back where they were, or restart the server"
            " to use what is there now.",
            details={"outcome": "unknown"} if is_written else None,
        )

    def _look_at_each(self) -> bool:
        held = self._held
        directory = None if self._directory is None else os.stat(self._directory)  # noqa: PTH116
        for file in held:
            if _look(file.path) != file:
                return False
        if directory is not None and proves(directory.st_mtime_ns) and held is self._held:
            self._seen = _Directory(str(self._directory), directory.st_dev, directory.st_ino, directory.st_mtime_ns)
        return True


def proves(changed_ns: int) -> bool:
    """Whether a file's time is old enough to have moved on with any later change."""
    finest = FINE_NS if changed_ns % SECOND_NS else COARSEST_NS
    return time.time_ns() - changed_ns > finest


def _look(path: str) -> _File:
    found = os.stat(path)  # noqa: PTH116
    return _File(path, found.st_dev, found.st_ino)
