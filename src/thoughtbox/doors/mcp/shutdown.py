"""When a serving process has to end, and that it does."""

from __future__ import annotations

import logging
import os
import select
import signal
import threading
import time
from collections.abc import Callable
from queue import SimpleQueue

logger = logging.getLogger(__name__)

PARENT_SECONDS = 0.5
"""How often a process that belongs to another looks whether that one still lives, where no event can tell."""

LAST_ANSWERS_SECONDS = 0.7
"""How long calls under way may still take."""

CLOSING_SECONDS = 0.7
"""How long letting go of everything may take after that."""


class Ending:
    """Waits for a signal that asks the process to end, for its parent to die, or for somebody in it to say so."""

    def __init__(self) -> None:
        """Only in the main thread: signals are its business."""
        self._posted: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self.is_asked = False
        for name in ("SIGTERM", "SIGINT", "SIGHUP"):
            if hasattr(signal, name):
                signal.signal(getattr(signal, name), lambda *_: self.ask())
        parent = os.getppid()
        threading.Thread(target=self._wait_for, args=(parent,), name="thoughtbox-parent", daemon=True).start()

    def ask(self) -> None:
        """Have it end; from any thread, and from within a signal's handler."""
        self.is_asked = True
        self._posted.put(None)

    def meanwhile(self, step: Callable[[], None]) -> None:
        """Have this done by the thread that waits for the end."""
        self._posted.put(step)

    def wait(self) -> None:
        while (step := self._posted.get()) is not None:
            step()

    def _wait_for(self, parent: int) -> None:
        """The parent may end without closing anything."""
        wait_for_parent(parent)
        self.ask()


def wait_for_parent(parent: int) -> None:
    """Until the process that has started this one ends."""
    try:
        descriptor = os.pidfd_open(parent)
    except (AttributeError, OSError):
        descriptor = None
    if descriptor is not None and os.getppid() == parent:
        ended = select.poll()
        ended.register(descriptor, select.POLLIN)
        ended.poll()
        os.close(descriptor)
    while os.getppid() == parent:
        time.sleep(PARENT_SECONDS)


def end_within(seconds: float) -> None:
    """From now on the process has this long, whatever hangs. Nothing that was answered can get lost."""
    threading.Thread(target=_end_after, args=(seconds,), name="thoughtbox-ending", daemon=True).start()


def _end_after(seconds: float) -> None:
    threading.Event().wait(seconds)
    logger.warning("ended without waiting any longer for what was still running")
    os._exit(1)
