"""A request over HTTP, and the response to it.

Everything happens on one event loop, as it comes in: no task waits for a request, and none for what is still to be
told on its response.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from http import HTTPStatus
from typing import Final, Protocol
from urllib.parse import unquote

import httptools
import orjson

from thoughtbox.doors.http.principal import Principal

Header = tuple[bytes, bytes]

JSON: Final = (b"content-type", b"application/json")
EVENT_STREAM: Final = (b"content-type", b"text/event-stream")

STATUS_LINES: Final = {status.value: f"HTTP/1.1 {status.value} {status.phrase}\r\n".encode() for status in HTTPStatus}
CONTINUE: Final = STATUS_LINES[100] + b"\r\n"


class Line(Protocol):
    """What a request came in on, and its response goes out on."""

    @property
    def date(self) -> bytes:
        """The header that says when; the same for all within a second."""
        ...

    @property
    def is_stopped(self) -> bool:
        """Whether so much is on its way that no more should be written for now."""
        ...

    def write(self, data: bytes) -> None: ...

    def answered(self, request: HttpRequest) -> None:
        """The response is complete."""
        ...

    def upgrade(self, protocol: asyncio.Protocol) -> None:
        """Have the connection go on in another protocol, once the request is read to its end."""
        ...


class HttpRequest:
    """One request: what it says of itself, its body when that is there, and the ways to respond."""

    __slots__ = (
        "_body",
        "_length",
        "_most",
        "_parts",
        "_then",
        "expects_continue",
        "headers",
        "is_answered",
        "is_chunked",
        "is_current",
        "is_event_stream",
        "is_started",
        "is_whole",
        "keeps_alive",
        "line",
        "method",
        "path",
        "principal",
        "query",
        "repeated",
        "when_clear",
        "when_gone",
        "when_over",
    )

    def __init__(self, line: Line) -> None:
        self.line = line
        self.method = ""
        self.path = ""
        self.query = b""
        """What stands behind the path, as it was sent."""
        self.headers: dict[bytes, bytes] = {}
        """By name; of those that are repeated, the last."""
        self.repeated: list[bytes] = []
        self.principal: Principal | None = None
        self.is_current = True
        """Whether it is of HTTP/1.1, and not of anything older."""
        self.keeps_alive = True
        self.expects_continue = False
        self.is_whole = False
        self.is_started = False
        """Whether a response has begun."""
        self.is_answered = False
        self.is_chunked = False
        self.is_event_stream = False
        self.when_gone: Callable[[], None] | None = None
        """What is to be done when the client is gone before it was answered."""
        self.when_clear: Callable[[], None] | None = None
        """What is to be done when more may be written."""
        self.when_over: Callable[[], None] | None = None
        """What is to be done when the response has ended, one way or the other."""
        self._body = b""
        self._parts: list[bytes] | None = None
        self._length = 0
        self._most = 0
        self._then: Callable[[bytes | None], None] | None = None

    def header(self, name: bytes) -> str | None:
        value = self.headers.get(name)
        return None if value is None else value.decode("latin-1")

    def accepts(self) -> tuple[bool, bool]:
        """Whether the client takes JSON, and whether it takes event streams."""
        named = self.headers.get(b"accept", b"")
        if named == b"application/json, text/event-stream":
            return True, True
        kinds = {kind.partition(b";")[0].strip().lower() for kind in named.split(b",")}
        return (
            not kinds.isdisjoint((b"*/*", b"application/*", b"application/json")),
            not kinds.isdisjoint((b"*/*", b"text/*", b"text/event-stream")),
        )

    @property
    def is_json(self) -> bool:
        return self.headers.get(b"content-type", b"").partition(b";")[0].strip().lower() == b"application/json"

    def read(self, most: int, then: Callable[[bytes | None], None]) -> None:
        """Go on with the body when it is there; with None when it is longer than allowed, as soon as that is known."""
        declared = self.headers.get(b"content-length", b"")
        if (declared.isdigit() and int(declared) > most) or self._length > most:
            self._forget()
            then(None)
        elif self.is_whole:
            then(self._taken())
        else:
            self._most = most
            self._then = then
            if self.expects_continue and not self._length:
                self.line.write(CONTINUE)

    def take(self, part: bytes) -> None:
        """A part of the body has come. Nothing of it is kept for a response that has begun without."""
        if self.is_started:
            return
        self._length += len(part)
        then = self._then
        if then is not None and self._length > self._most:
            self._then = None
            self._forget()
            then(None)
        elif self._parts is not None:
            self._parts.append(part)
        elif self._body:
            self._parts = [self._body, part]
        else:
            self._body = part

    def complete(self) -> None:
        """The body is whole."""
        self.is_whole = True
        then, self._then = self._then, None
        if then is not None:
            then(self._taken())

    def respond(self, status: int, body: bytes = b"", *headers: Header) -> None:
        self.is_started = True
        length = b"content-length: %d\r\n" % len(body)
        head = self._head(status, headers) + length + (b"\r\n" if self.keeps_alive else b"connection: close\r\n\r\n")
        self.line.write(head if self.method == "HEAD" else head + body)
        self._answered()

    def refuse_plainly(self, status: int, message: str, *headers: Header) -> None:
        """Answer with an error to whoever has not come as far as what is served here."""
        self.respond(status, orjson.dumps({"error": {"code": status, "message": message}}), JSON, *headers)

    def upgrade(self, protocol: asyncio.Protocol, headers: Sequence[Header]) -> None:
        """Go over to what the client has asked for: from here on the connection is the other protocol's."""
        self.is_started = self.is_answered = True
        self.line.write(self._head(101, headers) + b"connection: upgrade\r\n\r\n")
        self._let_go()
        self.line.upgrade(protocol)

    def open(self, headers: Sequence[Header]) -> None:
        """Begin a response that is told piece by piece."""
        self.is_started = True
        self.is_chunked = self.is_current
        self.is_event_stream = EVENT_STREAM in headers
        self.keeps_alive = self.keeps_alive and self.is_chunked  # otherwise only the end of the connection ends it
        how = b"transfer-encoding: chunked\r\n" if self.is_chunked else b""
        self.line.write(
            self._head(200, headers) + how + (b"\r\n" if self.keeps_alive else b"connection: close\r\n\r\n")
        )

    def tell(self, piece: bytes) -> None:
        if self.method != "HEAD":
            self.line.write(b"%x\r\n%b\r\n" % (len(piece), piece) if self.is_chunked else piece)

    def close(self, last: bytes = b"") -> None:
        """End a response that was told piece by piece."""
        if last:
            self.tell(last)
        if self.is_chunked and self.method != "HEAD":
            self.line.write(b"0\r\n\r\n")
        self._answered()

    def _head(self, status: int, headers: Sequence[Header]) -> bytes:
        return b"".join(
            [STATUS_LINES[status], self.line.date, *(b"%b: %b\r\n" % header for header in headers)],
        )

    def hung_up(self) -> None:
        """The client is gone."""
        gone, over, self.when_over = self.when_gone, self.when_over, None
        self._let_go()
        if gone is not None:
            gone()
        if over is not None:
            over()

    def _answered(self) -> None:
        self.is_answered = True
        over, self.when_over = self.when_over, None
        self._let_go()
        if over is not None:
            over()
        self.line.answered(self)

    def _let_go(self) -> None:
        self.when_gone = self.when_clear = self._then = None
        self._forget()

    def _taken(self) -> bytes:
        body = b"".join(self._parts) if self._parts is not None else self._body
        self._forget()
        return body

    def _forget(self) -> None:
        self._body, self._parts = b"", None


def target_of(url: bytes) -> tuple[str, bytes]:
    """The path and the query of a request; raises `HttpParserError` when there is no path in what it asks for."""
    if url == b"/mcp":  # of nearly all of them
        return "/mcp", b""
    parsed = httptools.parse_url(url)
    if parsed.path is None:
        raise httptools.HttpParserInvalidURLError("there is no path")
    text = parsed.path.decode("ascii")
    return (unquote(text) if "%" in text else text), parsed.query or b""
