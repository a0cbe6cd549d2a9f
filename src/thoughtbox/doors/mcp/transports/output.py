"""Standard output as an outlet: whoever has an answer writes it, and is never held up by a client that does not read.

As long as the other side takes what it is sent, a message is written by the thread that has it. What would have to wait
is left to a thread of its own, and all that comes behind it, until the other side has caught up.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable

from thoughtbox.doors.unblocked import Unblocked

MOST_WAITING = 1 << 20
"""Bytes that may wait to be taken before no more requests are read."""

LONGEST_AT_ONCE = 1 << 18
"""A message longer than this is left to the thread: others may have something to say meanwhile."""


class Output:
    """Messages, a line each. `lost` is called once nobody can hear us any more."""

    def __init__(self, descriptor: int, post: Callable[[Callable[[], None]], None], lost: Callable[[], None]) -> None:
        """Messages are sent in one place, one at a time; `post` posts to it."""
        self._descriptor = descriptor
        self._post = post
        self._lost = lost
        self._at_once = Unblocked(descriptor)
        self._changed = threading.Condition()
        self._waiting: deque[bytes] = deque()
        self._bytes_waiting = 0
        self._thread: threading.Thread | None = None
        self._is_broken = False
        self._steps: list[Callable[[], None]] = []

    @property
    def is_clear(self) -> bool:
        return not self._bytes_waiting

    def when_clear(self, step: Callable[[], None]) -> None:
        with self._changed:
            self._steps.append(step)
            self._let_thread_write(b"")

    def send(self, message: bytes) -> None:
        line = message + b"\n"
        if self._bytes_waiting:
            self._leave(line)
        elif rest := self._written_at_once(line):
            self._leave(rest)

    def answer(self, message: bytes, error: int | None = None) -> None:
        self.send(message)

    def unanswered(self) -> None:
        """There is nothing to be sent."""

    def wait_until_taken(self, most: int = MOST_WAITING, seconds: float | None = None) -> None:
        """Wait until no more than this many bytes wait, or so long."""
        if self._bytes_waiting > most:
            with self._changed:
                self._changed.wait_for(lambda: self._bytes_waiting <= most or self._is_broken, seconds)

    def _written_at_once(self, line: bytes) -> bytes:
        """Write as much as is taken without waiting; what is left of it."""
        if len(line) > LONGEST_AT_ONCE:
            return line
        try:
            while line and (taken := self._at_once.write(line)):
                line = line[taken:]
        except OSError:
            self._break()
            return b""
        return line

    def _leave(self, line: bytes) -> None:
        with self._changed:
            if not self._is_broken:
                self._let_thread_write(line)

    def _let_thread_write(self, line: bytes) -> None:
        self._waiting.append(line)
        self._bytes_waiting += len(line)
        if self._thread is None:
            self._thread = threading.Thread(target=self._write, name="thoughtbox-answers", daemon=True)
            self._thread.start()
        self._changed.notify_all()

    def _write(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting)
                line = self._waiting.popleft()
            try:
                for at in range(0, len(line), LONGEST_AT_ONCE):
                    _write_all(self._descriptor, line[at : at + LONGEST_AT_ONCE])
            except OSError:
                self._break()
                return
            with self._changed:
                self._bytes_waiting -= len(line)
                steps = self._steps if not self._bytes_waiting else []
                if steps:
                    self._steps = []
                self._changed.notify_all()
            for step in steps:
                self._post(step)

    def _break(self) -> None:
        with self._changed:
            if self._is_broken:
                return
            self._is_broken = True
            self._waiting.clear()
            self._bytes_waiting = 0
            self._changed.notify_all()
        self._lost()


def _write_all(descriptor: int, data: bytes) -> None:
    while data:
        data = data[os.write(descriptor, data) :]
