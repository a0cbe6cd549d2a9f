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

from thoughtbox.engine.open_files import OpenFiles, proves
from thoughtbox.engine.sqlite_damage import log_of
from thoughtbox.engine.turnstile import PATIENCE_SECONDS, Turnstile
from thoughtbox.errors import StorageBusy

logger = logging.getLogger(__name__)

SHORTEST_PAUSE = 0.02
LONGEST_PAUSE = 0.5
PAUSE_PER_QUIET = 0.05
"""The longer nothing was committed, the longer the pause between two looks."""

IDLE_SECONDS = 4.0
"""After so long without a commit, the log is folded in."""

FOLD_AGAIN_SECONDS = 1.0
FOLD_PATIENCE_MS = 100
"""Who is reading or writing just now goes first: it is tried again."""


class SqliteWatch:
    """Looks at the file's data version, which moves when another connection commits."""

    def __init__(self, database: Path, connection: apsw.Connection, files: OpenFiles) -> None:
        self._connection = connection
        self._files = files
        self._log = log_of(database)
        self._turn = Turnstile(database, patience=FOLD_PATIENCE_MS / 1000)
        self._version: object = None
        self._log_seen = 0, 0

    def run(self, stop: threading.Event, tell: Callable[[], None], last_commit: Callable[[], float]) -> None:
        """Tell of commits until stopped. `last_commit` is when this process last committed."""
        seen = tried = time.monotonic()
        quiet = 0.0
        while not stop.wait(min(max(SHORTEST_PAUSE, quiet * PAUSE_PER_QUIET), LONGEST_PAUSE)):
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
        if self._is_log_at_rest():
            return False
        version, self._version = self._version, self._connection.pragma("data_version")
        return version != self._version

    def _is_log_at_rest(self) -> bool:
        """Whether nothing was written to the log since the last look: much cheaper than to ask SQLite.

        A young time proves nothing, since two writes may bear the same.
        """
        try:
            found = self._log.stat()
        except OSError:
            return False
        before, self._log_seen = self._log_seen, (found.st_mtime_ns, found.st_size)
        return before == self._log_seen and proves(found.st_mtime_ns)

    def _fold(self) -> None:
        """Move what the log holds into the database, and empty it; or leave it, when anybody would have to wait."""
        if not self._is_log_filled() or not self._files.are_in_place():
            return
        # Most of it beside readers and writers, for whom nothing changes; only the emptying needs them to stand aside.
        self._connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
        self._connection.set_busy_timeout(FOLD_PATIENCE_MS)
        try:
            with suppress(StorageBusy, apsw.BusyError), self._turn:
                self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        finally:
            self._connection.set_busy_timeout(int(PATIENCE_SECONDS * 1000))

    def _is_log_filled(self) -> bool:
        with suppress(OSError):
            return self._log.stat().st_size > 0
        return False
