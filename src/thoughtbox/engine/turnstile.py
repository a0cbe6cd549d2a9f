"""A fair turn at writing, among the processes that share one SQLite file.

SQLite's own lock is not fair: a process that writes in a loop can keep others
waiting for seconds, because they sleep between tries. Here a process first waits
in the doorway, then for the floor, and leaves the doorway once it has the floor.
Whoever just wrote finds the next one already in the doorway.

The locks are the kernel's: a process that dies lets go of them. One that was only
suspended does not, so nobody waits for longer than its patience.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from types import TracebackType
from typing import Protocol

from thoughtbox.errors import StorageBusy

try:
    import fcntl
except ImportError:  # pragma: no cover - not on Windows, where SQLite's own lock has to do
    fcntl = None

PATIENCE_SECONDS = 10.0
SHORTEST_PAUSE = 0.00005
LONGEST_PAUSE = 0.001


class Turn(Protocol):
    """A context manager: inside it, no other process writes."""

    def __enter__(self) -> None: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...

    def is_had_at_once(self) -> bool:
        """Enter, if that needs no waiting; whether it was so."""
        ...

    def leave(self) -> None: ...


class FreeTurn:
    """Where no other process has to be waited for."""

    def __enter__(self) -> None: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...

    def is_had_at_once(self) -> bool:
        return True

    def leave(self) -> None: ...


class Turnstile:
    """A fair turn on a file."""

    def __init__(self, database: Path, *, patience: float = PATIENCE_SECONDS) -> None:
        """`patience`: how many seconds to wait for it. A turnstile is in one thread's hands at a time; who writes
        beside it takes another."""
        self._patience = patience
        self._paths = (Path(f"{database}-door"), Path(f"{database}-floor"))
        self._door = -1
        self._floor = -1

    def __enter__(self) -> None:
        if fcntl is None:
            return
        if self._door < 0:
            self._open()
        until = time.monotonic() + self._patience
        _take(self._door, until)
        try:
            _take(self._floor, until)
        finally:
            fcntl.flock(self._door, fcntl.LOCK_UN)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.leave()

    def is_had_at_once(self) -> bool:
        if fcntl is None:
            return True
        if self._door < 0:
            self._open()
        try:
            # Who stands in the doorway was here first.
            fcntl.flock(self._door, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        try:
            fcntl.flock(self._floor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        finally:
            fcntl.flock(self._door, fcntl.LOCK_UN)
        return True

    def leave(self) -> None:
        if fcntl is not None:
            fcntl.flock(self._floor, fcntl.LOCK_UN)

    def close(self) -> None:
        for descriptor in (self._door, self._floor):
            if descriptor >= 0:
                os.close(descriptor)
        self._door = self._floor = -1

    def _open(self) -> None:
        self._door, self._floor = (os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600) for path in self._paths)


def _take(descriptor: int, until: float) -> None:
    """Take a lock, trying again and again: the kernel's own way of waiting has no end."""
    assert fcntl is not None
    pause = SHORTEST_PAUSE
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > until:
                raise StorageBusy(
                    f"another process held the store for more than {PATIENCE_SECONDS:.0f} seconds",
                    recovery="Send the call again; `thoughtbox doctor` shows who holds the store.",
                ) from None
            time.sleep(pause)
            pause = min(pause * 1.5, LONGEST_PAUSE)
        else:
            return
