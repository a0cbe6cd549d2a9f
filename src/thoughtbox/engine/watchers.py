"""Who wants to know when something was committed."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from thoughtbox.engine.protocol import Unwatch, seldom

logger = logging.getLogger(__name__)


class Watchers:
    """A set of notices, and a background watch over other processes that runs while there are any."""

    def __init__(
        self, watch_others: Callable[[threading.Event], None], *, wake: Callable[[], object] = lambda: None
    ) -> None:
        """`wake` ends whatever the watch waits for, so that it sees that it is to stop."""
        self._watch_others = watch_others
        self._wake = wake
        self._notices: dict[object, Callable[[], object]] = {}
        self._looking_on: dict[object, Callable[[], bool]] = {}
        self._lock = threading.Lock()
        self._stop: threading.Event | None = None
        self._thread: threading.Thread | None = None

    def add(self, notice: Callable[[], object], closely: Callable[[], bool] = seldom) -> Unwatch:
        token = object()
        with self._lock:
            self._notices[token] = notice
            if closely is not seldom:
                self._looking_on[token] = closely
            if self._thread is None:
                self._stop = threading.Event()
                self._thread = threading.Thread(
                    target=self._watch, args=(self._stop,), name="thoughtbox-watcher", daemon=True
                )
                self._thread.start()

        def unwatch() -> None:
            with self._lock:
                self._notices.pop(token, None)
                self._looking_on.pop(token, None)

        return unwatch

    def are_close(self) -> bool:
        """Whether somebody looks on, and waits for what others commit."""
        return any(closely() for closely in list(self._looking_on.values()))

    def tell(self) -> None:
        for notice in list(self._notices.values()):
            try:
                notice()
            except Exception:
                logger.exception("a watcher of the store failed")

    def close(self) -> None:
        with self._lock:
            self._notices.clear()
            self._looking_on.clear()
            stop, thread = self._stop, self._thread
            self._stop = self._thread = None
        if stop is not None and thread is not None:
            stop.set()
            self._wake()
            thread.join(1.0)

    def _watch(self, stop: threading.Event) -> None:
        try:
            self._watch_others(stop)
        except Exception:
            # Local commits are still told; only those of other processes go unnoticed.
            logger.exception("watching other processes failed")
