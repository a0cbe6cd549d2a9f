"""How a server on an event loop is asked to leave, where another goes on at its address, or to end."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any

logger = logging.getLogger(__name__)


class Shutdown:
    """Asked for from any thread, and from within a signal's handler; heard on the event loop."""

    def __init__(self) -> None:
        """On the event loop."""
        self._loop = asyncio.get_running_loop()
        self._leaving = asyncio.Event()
        self._ending = asyncio.Event()

    @property
    def is_end(self) -> bool:
        """Whether it is to end."""
        return self._ending.is_set()

    def ask_to_leave(self) -> None:
        self._loop.call_soon_threadsafe(self._leaving.set)

    def ask_to_end(self) -> None:
        self._loop.call_soon_threadsafe(self._end)

    async def wait(self) -> None:
        """Until it is asked for."""
        await self._leaving.wait()

    async def leave(self, leaving: Coroutine[Any, Any, object], seconds: float) -> None:
        """Do what it takes to leave: for so long, and until it is asked to end."""
        work, ending = asyncio.ensure_future(leaving), asyncio.ensure_future(self._ending.wait())
        done, _ = await asyncio.wait({work, ending}, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        if not done:
            logger.warning("what was still under way %.0f s after the restart is given up", seconds)
        for one in (work, ending):
            one.cancel()
        await asyncio.gather(work, ending, return_exceptions=True)

    def _end(self) -> None:
        self._ending.set()
        self._leaving.set()
