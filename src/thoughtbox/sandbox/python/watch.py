"""Looks at what is running, every few milliseconds, from a thread of its own.

The engine's clock runs on while its process waits for the machine; only from outside can be seen what a snippet has
really used. The thread sleeps while there is nothing to look at, apart from the upkeep that it is woken for.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Protocol

TICK = 0.004
"""Seconds: how late a limit may be noticed."""


class Watched(Protocol):
    def look(self) -> None:
        """End whatever has gone beyond its limit."""
        ...


class Watch:
    """Calls `look` of everything that is watched, and `upkeep` when it is woken for that."""

    def __init__(self, upkeep: Callable[[], float | None]) -> None:
        """`upkeep` says after how many seconds it wants to be called again, if it does."""
        self._upkeep = upkeep
        self._changed = threading.Condition(threading.Lock())
        self._watched: set[Watched] = set()
        self._is_wanted = False
        self._is_ticking = False
        self._closed = False
        self._thread: threading.Thread | None = None

    def begin(self, watched: Watched) -> None:
        with self._changed:
            self._watched.add(watched)
            if not self._is_ticking:
                self._wake()

    def end(self, watched: Watched) -> None:
        with self._changed:
            self._watched.discard(watched)

    def want_upkeep(self) -> None:
        with self._changed:
            self._is_wanted = True
            self._wake()

    def close(self) -> None:
        with self._changed:
            self._closed = True
            self._changed.notify()
            thread = self._thread
        if thread is not None:
            thread.join()

    def _wake(self) -> None:
        if self._thread is None and not self._closed:
            self._thread = threading.Thread(target=self._run, name="sandbox-watch", daemon=True)
            self._thread.start()
        self._changed.notify()

    def _run(self) -> None:
        wait: float | None = 0
        while True:
            with self._changed:
                if not self._watched and not self._is_wanted and not self._closed:
                    self._is_ticking = False
                    if not self._changed.wait(wait):
                        self._is_wanted = True
                elif self._watched and not self._is_wanted and not self._closed:
                    self._is_ticking = True
                    self._changed.wait(TICK)
                if self._closed:
                    return
                watched, wanted = list(self._watched), self._is_wanted
                self._is_wanted = False
            for one in watched:
                one.look()
            if wanted:
                wait = self._upkeep()
