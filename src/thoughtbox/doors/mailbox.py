"""From the store's threads into an event loop.

`asyncio.wrap_future` wakes the loop once for every answer. Answers of one group
commit come together: here they wake it once.
"""

from __future__ import annotations

import asyncio
from collections import deque
from concurrent.futures import Future
from functools import partial
from typing import Any, TypeVar

T = TypeVar("T")


class Mailbox:
    """Hands the results of other threads to those who wait for them in one event loop."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._arrived: deque[tuple[asyncio.Future[Any], Future[Any]]] = deque()
        self._rung = False

    def receive(self, future: Future[T]) -> asyncio.Future[T]:
        """The same result, to be awaited here. Whoever gives up waiting takes back a call that has not begun."""
        waiting: asyncio.Future[T] = self._loop.create_future()
        waiting.add_done_callback(partial(_take_back, future))
        future.add_done_callback(partial(self._arrive, waiting))
        return waiting

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
            if waiting.done():
                continue
            if future.cancelled():
                waiting.cancel()
            elif (error := future.exception()) is not None:
                waiting.set_exception(error)
            else:
                waiting.set_result(future.result())

    def _falls_silent(self) -> bool:
        """Let the next arrival ring again; true when one has come in just before."""
        self._rung = False
        return bool(self._arrived)


def _take_back(future: Future[Any], waiting: asyncio.Future[Any]) -> None:
    if waiting.cancelled():
        future.cancel()
