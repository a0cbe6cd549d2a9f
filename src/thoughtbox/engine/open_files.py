"""The files of a store that a process has open, and whether they still are the files at their paths.

A file that was removed or replaced can still be written through an open descriptor: all
goes well, and is gone with the process. Files are only looked at here, never opened: closing a
database file or its shared memory would drop the locks that SQLite holds on it.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

from thoughtbox.errors import StorageError


class _File(NamedTuple):
    path: str
    device: int
    inode: int


class OpenFiles:
    """A database, its log and its shared memory."""

    def __init__(self, database: Path) -> None:
        real = os.path.realpath(database)  # SQLite puts the others beside the file that a link leads to
        self._database = str(database)
        self._others = (f"{real}-wal", f"{real}-shm")
        self._held: tuple[_File, ...] = ()

    def hold(self) -> None:
        """Remember the files, now that a connection has them: while it does, nobody else takes the log away."""
        known = {file.path: file for file in self._held}
        self._held = tuple(known.get(path) or _look(path) for path in (self._database, *self._others))

    def let_go_of_log(self) -> None:
        """The connection is to be closed: if it was the last one, SQLite takes the log away."""
        self._held = self._held[:1]

    def are_in_place(self) -> bool:
        stat = os.stat
        try:
            for path, device, inode in self._held:
                found = stat(path)
                if found.st_ino != inode or found.st_dev != device:
                    return False
        except OSError:
            return False
        return True

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


def _look(path: str) -> _File:
    found = Path(path).stat()
    return _File(path, found.st_dev, found.st_ino)
