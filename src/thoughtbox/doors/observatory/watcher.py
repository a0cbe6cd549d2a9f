"""One who watches: a connection over WebSocket, from its handshake to its end."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from typing import Final, NamedTuple, Protocol, cast

from thoughtbox.doors.http.http_request import Header, HttpRequest
from thoughtbox.doors.http.principal import Principal
from thoughtbox.doors.observatory import frames
from thoughtbox.doors.observatory.frames import Frames, Message, Violation
from thoughtbox.doors.observatory.gate import refuse

HIGH_WATER: Final = 1 << 20
"""Bytes on their way to a watcher from which on it gets no more for now: what it misses it gets from the ledger."""

MOST_WAITING: Final = 64
"""Messages of a watcher that wait for those before them; it is not read further until then."""

PING_SECONDS: Final = 15.0
CLOSING_SECONDS: Final = 1.0
"""For a watcher that is sent away to say that it has heard: what it had sent would make the system take that back."""

SILENCE_SECONDS: Final = 45.0
"""Without a word, or a pong, or without taking what it is sent. Looked at every few seconds."""


class Farewell(NamedTuple):
    """What a watcher is sent away with."""

    code: int
    reason: str


class Audience(Protocol):
    """All who watch."""

    def admit(self, watcher: Watcher) -> Farewell | None:
        """Let one more in, or say what to send it away with."""
        ...

    def leave(self, watcher: Watcher) -> None: ...

    def hear(self, watcher: Watcher, message: bytes) -> None:
        """A watcher has sent a text; `done` of it is called once it is answered."""
        ...

    def go_on(self, watcher: Watcher) -> None:
        """A watcher takes more again."""
        ...


def upgrade(request: HttpRequest, audience: Audience, headers: tuple[Header, ...]) -> None:
    """Answer a handshake (RFC 6455, section 4.2); from here on the connection is a watcher's."""
    given = request.headers
    accept = frames.accept_of(given.get(b"sec-websocket-key", b""))
    if request.method != "GET" or given.get(b"upgrade", b"").lower() != b"websocket" or not request.is_current:
        refuse(request, 400, "this is no handshake of a WebSocket")
    elif not _names_upgrade(given.get(b"connection", b"")) or request.is_whole:
        # What is whole by now has waited for an answer before it, and what came behind it was read as HTTP.
        refuse(request, 400, "a handshake has Connection: Upgrade, and comes first or after an answer")
    elif given.get(b"sec-websocket-version") != b"13":
        refuse(request, 426, "WebSocket is spoken in version 13", (b"sec-websocket-version", b"13"))
    elif accept is None:
        refuse(request, 400, "Sec-WebSocket-Key is missing, or is no key")
    else:
        agreed = ((b"upgrade", b"websocket"), (b"sec-websocket-accept", accept))
        request.upgrade(Watcher(audience, request.principal), (*agreed, *headers))


def _names_upgrade(connection: bytes) -> bool:
    return b"upgrade" in (part.strip().lower() for part in connection.split(b","))


class Watcher(asyncio.Protocol):
    """The connection. It hears, says, and knows when its other end takes nothing any more."""

    def __init__(self, audience: Audience, principal: Principal | None) -> None:
        self._audience = audience
        self.principal = principal
        self._frames = Frames()
        self._waiting: deque[bytes] = deque()
        self._is_answering = False
        self._is_ending = False
        self._closing: asyncio.TimerHandle | None = None
        self._is_reading = True
        self.is_stopped = False
        self.transport: asyncio.Transport
        self._heard_at = self._pinged_at = time.monotonic()
        self._stopped_at: float | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)  # uvloop's is none by descent
        self.transport.set_write_buffer_limits(high=HIGH_WATER)
        farewell = self._audience.admit(self)
        if farewell is not None:
            self.end(*farewell)

    def connection_lost(self, exc: Exception | None) -> None:
        self._is_ending = True
        self._waiting.clear()
        if self._closing is not None:
            self._closing.cancel()
        self._audience.leave(self)

    def data_received(self, data: bytes) -> None:
        self._heard_at = time.monotonic()
        try:
            for message in self._frames.feed(data):
                self._take(message)
        except Violation as violation:
            self._close(violation.code, violation.reason)

    def pause_writing(self) -> None:
        """Hear nothing either, until it takes what it is sent: answers would pile up here."""
        self.is_stopped = True
        self._stopped_at = time.monotonic()
        self._set_reading()

    def resume_writing(self) -> None:
        self.is_stopped = False
        self._stopped_at = None
        self._heard_at = time.monotonic()
        self._audience.go_on(self)
        self._hear_next()
        self._set_reading()

    def send(self, frames: bytes) -> None:
        if not self._is_ending:
            self.transport.write(frames)

    def end(self, code: int, reason: str) -> None:
        """Say why, and close when that was heard (RFC 6455, section 7.1.1)."""
        if not self._is_ending:
            self._is_ending = True
            self._waiting.clear()
            self.transport.write(frames.closing(code, reason))
            self._set_reading()
            self._closing = asyncio.get_running_loop().call_later(CLOSING_SECONDS, self.transport.close)

    def drop(self) -> None:
        """Close it now, whatever has not gone out."""
        self._is_ending = True
        self.transport.abort()

    def tick(self) -> None:
        """Look whether anybody is there. Who does not answer a ping, or takes nothing, is let go."""
        now = time.monotonic()
        stuck = self._stopped_at is not None and now - self._stopped_at > SILENCE_SECONDS
        if stuck or now - self._heard_at > SILENCE_SECONDS:
            self.drop()
        elif now - self._pinged_at > PING_SECONDS:
            self._pinged_at = now
            self.send(frames.frame(frames.PING, b""))

    def done(self) -> None:
        """What was heard last is answered: on with the next."""
        self._is_answering = False
        self._hear_next()

    def _close(self, code: int, reason: str = "") -> None:
        """Say why, unless that was said, and close."""
        if not self._is_ending:
            self._is_ending = True
            self.transport.write(frames.closing(code, reason))
        self.transport.close()

    def _take(self, message: Message) -> None:
        if message.kind == frames.CLOSE:
            self._close(frames.close_code(message.body))
        elif self._is_ending:
            return
        elif message.kind == frames.PING:
            self.send(frames.frame(frames.PONG, message.body))
        elif message.kind != frames.PONG:
            self._queue(message)

    def _queue(self, message: Message) -> None:
        if message.kind == frames.TEXT and message.body == b"ping":
            self.send(frames.text(b"pong"))
            return
        body = message.body if message.kind == frames.TEXT else b""  # bytes are no message, and refused like one
        self._waiting.append(body)
        self._hear_next()
        self._set_reading()

    def _set_reading(self) -> None:
        """Read on, or not, by how much is still to be answered and to be taken."""
        reads = self._is_ending or (not self.is_stopped and len(self._waiting) < MOST_WAITING)
        if reads != self._is_reading and not self.transport.is_closing():
            self._is_reading = reads
            (self.transport.resume_reading if reads else self.transport.pause_reading)()

    def _hear_next(self) -> None:
        """Hear what has waited longest, once what was heard before is answered, and what was said before is taken."""
        if self._waiting and not self._is_answering and not self.is_stopped:
            self._is_answering = True
            self._audience.hear(self, self._waiting.popleft())
            self._set_reading()
