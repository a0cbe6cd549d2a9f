"""Watching a SQLite store from aside: what other processes commit, and when nobody does.

Looking costs a little each time, so it is done often only while there is something to see.
A store at rest has its log folded into the database: a copy of the one file is then all of it, and
a log that gets lost takes nothing along. Who serves, and syncs every commit, keeps the log for the
next ones to be written over; it holds nothing then that the database does not have.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Literal

import apsw

from thoughtbox.engine.log_reserve import LogReserve
from thoughtbox.engine.open_files import OpenFiles, proves
from thoughtbox.engine.protocol import seldom
from thoughtbox.engine.sqlite_damage import log_of
from thoughtbox.engine.turnstile import PATIENCE_SECONDS, Turnstile
from thoughtbox.errors import StorageBusy

logger = logging.getLogger(__name__)

SHORTEST_PAUSE = 0.02
LONGEST_PAUSE = 0.5
PAUSE_PER_QUIET = 0.05
"""The longer no other process has committed, the longer the pause between two looks."""

CLOSE_PAUSE = 0.04
"""But no longer than this while somebody looks on."""

PAUSE_TO_TEND = 0.1
"""But no longer than this while there is room to be made in the log for the commits to come."""

IDLE_SECONDS = 4.0
"""After so long without a commit, the log is folded in."""

SETTLE_SECONDS = 0.5
"""After so long without a commit, nobody is held up when some of the log is written in advance."""

FOLD_AGAIN_SECONDS = 1.0
FOLD_WHEN_BUSY_SECONDS = 0.1
FOLD_PATIENCE_MS = 100
"""Who is reading or writing just now goes first: it is tried again."""


class SqliteWatch:
    """Looks at the file's data version, which moves when another connection commits."""

    def __init__(
        self,
        database: Path,
        connection: apsw.Connection,
        files: OpenFiles,
        keeps_log: Callable[[], bool],
        is_close: Callable[[], bool] = seldom,
    ) -> None:
        """`keeps_log`: whether the log is to be kept for the next commits, and some of it written in advance.

        `is_close`: whether somebody waits for what others commit.
        """
        self._connection = connection
        self._keeps_log = keeps_log
        self._is_close = is_close
        self._files = files
        self._log = log_of(database)
        self._reserve = LogReserve(self._log, connection, files)
        self._turn = Turnstile(database, patience=FOLD_PATIENCE_MS / 1000)
        self._tried = 0.0
        self._version: object = None
        self._log_seen = 0, 0

    def run(self, stop: threading.Event, tell: Callable[[], None], last_commit: Callable[[], float]) -> None:
        """Tell of commits until stopped. `last_commit` is when this process last committed."""
        now = seen = self._tried = time.monotonic()
        quiet = tended = 0.0
        while not stop.wait(self._pause(quiet, now - seen)):
            before, now = now, time.monotonic()
            if self._has_moved():
                if last_commit() < before:  # else it may have been this process itself
                    seen = now
                tell()
            last = max(seen, last_commit())
            quiet = now - last
            if quiet > IDLE_SECONDS and now - self._tried > FOLD_AGAIN_SECONDS:
                self._tried = now
                self._rest()
            elif (quiet < 2 * SETTLE_SECONDS or tended < last) and self._keeps_log():
                is_busy = quiet < SETTLE_SECONDS
                self._tend(now, is_busy=is_busy)
                tended = tended if is_busy else now  # where no look came in time, a late one does it

    def close(self) -> None:
        self._turn.close()

    def _pause(self, quiet: float, quiet_elsewhere: float) -> float:
        """How long to wait for the next look, after so long without a commit, and without one of another process."""
        longest = PAUSE_TO_TEND if quiet < 2 * SETTLE_SECONDS and self._keeps_log() else LONGEST_PAUSE
        if self._is_close():
            longest = CLOSE_PAUSE
        return min(max(SHORTEST_PAUSE, quiet_elsewhere * PAUSE_PER_QUIET), longest)

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

    def _tend(self, now: float, *, is_busy: bool) -> None:
        """See to it that there is room in the log for the commits to come: written in advance, or by starting over."""
        filling = self._reserve.filling()
        if self._reserve.is_to_be_folded(filling) and now - self._tried > FOLD_WHEN_BUSY_SECONDS:
            self._tried = now
            self._fold("PASSIVE")
        elif self._reserve.is_short(filling, is_busy=is_busy) and self._files.are_in_place():
            with self._not_for_long():
                self._reserve.write_ahead(filling, self._turn, is_busy=is_busy)

    def _rest(self) -> None:
        """Leave nothing in the log that the database does not have; and nothing at all, unless it is kept."""
        filling = self._reserve.filling()
        if not self._keeps_log() or self._reserve.is_too_large(filling):
            if filling.size:
                self._fold("TRUNCATE")
        elif filling.unfolded:
            self._fold("PASSIVE")

    def _fold(self, way: Literal["PASSIVE", "TRUNCATE"]) -> None:
        """Move what the log holds into the database; or leave it, when anybody would have to wait.

        Once all of it is there, and nobody reads it, the next to write starts over at the beginning of the log.
        """
        if not self._files.are_in_place():
            return
        # Most of it beside those who write, for whom nothing changes; they stand aside for the rest, and the emptying.
        self._connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
        with self._not_for_long(), self._turn:
            self._connection.execute(f"PRAGMA wal_checkpoint({way})")

    @contextmanager
    def _not_for_long(self) -> Generator[None]:
        """Wait for nobody longer than a moment: what cannot be had then is tried again."""
        self._connection.set_busy_timeout(FOLD_PATIENCE_MS)
        try:
            with suppress(StorageBusy, apsw.BusyError):
                yield
        finally:
            self._connection.set_busy_timeout(int(PATIENCE_SECONDS * 1000))
