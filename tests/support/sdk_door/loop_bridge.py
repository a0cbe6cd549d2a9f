"""From the store's threads into an event loop.

`asyncio.wrap_future` wakes the loop once for every answer. Answers of one group
commit come together: here they wake it once.
"""

from __future__ import annotations

import asyncio
from collections import deque
from concurrent.futures import CancelledError, Future
from functools import partial
from typing import Any, TypeVar

T = TypeVar("T")


class LoopBridge:
    """Hands the results of other threads to those who wait for them in one event loop."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._arrived: deque[tuple[asyncio.Future[Any], Future[Any]]] = deque()
        self._rung = False

    async def receive(self, future: Future[T]) -> T:
        """Wait for the result here. Whoever gives up waiting takes back a call that has not begun."""
        waiting: asyncio.Future[T] = self._loop.create_future()
        future.add_done_callback(partial(self._arrive, waiting))
        try:
            return await waiting
        except asyncio.CancelledError:
            future.cancel()
            raise

    def _arrive(self, waiting: asyncio.Future[Any], future: Future[Any]) -> None:
        """Runs in the thread that has the result."""
        self._arrived.append((waiting, future))
        if not self._rung:
            self._rung = True
            if not self._loop.is_closed():
                self._loop.call_soon_threadsafe(self._hand_out)

    def _hand_out(self) -> None:
        # What arrives meanwhile need not ring; what slips in before the flag falls is seen by the second look.
        while self._arrived or self._falls_silent():
            waiting, future = self._arrived.popleft()
            if not waiting.done():
                _hand_over(future, waiting)

    def _falls_silent(self) -> bool:
        """Let the next arrival ring again; true when one has come in just before."""
        self._rung = False
        return bool(self._arrived)


def _hand_over(future: Future[Any], waiting: asyncio.Future[Any]) -> None:
    """Pass a result on. Whatever an operation raises fails its own call only, and never the loop that serves all."""
    try:
        result = future.result()
    except BaseException as error:
        if future.cancelled():
            waiting.cancel()
        elif isinstance(error, Exception) and not isinstance(error, StopIteration | CancelledError):
            waiting.set_exception(error)
        else:  # an event loop would take these for its own: the end of a coroutine, of a task, of the process
            wrapped = RuntimeError(f"an operation raised {type(error).__name__}")
            wrapped.__cause__ = error
            waiting.set_exception(wrapped)
    else:
        waiting.set_result(result)
