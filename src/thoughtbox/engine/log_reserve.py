"""SQLite's log, written in advance.

A commit into blocks that the disk has already is synced in half the time of one that makes the log grow. So a
process that serves keeps a piece of the log written behind what is in use, and lets the log start over at its
beginning instead of emptying it: once all of it is in the database, SQLite writes over it from there.

What is written in advance are zeros. SQLite takes frames up to the first that does not fit the ones before it, so it
never takes these for any, and neither does `wal.py`. They are written by whoever holds the right to write, and
only behind the end of the file, where nobody has anything.
"""

from __future__ import annotations

import logging
import os
import time
from pathlib import Path
from typing import NamedTuple

import apsw

from thoughtbox.engine.open_files import OpenFiles
from thoughtbox.engine.turnstile import Turn
from thoughtbox.engine.wal import FRAME_HEADER, HEADER

logger = logging.getLogger(__name__)

AHEAD = 1 << 20
"""Bytes of the log that are kept written in advance: some fifty appends, until the log is folded in."""

LARGEST = 8 << 20
"""Bytes from which on the log is folded in, and starts over, rather than written further in advance."""


TRY_AGAIN_SECONDS = 60.0
"""When the disk had no room for it, say."""


class Filling(NamedTuple):
    """How full a log is."""

    used: int
    """Bytes up to the end of the last commit."""
    unfolded: int
    """Bytes of frames that the database does not have yet."""
    size: int


class LogReserve:
    """The log of one database, through a connection that has it open."""

    def __init__(self, log: Path, connection: apsw.Connection, files: OpenFiles) -> None:
        self._log = log
        self._connection = connection
        self._files = files
        self._frame = FRAME_HEADER.size + connection.pragma("page_size")
        self._not_before = 0.0
        self._was_told = False

    def filling(self) -> Filling:
        found = self._connection.execute("PRAGMA wal_checkpoint(NOOP)").fetchall()
        frames, folded = (count if isinstance(count, int) and count > 0 else 0 for count in found[0][1:])
        try:
            size = self._log.stat().st_size
        except FileNotFoundError:
            size = 0
        return Filling(HEADER.size + frames * self._frame, (frames - folded) * self._frame, size)

    def is_short(self, filling: Filling, *, is_busy: bool) -> bool:
        """Whether more should be written in advance; while others are busy, only once some of it is used up."""
        if filling.size >= min(filling.used + AHEAD // 2, LARGEST) or (is_busy and filling.used < AHEAD // 2):
            return False
        return time.monotonic() >= self._not_before

    def is_to_be_folded(self, filling: Filling) -> bool:
        """Whether so much is in it that it should start over, however busy others are."""
        return filling.unfolded > LARGEST // 2

    def is_too_large(self, filling: Filling) -> bool:
        """Whether it has grown beyond what is worth keeping."""
        return filling.size > LARGEST

    def write_ahead(self, filling: Filling, turn: Turn, *, is_busy: bool) -> None:
        """Write some more in advance; while others are busy, enough to be ahead of them for a while.

        A disk that is full is no reason to fail: then commits take longer, as before.
        """
        until = min(filling.used + (4 * AHEAD if is_busy else AHEAD), LARGEST)
        try:
            with self._log.open("r+b", buffering=0) as file:
                with turn:
                    self._write(file.fileno(), until)
                os.fsync(file.fileno())
        except OSError as error:
            self._not_before = time.monotonic() + TRY_AGAIN_SECONDS
            if not self._was_told:
                self._was_told = True
                logger.warning("the log cannot be written in advance; commits take longer meanwhile: %s", error)

    def _write(self, descriptor: int, until: int) -> None:
        self._connection.execute("BEGIN IMMEDIATE")  # from here on nobody else writes to the log, or empties it
        try:
            end = os.lseek(descriptor, 0, os.SEEK_END)
            if end < until and self._files.are_in_place() and self._files.have(descriptor):
                while end < until:  # a disk that is nearly full takes some of it first
                    end += os.write(descriptor, bytes(until - end))
        finally:
            self._connection.execute("ROLLBACK")
