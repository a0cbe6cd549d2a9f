"""Watching a SQLite store from aside: what other processes commit, and when nobody does.

Looking costs a little each time, so it is done often only while there is something to see.
A store at rest has its log folded into the database: a copy of the one file is then all of it, and
a log that gets lost takes nothing along.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import apsw

from thoughtbox.engine.open_files import OpenFiles
from thoughtbox.engine.sqlite_damage import log_of
from thoughtbox.engine.turnstile import Turnstile
from thoughtbox.errors import StorageBusy

logger = logging.getLogger(__name__)

QUICK_SECONDS = 0.02
SLOW_SECONDS = 0.2
QUIET_SECONDS = 2.0
"""After so long without a commit, the store is looked at less often."""

IDLE_SECONDS = 4.0
"""After so long without a commit, the log is folded in."""

FOLD_AGAIN_SECONDS = 1.0
FOLD_PATIENCE_SECONDS = 0.1
"""Who is reading or writing just now goes first: it is tried again."""


class SqliteWatch:
    """Looks at the file's data version, which moves when another connection commits."""

    def __init__(self, database: Path, connection: apsw.Connection, files: OpenFiles) -> None:
        self._connection = connection
        self._files = files
        self._log = log_of(database)
        self._turn = Turnstile(database, patience=FOLD_PATIENCE_SECONDS)
        self._version: object = None

    def run(self, stop: threading.Event, tell: Callable[[], None], last_commit: Callable[[], float]) -> None:
        """Tell of commits until stopped. `last_commit` is when this process last committed."""
        seen = tried = time.monotonic()
        quiet = 0.0
        while not stop.wait(QUICK_SECONDS if quiet < QUIET_SECONDS else SLOW_SECONDS):
            now = time.monotonic()
            if self._has_moved():
                seen = now
                tell()
            quiet = now - max(seen, last_commit())
            if quiet > IDLE_SECONDS and now - tried > FOLD_AGAIN_SECONDS:
                tried = now
                self._fold()

    def close(self) -> None:
        self._turn.close()

    def _has_moved(self) -> bool:
        version, self._version = self._version, self._connection.pragma("data_version")
        return version != self._version

    def _fold(self) -> None:
        """Move what the log holds into the database, and empty it; or leave it, when anybody would have to wait."""
        if not self._is_log_filled() or not self._files.are_in_place():
            return
        with suppress(StorageBusy, apsw.BusyError), self._turn:
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def _is_log_filled(self) -> bool:
        with suppress(OSError):
            return self._log.stat().st_size > 0
        return False
