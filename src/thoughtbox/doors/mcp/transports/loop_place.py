"""An event loop as the place where work is done.

Waking a loop from another thread costs a system call. Answers of one group commit come together: they wake it once.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections import deque
from collections.abc import Callable

logger = logging.getLogger(__name__)


class LoopPlace:
    """Posts from any thread, run on one event loop."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._thread = threading.get_ident()
        self._posted: deque[Callable[[], object]] = deque()
        self._is_rung = False

    def post(self, step: Callable[[], object]) -> None:
        self._posted.append(step)
        if self._is_rung:
            return
        self._is_rung = True
        if threading.get_ident() == self._thread:
            self._loop.call_soon(self._run)
        elif not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._run)

    def later(self, seconds: float, step: Callable[[], None]) -> Callable[[], None]:
        return self._loop.call_later(seconds, step).cancel

    def _run(self) -> None:
        # What is posted meanwhile need not ring; what slips in before the flag falls is seen by the second look.
        while self._posted or self._falls_silent():
            try:
                self._posted.popleft()()
            except Exception:
                logger.exception("something that was posted failed")

    def _falls_silent(self) -> bool:
        """Let the next post ring again; true when one has come in just before."""
        self._is_rung = False
        return bool(self._posted)
