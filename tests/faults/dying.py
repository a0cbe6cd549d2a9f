"""A process that kills itself while SQLite moves its log into the file.

`python -m tests.faults.dying DIRECTORY N torn|whole` thinks, says what was acknowledged, and is gone
at the n-th write to the database file, which is half done, or not at all.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import Any

import apsw

from tests.faults.store import Store
from tests.faults.writer import say
from thoughtbox.engine import sqlite

PAGES = 20
THOUGHTS = 300


class DyingDisk(apsw.VFS):
    """Passes everything on, until it is time."""

    def __init__(self, last: int, *, is_torn: bool) -> None:
        self.left = last
        self.is_torn = is_torn
        super().__init__("dying", "")

    def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> apsw.VFSFile:  # noqa: N802
        return _File(self, name, flags)


class _File(apsw.VFSFile):
    def __init__(self, disk: DyingDisk, name: str | apsw.URIFilename | None, flags: list[int]) -> None:
        self._disk = disk
        path = name.filename() if isinstance(name, apsw.URIFilename) else name or ""
        self._is_database = path.endswith(".db")
        super().__init__("", name, flags)

    def xWrite(self, data: Any, offset: int) -> None:  # noqa: N802
        if self._is_database:
            self._disk.left -= 1
            if self._disk.left == 0:
                if self._disk.is_torn:
                    super().xWrite(bytes(data)[: len(data) // 2], offset)
                os.kill(os.getpid(), signal.SIGKILL)
        super().xWrite(data, offset)


def main(directory: str, last: str, how: str) -> None:
    disk = DyingDisk(int(last), is_torn=how == "torn")
    setattr(sqlite, "AUTOCHECKPOINT_PAGES", PAGES)  # noqa: B010 - a constant elsewhere
    store = Store(Path(directory), vfs="dying", durability="full")
    for number in range(THOUGHTS):
        content = f"{last} {how} {number}"
        key = content if number % 5 == 0 else None
        id = store.think(content, f"s{number % 3}", key=key, actionId="deploy")
        say({"id": id, "session": f"s{number % 3}", "content": content})
    store.close()
    disk.unregister()


if __name__ == "__main__":
    main(*sys.argv[1:])
