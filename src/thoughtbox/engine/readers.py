"""A few connections that read, and the threads that do so with them; whoever asks may read in a thread of their own."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Any, Protocol, TypeVar

from thoughtbox.engine.lanes import closed
from thoughtbox.engine.protocol import Sql
from thoughtbox.errors import StorageError

logger = logging.getLogger(__name__)

T = TypeVar("T")

INTERRUPT_SECONDS = 0.02


class Snapshots(Protocol):
    """A connection that reads, one snapshot after the other."""

    def read(self, work: Callable[[Sql], T]) -> T: ...

    def interrupt(self) -> None:
        """Break off what is being read; called from another thread."""
        ...

    def close(self) -> None: ...


class Readers:
    """The reading threads, and their connections, which are made when they are first needed."""

    def __init__(
        self,
        count: int,
        connect: Callable[[], Snapshots],
        *,
        translate: Callable[[Exception], Exception],
        name: str = "thoughtbox-reader",
    ) -> None:
        self._connect = connect
        self._translate = translate
        self._connections: list[Snapshots] = []
        self._free: list[Snapshots] = []
        self._reading: set[Future[Any]] = set()
        self._entering = threading.Lock()
        self._closed = False
        self._count = count
        self._threads = ThreadPoolExecutor(count, name)

    def submit(self, work: Callable[[Sql], T], *, here: bool = False) -> Future[T]:
        """Read in one of the threads; `here`, in this one, where fewer read or wait to than there are connections."""
        if here and (entered := self._entered()) is not None:
            return self._read_here(entered, work)
        try:
            reading = self._threads.submit(lambda: self._read(work))
        except RuntimeError:  # shut down
            refused: Future[T] = Future()
            refused.set_exception(closed())
            return refused
        self._reading.add(reading)
        reading.add_done_callback(self._reading.discard)
        return reading

    def close(self) -> None:
        """Break off what is being read, and refuse what waits: a reader loses nothing by asking again."""
        with self._entering:
            self._closed = True
        self._threads.shutdown(wait=False)
        # Again and again: an interrupt between two statements of a read is not felt.
        while wait(self._reading.copy(), INTERRUPT_SECONDS).not_done:
            for connection in self._connections.copy():
                _quietly(connection.interrupt)
        self._threads.shutdown(wait=True)
        while self._connections:
            _quietly(self._connections.pop().close)

    def _entered(self) -> Future[Any] | None:
        with self._entering:
            if self._closed or len(self._reading) >= self._count:
                return None
            reading: Future[Any] = Future()
            self._reading.add(reading)
            return reading

    def _read_here(self, reading: Future[T], work: Callable[[Sql], T]) -> Future[T]:
        reading.set_running_or_notify_cancel()
        try:
            found = self._read(work)
        except BaseException as error:
            reading.set_exception(error)
        else:
            reading.set_result(found)
        finally:
            self._reading.discard(reading)
        return reading

    def _read(self, work: Callable[[Sql], T]) -> T:
        if self._closed:
            raise closed()
        try:
            connection = self._free_connection()
            try:
                return connection.read(work)
            finally:
                self._free.append(connection)
        except Exception as error:
            translated = self._translate(error)
            if self._closed and isinstance(translated, StorageError):
                raise closed() from error
            if translated is error:
                raise
            raise translated from error

    def _free_connection(self) -> Snapshots:
        """The one that was used last, whose pages are the warmest."""
        try:
            return self._free.pop()
        except IndexError:
            connection = self._connect()
            self._connections.append(connection)
            return connection


def _quietly(step: Callable[[], Any]) -> None:
    try:
        step()
    except Exception:
        logger.debug("letting go of a reading connection", exc_info=True)
