"""The response to one HTTP request: plain JSON where the answer is all there is, an event stream where more is told.

The stream is opened by the first message that goes before the answer, and not before. Most have none, and some clients
refuse an event longer than a megabyte. One that stays silent for long gets signs of life, so that no proxy closes it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Final

from thoughtbox.doors.http.http_request import EVENT_STREAM, JSON, Header, HttpRequest
from thoughtbox.doors.mcp.jsonrpc import (
    HEADER_MISMATCH,
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    MISSING_REQUIRED_CLIENT_CAPABILITY,
    PARSE_ERROR,
    UNSUPPORTED_PROTOCOL_VERSION,
)

SILENCE_SECONDS = 15.0
"""Without anything sent, a sign of life is."""

RETRY_MS = 100
"""After which a client whose stream has ended comes back; whoever is to serve it does so by then."""

STREAM: Final[tuple[Header, ...]] = (
    EVENT_STREAM,
    (b"cache-control", b"no-cache, no-transform"),
    (b"x-accel-buffering", b"no"),
)
SIGN_OF_LIFE: Final = b": ping\r\n\r\n"

STATUSES: Final[Mapping[int, int]] = {
    PARSE_ERROR: 400,
    INVALID_REQUEST: 400,
    INVALID_PARAMS: 400,
    HEADER_MISMATCH: 400,
    MISSING_REQUIRED_CLIENT_CAPABILITY: 400,
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
        "_headers",
        "_is_over",
        "_request",
        "_statuses",
        "_steps",
        "gone",
        "sent_at",
    )

    def __init__(self, gone: Callable[[], None] | None = None) -> None:
        """`gone` is called when the client has hung up before all was told."""
        self.gone = gone
        self.sent_at = time.monotonic()
        self._events: list[bytes] = []
        """What could not be sent yet."""
        self._answer: bytes | None = None
        self._error: int | None = None
        self._is_over = False
        self._request: HttpRequest | None = None
        self._headers: tuple[Header, ...] = ()
        self._statuses: Mapping[int, int] = STATUSES
        self._steps: list[Callable[[], None]] = []

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
            self._tell(_event(message))

    def answer(self, message: bytes, error: int | None = None) -> None:
        if not self._is_over:
            self._answer, self._error = message, error
            self.end()

    def unanswered(self) -> None:
        self.end()

    def end(self) -> None:
        """Nothing more is told."""
        self._is_over = True
        if self._request is not None and not self._events:
            self._close(self._request)

    def pause(self, told: int | None) -> None:
        """End the stream for now: its client comes back soon, and says that it was told as far as this record.

        `told` is None for a client that does not know such an event.
        """
        if not self._is_over and told is not None:
            self._tell(b"id: %d\r\nretry: %d\r\ndata: \r\n\r\n" % (told, RETRY_MS))
        self.end()

    def keep_alive(self) -> None:
        """Give a sign of life."""
        if not self._is_over:
            self._tell(SIGN_OF_LIFE)

    def respond(self, request: HttpRequest, *headers: Header, statuses: Mapping[int, int]) -> None:
        """Send what was told, and from now on what is, as it comes, until the answer."""
        self._request, self._headers, self._statuses = request, headers, statuses
        request.when_gone = self._hung_up
        request.when_clear = self._flush
        if self._events:
            self._flush()
        elif self._is_over:
            self._close(request)

    def stream(self, request: HttpRequest, *headers: Header) -> None:
        """The same, on a stream that is open from the beginning: clients wait for the headers before they go on."""
        if not self.is_answered:
            request.open((*STREAM, *headers))
        self.respond(request, *headers, statuses=STATUSES)

    def _tell(self, event: bytes) -> None:
        self._events.append(event)
        if self._request is not None:
            self._flush()

    def _flush(self) -> None:
        """Send what there is, if the client takes it."""
        request = self._request
        if request is None or request.line.is_stopped:
            return
        if self._events:
            if not request.is_started:
                request.open((*STREAM, *self._headers))
            told, self._events = b"".join(self._events), []
            self.sent_at = time.monotonic()
            request.tell(told)
        if self._is_over:
            self._close(request)
        elif self._steps:
            steps, self._steps = self._steps, []
            for step in steps:
                step()

    def _close(self, request: HttpRequest) -> None:
        self._request = self.gone = None
        answer = self._answer
        if request.is_started:
            request.close(b"" if answer is None else _event(answer))
        elif answer is None:  # it was taken back
            request.open((*STREAM, *self._headers))
            request.close()
        else:
            status = 200 if self._error is None else self._statuses.get(self._error, 200)
            request.respond(status, answer, JSON, *self._headers)

    def _hung_up(self) -> None:
        self._request = None
        gone, self.gone = self.gone, None
        if not self._is_over:
            self._is_over = True
            if gone is not None:
                gone()


def _event(message: bytes) -> bytes:
    return b"event: message\r\ndata: " + message + b"\r\n\r\n"
