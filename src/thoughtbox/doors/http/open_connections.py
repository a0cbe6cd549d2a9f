"""All connections of one server: how many there may be, and which of them rest."""

from __future__ import annotations

import asyncio
import logging
import resource
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import Protocol

from thoughtbox.doors.http import limits
from thoughtbox.doors.http.principal import Principal

logger = logging.getLogger(__name__)


class Connection(Protocol):
    @property
    def is_idle(self) -> bool:
        """Whether nothing was asked, or all is answered."""
        ...

    @property
    def is_answering(self) -> bool: ...

    @property
    def has_unread(self) -> bool:
        """Whether its client has sent something, or hung up, that was not read yet."""
        ...

    @property
    def principal(self) -> Principal | None:
        """Who is being answered."""
        ...

    def drop(self) -> None:
        """Close it now, whatever has not gone out."""
        ...

    def end_with_answer(self) -> None:
        """Have the answer that is under way be the last on it, if it can still say so."""
        ...

    def finish(self) -> None:
        """Take no further request: close it now, or when what is under way is answered."""
        ...


class OpenConnections:
    """Knows them all; closes those on which nothing happens, and when there are too many, the idlest."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._all: set[Connection] = set()
        self._resting: dict[Connection, float] = {}
        """Those without a whole request under way, and since when; the one that has been so for longest first."""
        self._silence = limits.SILENCE_SECONDS
        self._sweep: asyncio.TimerHandle | None = None
        self._descriptors, _ = _descriptor_limits()
        spare = max(self._descriptors - limits.SPARE_DESCRIPTORS, self._descriptors // 2)
        self._most = min(limits.MOST_CONNECTIONS, spare)
        self._complained_at = -limits.COMPLAINT_SECONDS
        self._emptied: asyncio.Event | None = None

    def __len__(self) -> int:
        return len(self._all)

    def __iter__(self) -> Iterator[Connection]:
        return iter(list(self._all))

    def admit(self, newcomer: Connection) -> None:
        """Let a connection in. When there is no room, the idlest goes; that is the newcomer if all others are busy."""
        self._all.add(newcomer)
        self.rest(newcomer)
        if len(self._all) > self._most:
            self._complain()
            idlest = next(iter(self._resting))
            self.wake(idlest)  # it is gone only in the next round of the loop, and others may come in this one
            idlest.drop()

    def leave(self, connection: Connection) -> None:
        self._all.discard(connection)
        self.wake(connection)
        if not self._all and self._emptied is not None:
            self._emptied.set()

    async def emptied(self) -> None:
        """Until there are none any more."""
        while self._all:
            self._emptied = asyncio.Event()
            await self._emptied.wait()

    def rest(self, connection: Connection) -> None:
        self.wake(connection)
        self._resting[connection] = time.monotonic()
        if self._sweep is None:
            self._sweep = self._loop.call_later(self._silence, self._close_silent)

    def close_silent_after(self, seconds: float) -> None:
        """From now on close those that have rested for so long; nobody has before this moment."""
        self._silence = seconds
        now = time.monotonic()
        self._resting = dict.fromkeys(self._resting, now)
        if self._sweep is not None:
            self._sweep.cancel()
        self._sweep = self._loop.call_later(seconds, self._close_silent)

    def wake(self, connection: Connection) -> None:
        self._resting.pop(connection, None)

    def _close_silent(self) -> None:
        """Close those that have rested for too long. One timer is for all of them, as they stand in that order."""
        self._sweep = None
        now = time.monotonic()
        for connection, since in list(self._resting.items()):
            if not connection.is_idle:  # a request has begun, which has its own time
                continue
            left = since + self._silence - now
            if left > 0:
                self._sweep = self._loop.call_later(left, self._close_silent)
                return
            self.wake(connection)
            # Timers come before what was sent since the last turn of the loop: a request may be there already.
            if not connection.has_unread:
                connection.drop()
        if self._resting:
            self._sweep = self._loop.call_later(self._silence, self._close_silent)

    def _complain(self) -> None:
        now = time.monotonic()
        if now - self._complained_at >= limits.COMPLAINT_SECONDS:
            self._complained_at = now
            logger.warning(
                "there are more than %d connections: the idlest makes room (the process may have %d file descriptors)",
                self._most,
                self._descriptors,
            )


def allow_connections() -> None:
    """Have descriptors for as many connections as there may be, as far as the system lets us."""
    now, most = _descriptor_limits()
    wanted = min(limits.MOST_CONNECTIONS + 2 * limits.SPARE_DESCRIPTORS, most)
    if now < wanted:
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))


def _descriptor_limits() -> tuple[int, int]:
    """How many the process may have now, and how many it may allow itself."""
    now, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    unlimited = resource.RLIM_INFINITY
    return (sys.maxsize if now == unlimited else now), (sys.maxsize if most == unlimited else most)
