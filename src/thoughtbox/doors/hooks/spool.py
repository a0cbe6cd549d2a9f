"""What hooks take down for later: lines in a file of the data directory, until a process with time brings them in.

A line is safe once `append` returns. Lines are taken in their order, by one process at a time; one that is taken twice,
because that process died, is known by its key and written once.
"""

from __future__ import annotations

import fcntl
import json
import os
import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

from thoughtbox.doors.hooks.host import Place

LARGEST = 8 << 20
"""Bytes that wait at the most. Whoever never opens the store must not fill the disk."""
OFTEN_ENOUGH = 5
"""Seconds between two processes that bring lines in: several tool calls a second are one process's work."""


APPENDING = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW


class Full(Exception):
    """There is no room for another line."""


class Spool:
    """The lines of one project that wait for one store."""

    def __init__(self, place: Place) -> None:
        told = json.dumps([place.database_url, place.workspace, str(place.root)])
        self._folder = place.data_dir / "hooks"
        self._lines = self._folder / f"{sha256(told.encode()).hexdigest()[:16]}.jsonl"

    @property
    def waiting(self) -> int:
        """How many lines wait."""
        texts = (_read(path) for path in (self._taken, self._lines))
        return sum(bool(line.strip()) for text in texts for line in text.splitlines())

    def append(self, line: Mapping[str, Any]) -> None:
        """Take one line down, with a key of its own."""
        key = f"hook-{time.time_ns():x}-{os.getpid():x}-{os.urandom(4).hex()}"
        text = json.dumps({"key": key, **line}, ensure_ascii=True, separators=(",", ":")) + "\n"
        with self._locked("append"):
            file = os.open(self._lines, APPENDING, 0o600)
            try:
                size = os.fstat(file).st_size
                if size + len(text) > LARGEST:
                    raise Full(f"{self._lines} is full; `thoughtbox doctor` says why nothing is brought in")
                # In front of it, too: a power cut may have left half a line.
                os.write(file, f"\n{text}".encode())
                os.fsync(file)
            finally:
                os.close(file)

    @contextmanager
    def taken(self, *, waits: bool) -> Generator[list[dict[str, Any]]]:
        """All lines that wait, in order. They are gone when this ends well; until then nobody else takes any.

        Without waiting, none are taken while another process has them.
        """
        with self._locked("drain", waits=waits) as is_ours:
            if not is_ours:
                yield []
                return
            yield self._moved()
            self._taken.unlink(missing_ok=True)

    def is_due(self) -> bool:
        """Whether it is time to start a process that brings lines in. If it is, it is not again for a while."""
        mark = self._lock("begun")
        with suppress(OSError):
            if time.time() - mark.stat().st_mtime < OFTEN_ENOUGH:
                return False
        mark.touch(mode=0o600)
        return True

    def _moved(self) -> list[dict[str, Any]]:
        """Have the lines where no hook appends any more: first those that somebody took and did not finish."""
        with self._locked("append"):
            if not self._taken.exists() and self._lines.exists():
                self._lines.rename(self._taken)
        return [line for text in _read(self._taken).splitlines() if (line := _parsed(text)) is not None]

    @property
    def _taken(self) -> Path:
        return self._lines.with_suffix(".taken")

    def _lock(self, name: str) -> Path:
        return self._lines.with_suffix(f".{name}")

    @contextmanager
    def _locked(self, name: str, *, waits: bool = True) -> Generator[bool]:
        for folder in (self._folder.parent, self._folder):  # both are nobody else's business
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        file = os.open(self._lock(name), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | (0 if waits else fcntl.LOCK_NB))
            except BlockingIOError:
                yield False
                return
            yield True
        finally:
            os.close(file)


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def _parsed(text: str) -> dict[str, Any] | None:
    """A line; None when a power cut has left half of one."""
    try:
        found = json.loads(text)
    except ValueError:
        return None
    return found if isinstance(found, dict) and isinstance(found.get("key"), str) else None
