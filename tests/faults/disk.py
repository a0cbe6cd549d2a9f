"""A disk that fails when it is told to: an apsw VFS over the real one."""

from __future__ import annotations

import threading
from collections.abc import Generator
from contextlib import contextmanager
from itertools import count
from typing import Any, Literal, NamedTuple

import apsw

Verb = Literal["write", "sync", "truncate", "delete", "read"]
How = Literal["full", "torn", "broken"]
"""What goes wrong: the disk is full, or full after half of the bytes, or fails with an input/output error."""

CHANGES: frozenset[Verb] = frozenset({"write", "sync", "truncate", "delete"})

_NAMES = count(1)


class Step(NamedTuple):
    """One thing asked of the disk: what, and of which file (`db`, `db-wal`, `db-journal`)."""

    verb: Verb
    file: str

    def __str__(self) -> str:
        return f"{self.verb} {self.file}"


class FailingDisk(apsw.VFS):
    """Counts what it is asked to do, and fails from the step it was told until it is mended."""

    def __init__(self) -> None:
        self.vfs_name = f"failing-{next(_NAMES)}"
        self.steps: list[Step] = []
        self.failures: list[Step] = []
        self._counted: frozenset[Verb] = CHANGES
        self._how: How = "full"
        self._first = -1
        self._last = -1
        self._lock = threading.Lock()
        super().__init__(self.vfs_name, "")

    def fail(self, first: int, how: How, *, times: int = 1, counted: frozenset[Verb] = CHANGES) -> None:
        """Let the steps from number `first` on fail, as many `times`."""
        self.steps.clear()
        self.failures.clear()
        self._counted = counted
        self._how = how
        self._first, self._last = first, first + times - 1

    def mend(self) -> None:
        self._first = self._last = -1

    def fails(self, verb: Verb, file: str) -> How | None:
        """Enter the step; how it is to fail, if it is."""
        step = Step(verb, file)
        with self._lock:
            if verb not in self._counted:
                return None
            self.steps.append(step)
            if not self._first <= len(self.steps) - 1 <= self._last:
                return None
            self.failures.append(step)
            return self._how

    def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> apsw.VFSFile:  # noqa: N802
        return _File(self, name, flags)

    def xDelete(self, filename: str, syncdir: bool) -> None:  # noqa: N802
        if self.fails("delete", _kind(filename)):
            raise _error("broken", "delete")
        super().xDelete(filename, syncdir)


class _File(apsw.VFSFile):
    def __init__(self, disk: FailingDisk, name: str | apsw.URIFilename | None, flags: list[int]) -> None:
        self._disk = disk
        self._kind = _kind(name.filename() if isinstance(name, apsw.URIFilename) else name or "")
        super().__init__("", name, flags)

    def xWrite(self, data: Any, offset: int) -> None:  # noqa: N802
        how = self._disk.fails("write", self._kind)
        if how == "torn":
            super().xWrite(bytes(data)[: len(data) // 2], offset)
        if how:
            raise _error(how, "write")
        super().xWrite(data, offset)

    def xSync(self, flags: int) -> None:  # noqa: N802
        if self._disk.fails("sync", self._kind):
            raise _error("broken", "sync")
        # Nothing is lost here by a power cut, so the real disk is not waited for.

    def xTruncate(self, newsize: int) -> None:  # noqa: N802
        if self._disk.fails("truncate", self._kind):
            raise _error("broken", "truncate")
        super().xTruncate(newsize)

    def xRead(self, amount: int, offset: int) -> bytes:  # noqa: N802
        if self._disk.fails("read", self._kind):
            raise _error("broken", "read")
        return super().xRead(amount, offset)


def _kind(path: str) -> str:
    """`db`, `db-wal` or `db-journal`."""
    return path.rpartition(".")[2]


_BROKEN: dict[str, int] = {
    "write": apsw.SQLITE_IOERR_WRITE,
    "sync": apsw.SQLITE_IOERR_FSYNC,
    "truncate": apsw.SQLITE_IOERR_TRUNCATE,
    "delete": apsw.SQLITE_IOERR_DELETE,
    "read": apsw.SQLITE_IOERR_READ,
}


def _error(how: How, verb: Verb) -> Exception:
    return apsw.exception_for(_BROKEN[verb] if how == "broken" else apsw.SQLITE_FULL)


@contextmanager
def failing_disk() -> Generator[FailingDisk]:
    disk = FailingDisk()
    try:
        yield disk
    finally:
        disk.unregister()
