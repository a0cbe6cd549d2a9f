"""Calls that wait to be written, lane by lane.

A lane is in one writer's hands at a time, so its calls keep their order; different
lanes may be written side by side. Where nothing waits at all, whoever brings a call may be its writer.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from queue import SimpleQueue
from typing import Any, NamedTuple, TypeVar

from thoughtbox.engine.protocol import Sql
from thoughtbox.errors import StorageError

T = TypeVar("T")


class Call(NamedTuple):
    """Work to be done in a transaction, and where its answer goes."""

    work: Callable[[Sql], Any]
    future: Future[Any]


class Lane:
    """The calls of one lane that wait, in the order they came."""

    __slots__ = ("calls", "name")

    def __init__(self, name: str) -> None:
        self.name = name
        self.calls: deque[Call] = deque()

    def next_call(self) -> Call | None:
        """Start the next call that was not cancelled while it waited."""
        while self.calls:
            call = self.calls.popleft()
            if call.future.set_running_or_notify_cancel():
                return call
        return None


class Lanes:
    """The lanes that have calls waiting, and the writers' way to take them."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._lanes: dict[str, Lane] = {}
        self._ready: SimpleQueue[Lane | None] = SimpleQueue()
        self._closed = False
        self._is_held_here = False

    def put(self, name: str, work: Callable[[Sql], T]) -> Future[T]:
        future: Future[T] = Future()
        with self._lock:
            if not self._closed:
                lane = self._lanes.get(name)
                if lane is None:
                    lane = self._lanes[name] = Lane(name)
                    self._ready.put(lane)
                lane.calls.append(Call(work, future))
                return future
        future.set_exception(closed())
        return future

    def hold(self, name: str) -> Lane | None:
        """An empty lane, the caller's alone until it is left; None when anybody writes or waits to."""
        with self._lock:
            if self._lanes or self._closed:
                return None
            lane = self._lanes[name] = Lane(name)
            self._is_held_here = True
        return lane

    def leave(self, lane: Lane) -> bool:
        """Give back a lane that was held; whether its holder has to go on with it, because no writer would find it.

        What has come into it meanwhile is the writer's.
        """
        with self._lock:
            if lane.calls and self._closed:
                return True
            self._is_held_here = False
            if lane.calls:
                self._ready.put(lane)
                return False
            del self._lanes[lane.name]
            if self._closed:
                self._ready.put(None)
            return False

    @property
    def busy(self) -> int:
        """How many lanes wait or are in a writer's hands."""
        return len(self._lanes)

    def taken(self) -> Iterator[Lane]:
        """Lane after lane, each the caller's alone until it asks for the next; ends once closed and empty."""
        while (lane := self._ready.get()) is not None:
            yield lane
            while self._goes_on_with(lane):
                yield lane
        self._ready.put(None)  # the end is for every writer

    def close(self) -> None:
        """Take no more calls; those that wait are still to be written."""
        with self._lock:
            self._closed = True
            if not self._is_held_here:  # else whoever holds it says when it is over
                self._ready.put(None)

    def _goes_on_with(self, lane: Lane) -> bool:
        with self._lock:
            if not lane.calls:
                del self._lanes[lane.name]
                return False
            if self._closed:
                return True  # behind the end mark nobody would find it
            self._ready.put(lane)
            return False


def closed() -> StorageError:
    return StorageError("the store is closed")
