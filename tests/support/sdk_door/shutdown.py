"""When a serving process has to end, and that it does."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress

logger = logging.getLogger(__name__)

PARENT_SECONDS = 0.5
"""How often a process that belongs to another looks whether that one still lives, where no event can tell."""

LAST_ANSWERS_SECONDS = 0.7
"""How long calls under way may still take."""

CLOSING_SECONDS = 0.7
"""How long letting go of everything may take after that."""


async def told_to_end() -> None:
    """Wait for a signal that asks the process to end, or for its parent to die."""
    asked = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        loop.add_signal_handler(number, asked.set)
    # A client that was killed cannot close anything.
    parent = os.getppid()
    with _told_of_its_end(parent, asked.set) as is_told:
        while os.getppid() == parent and not asked.is_set():
            with suppress(TimeoutError):
                await asyncio.wait_for(asked.wait(), None if is_told else PARENT_SECONDS)


@contextmanager
def _told_of_its_end(process: int, tell: Callable[[], None]) -> Generator[bool]:
    """Have the event loop tell when a process ends; whether the system can do that."""
    try:
        descriptor = os.pidfd_open(process)
    except (AttributeError, OSError):
        yield False
        return
    loop = asyncio.get_running_loop()
    loop.add_reader(descriptor, tell)
    try:
        yield True
    finally:
        loop.remove_reader(descriptor)
        os.close(descriptor)


def end_within(seconds: float) -> None:
    """From now on the process has this long, whatever hangs. Nothing that was answered can get lost."""
    threading.Thread(target=_end_after, args=(seconds,), name="thoughtbox-ending", daemon=True).start()


def _end_after(seconds: float) -> None:
    threading.Event().wait(seconds)
    logger.warning("ended without waiting any longer for what was still running")
    os._exit(1)
