"""The response to one HTTP request: plain JSON where the answer is all there is, an event stream where more is told.

The stream is opened by the first message that goes before the answer, and not before. Most have none, and some clients
refuse an event longer than a megabyte. One that stays silent for long gets signs of life, so that no proxy closes it.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable, Mapping
from typing import Final

from thoughtbox.doors.mcp.jsonrpc import (
    HEADER_MISMATCH,
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    PARSE_ERROR,
    UNSUPPORTED_PROTOCOL_VERSION,
)
from thoughtbox.doors.mcp.transports.asgi import JSON, WHEN_GONE, Header, HttpRequest

SILENCE_SECONDS = 15.0
"""Without anything sent, a sign of life is."""

STREAM: Final[tuple[Header, ...]] = (
    (b"content-type", b"text/event-stream"),
    (b"cache-control", b"no-cache, no-transform"),
    (b"connection", b"keep-alive"),
    (b"x-accel-buffering", b"no"),
)
SIGN_OF_LIFE: Final = b": ping\r\n\r\n"

STATUSES: Final[Mapping[int, int]] = {
    PARSE_ERROR: 400,
    INVALID_REQUEST: 400,
    INVALID_PARAMS: 400,
    HEADER_MISMATCH: 400,
    UNSUPPORTED_PROTOCOL_VERSION: 400,
    METHOD_NOT_FOUND: 404,
}
"""What the newest revision wants errors to be in HTTP; all others are answers like any."""


class Exchange:
    """What is told on one response; an `Outlet`. Touched on the event loop only."""

    __slots__ = (
        "_answer",
        "_error",
        "_events",
        "_is_over",
        "_sent_at",
        "_steps",
        "_waiter",
        "gone",
    )

    def __init__(self, gone: Callable[[], None] | None = None) -> None:
        """`gone` is called when the client has hung up before all was told."""
        self.gone = gone
        self._events: deque[bytes] = deque()
        self._answer: bytes | None = None
        self._error: int | None = None
        self._is_over = False
        self._waiter: asyncio.Future[None] | None = None
        self._steps: list[Callable[[], None]] = []
        self._sent_at = time.monotonic()

    @property
    def is_clear(self) -> bool:
        return not self._events

    @property
    def is_answered(self) -> bool:
        return self._answer is not None

    def when_clear(self, step: Callable[[], None]) -> None:
        self._steps.append(step)

    def send(self, message: bytes) -> None:
        if not self._is_over:
            self._events.append(_event(message))
            self._stir()

    def answer(self, message: bytes, error: int | None = None) -> None:
        if not self._is_over:
            self._answer, self._error = message, error
            self.end()

    def unanswered(self) -> None:
        self.end()

    def end(self) -> None:
        """Nothing more is told."""
        self._is_over = True
        self._stir()

    def keep_alive(self, now: float) -> None:
        """Give a sign of life if nothing was sent for long."""
        if not self._is_over and now - self._sent_at >= SILENCE_SECONDS:
            self._events.append(SIGN_OF_LIFE)
            self._stir()

    async def respond(self, request: HttpRequest, *headers: Header, statuses: Mapping[int, int]) -> None:
        """Send what is told, as it comes, until the answer."""
        if not self._events and not self._is_over:
            await self._more(request)
        if self._events or (self._is_over and self._answer is None):
            await self.stream(request, *headers)
        elif self._answer is not None:
            status = 200 if self._error is None else statuses.get(self._error, 200)
            await request.respond(status, self._answer, JSON, *headers)

    async def stream(self, request: HttpRequest, *headers: Header) -> None:
        """Send what is told as events, as it comes."""
        await request.send({"type": "http.response.start", "status": 200, "headers": [*STREAM, *headers]})
        # Clients wait for the headers before they go on.
        await request.send({"type": "http.response.body", "body": b"", "more_body": True})
        while True:
            if self._events:
                told = b"".join(self._events)
                await request.send({"type": "http.response.body", "body": told, "more_body": True})
                self._taken(told)
            elif self._is_over:
                break
            else:
                await self._more(request)
        last = b"" if self._answer is None else _event(self._answer)
        await request.send({"type": "http.response.body", "body": last})

    def _taken(self, told: bytes) -> None:
        """This much has been sent; more may have come meanwhile."""
        self._sent_at = time.monotonic()
        left = len(told)
        while left:
            left -= len(self._events.popleft())
        if not self._events and self._steps:
            steps, self._steps = self._steps, []
            for step in steps:
                step()

    async def _more(self, request: HttpRequest) -> None:
        """Wait until there is something to send."""
        self._waiter = asyncio.get_running_loop().create_future()
        request.scope[WHEN_GONE] = self._hung_up
        try:
            await self._waiter
        finally:
            self._waiter = None
            request.scope.pop(WHEN_GONE, None)

    def _hung_up(self) -> None:
        if not self._is_over:
            self.end()
            if self.gone is not None:
                self.gone()

    def _stir(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)


def _event(message: bytes) -> bytes:
    return b"event: message\r\ndata: " + message + b"\r\n\r\n"
