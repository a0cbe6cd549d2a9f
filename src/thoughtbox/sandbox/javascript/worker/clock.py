"""How long a snippet has computed, and its end when that was too long.

Time is the CPU time of this process, so that a loaded machine is not held against a snippet. While it waits for an
answer the clock stands still. A thread looks at it and turns the machine's epoch, which ends whatever code is running
in the engine, at the next loop or call, without the snippet having a say.
"""

from __future__ import annotations

import threading
import time

import wasmtime

from thoughtbox.sandbox.javascript.worker.breaches import Breach

SHORTEST_LOOK = 0.001
CROSSING = 0.000_010
"""What the way out of the engine and back takes of the machine, at least: it is not the snippet's."""


class Clock:
    def __init__(self, engine: wasmtime.Engine) -> None:
        self._engine = engine
        self._changed = threading.Condition()
        self._limit = 0.0
        self._runs = False
        self._since = 0.0
        self._stopped_at: float | None = None
        threading.Thread(target=self._watch, name="clock", daemon=True).start()

    @property
    def used(self) -> float:
        """Seconds that the snippet has computed."""
        until = time.process_time() if self._stopped_at is None else self._stopped_at
        return until - self._since

    def start(self, limit: float) -> None:
        with self._changed:
            self._limit = limit
            self._since = time.process_time()
            self._stopped_at = None
            self._runs = True
            self._changed.notify()

    def stop(self) -> None:
        with self._changed:
            self._runs = False
            if self._stopped_at is None:
                self._stopped_at = time.process_time()

    def check(self) -> None:
        """For what runs outside of the engine."""
        if self.used >= self._limit:
            raise Breach("cpu")

    def pause(self) -> None:
        self._stopped_at = time.process_time()

    def resume(self) -> None:
        if self._stopped_at is not None:
            self._since += time.process_time() - self._stopped_at + CROSSING
            self._stopped_at = None

    def _watch(self) -> None:
        """CPU time passes no faster than time: whoever sleeps for what is left is never late."""
        with self._changed:
            while True:
                if not self._runs:
                    self._changed.wait()
                    continue
                left = self._limit - self.used
                if left > 0:
                    self._changed.wait(max(left, SHORTEST_LOOK))
                else:
                    self._runs = False
                    self._engine.increment_epoch()
