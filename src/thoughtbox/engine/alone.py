"""Being the only one at work that takes many transactions, such as making a view anew or an import.

Others write meanwhile; only a second work of this kind has to wait. The lock is the
kernel's, on a file beside the database: a process that dies lets go of it.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

try:
    import fcntl
except ImportError:  # pragma: no cover - not on Windows, where only the threads of one process wait for each other
    fcntl = None

logger = logging.getLogger(__name__)

PAUSE_SECONDS = 0.02
TOLD_AFTER_SECONDS = 5.0


class Alone:
    """Among all processes on one database file; among the threads of this process for a database in memory."""

    def __init__(self, database: Path | None) -> None:
        self._path = Path(f"{database}-alone") if database else None
        self._here = threading.Lock()

    @contextmanager
    def entered(self, *, patient: bool) -> Generator[bool]:
        if not self._here.acquire(blocking=patient):
            yield False
            return
        try:
            if self._path is None or fcntl is None:
                yield True
                return
            descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            try:
                yield _take(descriptor, patient=patient)
            finally:
                os.close(descriptor)  # which lets go of the lock
        finally:
            self._here.release()


def _take(descriptor: int, *, patient: bool) -> bool:
    assert fcntl is not None
    began, told = time.monotonic(), False
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if not patient:
                return False
            if not told and time.monotonic() - began > TOLD_AFTER_SECONDS:
                told = True
                logger.warning("waiting for another process that imports, or makes views anew")
            time.sleep(PAUSE_SECONDS)
        else:
            return True
