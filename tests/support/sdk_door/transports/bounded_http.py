"""Uvicorn's HTTP with bounds: on what comes around a body, on how long anything may take, on open connections.

All of it holds before anybody is asked for a token. Heads and bodies have to be whole in time, connections on
which nothing happens are closed, and when there are too many, the one that was idle for longest makes room.
"""

from __future__ import annotations

import asyncio
import resource
import sys
from contextlib import suppress
from enum import Enum
from functools import partial
from typing import Any

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol
from uvicorn.server import ServerState

HEAD_SECONDS = 30.0
"""From the first byte of a request to the end of its headers."""

BODY_SECONDS = 30.0
"""From there to its end. This holds, too, for what is still sent after a refusal."""

SILENCE_SECONDS = 60.0
"""Without a request, or without the client taking its answer. Clients keep an idle connection for less."""

LONGEST_HEAD = 1 << 16
"""Bytes of a request's first line and headers, of one chunk's extensions, and of all trailers."""

MOST_CONNECTIONS = 5_000
"""Open at once: as many sessions as there may be, each with a stream and a call, and room for newcomers."""

SPARE_DESCRIPTORS = 64
"""Not for connections, but for the store, and for newcomers that are let in before others are closed."""


class Phase(Enum):
    """What a connection is at."""

    IDLE = "nothing was asked, or all is answered"
    HEAD = "a request has begun"
    BODY = "its headers are complete"
    ANSWERING = "it is whole, and its answer is not"


class OpenConnections(ServerState):
    """All connections of one server, and which of them rest."""

    def __init__(self) -> None:
        super().__init__()
        self._resting: dict[BoundedHttp, None] = {}
        """Those without a whole request under way, the one that has been so for longest first."""
        descriptors, _ = _descriptor_limits()
        self._most = min(MOST_CONNECTIONS, max(descriptors - SPARE_DESCRIPTORS, descriptors // 2))

    def admit(self, newcomer: BoundedHttp) -> None:
        """Let a connection in. When there is no room, the idlest goes; that is the newcomer if all others are busy."""
        self.rest(newcomer)
        if len(self.connections) > self._most:
            idlest = next(iter(self._resting))
            self.wake(idlest)  # it is gone only in the next round of the loop, and others may come in this one
            idlest.drop()

    def rest(self, connection: BoundedHttp) -> None:
        self.wake(connection)
        self._resting[connection] = None

    def wake(self, connection: BoundedHttp) -> None:
        self._resting.pop(connection, None)


class BoundedHttp(HttpToolsProtocol):
    """One connection."""

    def __init__(self, *args: Any, server_state: OpenConnections, **options: Any) -> None:
        super().__init__(*args, server_state=server_state, **options)
        self._all = server_state
        self._phase = Phase.IDLE
        self._around = 0
        """Bytes that came since a part of the request was complete, without those of its body."""
        self._requests = 0
        self._timed: tuple[int, Phase] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._untaken: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:
        super().connection_made(transport)
        self._set_timer()
        self._all.admit(self)

    def connection_lost(self, exc: Exception | None) -> None:
        self._all.wake(self)
        for timer in (self._timer, self._untaken):
            if timer is not None:
                timer.cancel()
        super().connection_lost(exc)

    def drop(self) -> None:
        """Close it now, whatever has not gone out."""
        self.transport.abort()

    def data_received(self, data: bytes) -> None:
        self._around += len(data)
        super().data_received(data)
        if self.transport.is_closing():
            return
        if self._around > LONGEST_HEAD:
            self._refuse(400 if self._phase is Phase.BODY else 431)
        else:
            self._set_timer()

    def on_message_begin(self) -> None:
        self._requests += 1
        self._phase = Phase.HEAD
        super().on_message_begin()

    def on_header(self, name: bytes, value: bytes) -> None:
        # What comes behind a chunked body is left out: the request was judged without it.
        if self._phase is Phase.HEAD:
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        self._phase = Phase.BODY
        self._around = 0
        super().on_headers_complete()

    def on_chunk_header(self) -> None:
        self._around = 0

    def on_body(self, body: bytes) -> None:
        self._around = max(0, self._around - len(body))
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._around = 0
        if self.cycle.response_complete:  # a refusal that did not wait for the body
            self._phase = Phase.IDLE
        else:
            self._phase = Phase.ANSWERING
            self._all.wake(self)
        super().on_message_complete()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self.transport.is_closing():
            return
        if self._phase is Phase.ANSWERING and self.cycle.response_complete:
            self._phase = Phase.IDLE
            self._all.rest(self)
        self._set_timer()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._untaken = self.loop.call_later(SILENCE_SECONDS, self.drop)

    def resume_writing(self) -> None:
        super().resume_writing()
        if self._untaken is not None:
            self._untaken.cancel()

    def _set_timer(self) -> None:
        """Have the timer of the phase that the connection is in; it begins once for every request."""
        # A request behind one that is not answered yet is read no further until then.
        phase = Phase.ANSWERING if self.pipeline else self._phase
        if self._timed == (self._requests, phase):
            return
        self._timed = self._requests, phase
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if phase is Phase.IDLE:
            self._timer = self.loop.call_later(SILENCE_SECONDS, self.drop)
        elif phase is not Phase.ANSWERING:
            seconds = HEAD_SECONDS if phase is Phase.HEAD else BODY_SECONDS
            self._timer = self.loop.call_later(seconds, partial(self._refuse, 408))

    def _refuse(self, status: int) -> None:
        """Say why, unless an answer is on its way already, and close."""
        cycle = self.cycle
        is_answered = cycle is not None and (
            cycle.response_started if self._phase is Phase.BODY else not cycle.response_complete
        )
        if not is_answered:
            self.transport.write(STATUS_LINE[status] + b"content-length: 0\r\nconnection: close\r\n\r\n")
        self.transport.close()


def allow_connections() -> None:
    """Have descriptors for as many connections as there may be, as far as the system lets us."""
    now, most = _descriptor_limits()
    wanted = min(MOST_CONNECTIONS + 2 * SPARE_DESCRIPTORS, most)
    if now < wanted:
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))


def _descriptor_limits() -> tuple[int, int]:
    """How many the process may have now, and how many it may allow itself."""
    now, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    unlimited = resource.RLIM_INFINITY
    return (sys.maxsize if now == unlimited else now), (sys.maxsize if most == unlimited else most)
