"""What is written, echoed to stderr for whoever watches. Never in the way of the writing.

A client that does not read its server's stderr must not be able to block it: lines
wait in a short queue, and are dropped when that is full.
"""

from __future__ import annotations

import sys
import threading
from contextlib import suppress
from queue import Full, Queue
from typing import Any

WAITING_LINES = 256


class Echo:
    """A line on stderr for every write, from a thread of its own."""

    def __init__(self) -> None:
        self._lines: Queue[str] = Queue(WAITING_LINES)
        threading.Thread(target=self._run, name="thoughtbox-echo", daemon=True).start()

    def say(self, operation: str, answer: dict[str, Any]) -> None:
        thought = answer.get("thought")
        what = f" {thought['thoughtId']} step {thought['stepIndex']}" if isinstance(thought, dict) else ""
        with suppress(Full):
            self._lines.put_nowait(f"thoughtbox: {operation}{what}\n")

    def _run(self) -> None:
        while True:
            line = self._lines.get()
            try:
                sys.stderr.write(line)
                sys.stderr.flush()
            except (OSError, ValueError):
                return
