"""A place for work that several threads bring: one thing after the other, and nobody waits for his turn."""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable

logger = logging.getLogger(__name__)


class Mailbox:
    """Runs what is posted, in the order in which it came, in the thread of whoever finds nobody at it.

    Who posts while somebody is at it goes on at once: that one does it, too.
    """

    def __init__(self) -> None:
        self._posted: deque[Callable[[], object]] = deque()
        self._at_it = threading.Lock()

    def post(self, step: Callable[[], object]) -> None:
        self._posted.append(step)
        # Looked at again once the lock is free: what came in just before that has found it taken.
        while self._posted and self._at_it.acquire(blocking=False):
            try:
                while self._posted:
                    step = self._posted.popleft()
                    try:
                        step()
                    except Exception:
                        logger.exception("something that was posted failed")
            finally:
                self._at_it.release()

    def later(self, seconds: float, step: Callable[[], None]) -> Callable[[], None]:
        timer = threading.Timer(seconds, self.post, (step,))
        timer.daemon = True
        timer.start()
        return timer.cancel
