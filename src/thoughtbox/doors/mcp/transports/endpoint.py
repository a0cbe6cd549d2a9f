"""The one address that MCP is spoken at over HTTP, in both eras.

A client of the newest era sends requests that stand for themselves. One with a handshake has a session: it may open a
stream to hear what belongs to no request (GET), and ends the session when it goes (DELETE).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

from thoughtbox.doors.http.http_request import JSON, Header, HttpRequest
from thoughtbox.doors.mcp import jsonrpc
from thoughtbox.doors.mcp.envelope import ROUTING_HEADERS, VERSION_HEADER, must_be_served, sender
from thoughtbox.doors.mcp.jsonrpc import (
    HEADER_MISMATCH,
    INTERNAL_ERROR,
    INVALID_REQUEST,
    REQUEST_CANCELLED,
    Incoming,
    Malformed,
    ProtocolError,
    Reply,
)
from thoughtbox.doors.mcp.request import Place
from thoughtbox.doors.mcp.revisions import HANDSHAKE
from thoughtbox.doors.mcp.server import McpServer
from thoughtbox.doors.mcp.transports.exchange import SILENCE_SECONDS, STATUSES, Exchange
from thoughtbox.doors.mcp.transports.session_files import SessionFiles
from thoughtbox.doors.mcp.transports.sessions import Session, Sessions

HANDLE: Final = b"mcp-session-id"
LAST_EVENT: Final = b"last-event-id"
VERSION: Final = VERSION_HEADER.encode()
LISTEN: Final = "subscriptions/listen"
ALL_ALIKE: Final[Mapping[int, int]] = {}
"""For clients with a handshake every answer is a 200, also one that is an error."""

RESUMABLE: Final = "2025-11-25"
"""The revision from which on clients know what an event without data means."""

LONGEST_NUMBER = 18

SIGNS_AT_ONCE = 50
SIGNS_PAUSE_SECONDS = 0.02


class Endpoint:
    """Answers what the gate has let in. On one event loop."""

    def __init__(self, server: McpServer, place: Place, longest_body: int, files: SessionFiles) -> None:
        self._server = server
        self._place = place
        self._longest_body = longest_body
        self.sessions = Sessions(server, place, files)
        self._exchanges: set[Exchange] = set()
        """Those that are still to be answered."""
        self._is_leaving = False

    def __call__(self, request: HttpRequest) -> None:
        version = request.header(VERSION)
        if version is not None and version not in HANDSHAKE:
            self._serve_stateless(request, version)
        elif (handle := request.headers.get(HANDLE)) is None:
            self._serve_newcomer(request)
        elif (session := self.sessions.find(handle, request.principal)) is None:
            refuse(request, 404, "Session not found")
        else:
            self.sessions.enter(session)
            request.when_over = partial(self.sessions.leave, session)
            self._serve_session(request, session)

    def leave(self) -> None:
        """Another process serves at the same address: have clients open their streams there."""
        self._is_leaving = True
        for session in self.sessions.listening():
            self._pause(session, self._server.notifications.told)

    def tick(self) -> None:
        """Give signs of life on streams, and end sessions that nobody uses. Called every few seconds."""
        now = time.monotonic()
        self.sessions.end_idle(now)
        self._give_signs([one for one in self._exchanges if now - one.sent_at >= SILENCE_SECONDS])

    def _give_signs(self, silent: list[Exchange]) -> None:
        """A few at a time: of a thousand streams that are as old as each other, no call waits for all."""
        for exchange in silent[:SIGNS_AT_ONCE]:
            exchange.keep_alive()
        if rest := silent[SIGNS_AT_ONCE:]:
            self._place.later(SIGNS_PAUSE_SECONDS, partial(self._give_signs, rest))

    def _serve_stateless(self, request: HttpRequest, version: str) -> None:
        if request.method != "POST":
            request.respond(405, b"", (b"allow", b"POST"))
        else:
            self._read(request, partial(self._take_stateless, request, version))

    def _take_stateless(self, request: HttpRequest, version: str, message: Incoming | Reply) -> None:
        if isinstance(message, Reply):
            refuse(request, 400, "Body must be a single JSON-RPC request or notification object")
        elif message.id is None:
            self._acknowledge(request, version)
        else:
            self._answer_stateless(request, message)

    def _answer_stateless(self, request: HttpRequest, message: Incoming) -> None:
        exchange = Exchange()
        try:
            peer = sender(message, _routing(request))
        except ProtocolError as error:
            exchange.answer(jsonrpc.error(message.id, error.code, error.message, error.data), error.code)
        else:
            connection = self._server.exchange(self._place, exchange, request.principal)
            # Closing the stream is how a client of this era takes a request back.
            exchange.gone = connection.close
            connection.answer(message, peer, exchange)
        self._respond(request, exchange, statuses=STATUSES, is_stream=message.method == LISTEN)

    def _acknowledge(self, request: HttpRequest, version: str) -> None:
        """A notification: this era has none that would mean anything here, and clients send them all the same."""
        try:
            must_be_served(version)
        except ProtocolError as error:
            body = jsonrpc.error(None, error.code, error.message, error.data)
            request.respond(STATUSES[error.code], body, JSON)
        else:
            request.respond(202)

    def _serve_newcomer(self, request: HttpRequest) -> None:
        """A request without a session: only `initialize` begins one."""
        if request.method != "POST":
            _refuse_without_session(request)
        else:
            self._read(request, partial(self._take_newcomer, request))

    def _take_newcomer(self, request: HttpRequest, message: Incoming | Reply) -> None:
        if not isinstance(message, Incoming) or message.method != "initialize" or message.id is None:
            refuse(request, 400, "Bad Request: Missing session ID")
        elif (session := self.sessions.begin(request.principal)) is None:
            refuse(request, 503, "Too many open sessions", code=INTERNAL_ERROR)
        else:
            exchange = Exchange()
            session.connection.receive(message, exchange)
            handle: tuple[Header, ...] = ()
            if session.connection.is_agreed:
                self.sessions.keep(session)
                handle = ((HANDLE, session.handle),)
            exchange.respond(request, *handle, statuses=ALL_ALIKE)

    def _serve_session(self, request: HttpRequest, session: Session) -> None:
        if request.method == "POST":
            self._read(request, partial(self._take, request, session))
        elif request.method == "GET":
            self._open_stream(request, session)
        elif request.method == "DELETE":
            self.sessions.end(session)
            request.respond(200, b"", JSON)
        else:
            _refuse_method(request)

    def _take(self, request: HttpRequest, session: Session, message: Incoming | Reply) -> None:
        handle = (HANDLE, session.handle)
        if isinstance(message, Reply) or message.id is None:
            self.sessions.receive(session, message)
            request.respond(202, b"", handle)
            return
        exchange = _Cancellable(message.id)
        session.connection.receive(message, exchange)
        session.save()
        self._respond(request, exchange, handle, statuses=ALL_ALIKE)

    def _open_stream(self, request: HttpRequest, session: Session) -> None:
        if not request.accepts()[1]:
            refuse(request, 406, "Not Acceptable: Client must accept text/event-stream")
        elif (exchange := self.sessions.open_stream(session)) is None:
            refuse(request, 409, "Conflict: Only one SSE stream is allowed per session")
        else:
            request.when_over = partial(self._stream_over, session, exchange, request.when_over)
            self._respond(request, exchange, (HANDLE, session.handle), statuses=ALL_ALIKE, is_stream=True)
            last = request.headers.get(LAST_EVENT, b"")
            told = int(last) if last.isdigit() and len(last) < LONGEST_NUMBER else None
            if self._is_leaving:
                self._pause(session, self._server.notifications.told if told is None else told)
            else:
                self._server.notifications.remember(session.connection, since=told)

    def _respond(
        self,
        request: HttpRequest,
        exchange: Exchange,
        *headers: Header,
        statuses: Mapping[int, int],
        is_stream: bool = False,
    ) -> None:
        """Send what an exchange tells; a stream is opened at once, unless it has failed already."""
        if exchange.is_answered:
            exchange.respond(request, *headers, statuses=statuses)
            return
        self._exchanges.add(exchange)
        request.when_over = partial(self._over, exchange, request.when_over)
        if is_stream:
            exchange.stream(request, *headers)
        else:
            exchange.respond(request, *headers, statuses=statuses)

    def _pause(self, session: Session, told: int) -> None:
        """End a session's stream: its client opens another one, and says that it was told as far as this record."""
        if (stream := session.stream) is not None:
            self.sessions.stream_over(session)  # before its client can want another one
            stream.pause(told if session.connection.peer.version >= RESUMABLE else None)

    def _stream_over(self, session: Session, exchange: Exchange, then: Callable[[], None] | None) -> None:
        if session.stream is exchange:
            self.sessions.stream_over(session)
        if then is not None:
            then()

    def _over(self, exchange: Exchange, then: Callable[[], None] | None) -> None:
        self._exchanges.discard(exchange)
        if then is not None:
            then()

    def _read(self, request: HttpRequest, then: Callable[[Incoming | Reply], None]) -> None:
        """Go on with the message that a client has sent. It is read whole before anything is said."""
        request.read(self._longest_body, partial(self._take_body, request, then))

    def _take_body(self, request: HttpRequest, then: Callable[[Incoming | Reply], None], body: bytes | None) -> None:
        if body is None:
            request.refuse_plainly(413, "the body is too long (see THOUGHTBOX_MAX_BODY_BYTES)")
        elif not request.is_json:
            request.refuse_plainly(415, "the Content-Type has to be application/json")
        elif not all(request.accepts()):
            refuse(request, 406, "Not Acceptable: Client must accept both application/json and text/event-stream")
        elif isinstance(message := jsonrpc.read(body), Malformed):
            request.respond(400, jsonrpc.error(message.id, message.code, message.reason), JSON)
        else:
            then(message)


class _Cancellable(Exchange):
    """The response to a request of a client with a handshake: one that it has taken back is answered, too."""

    __slots__ = ("_id",)

    def __init__(self, id: jsonrpc.Id) -> None:
        super().__init__()
        self._id = id

    def unanswered(self) -> None:
        self.answer(jsonrpc.error(self._id, REQUEST_CANCELLED, "Request cancelled"), REQUEST_CANCELLED)


def _routing(request: HttpRequest) -> dict[str, str]:
    """The headers that say what the request is about; none may come twice, or two readers would believe two things."""
    for name in request.repeated:
        if name.decode("latin-1") in ROUTING_HEADERS:
            raise ProtocolError(HEADER_MISMATCH, f"{name.decode('latin-1')} header appears more than once")
    return {name: value.decode("latin-1") for name in ROUTING_HEADERS if (value := request.headers.get(name.encode()))}


def _refuse_without_session(request: HttpRequest) -> None:
    if request.method == "GET" and not request.accepts()[1]:
        refuse(request, 406, "Not Acceptable: Client must accept text/event-stream")
    elif request.method in ("GET", "DELETE"):
        refuse(request, 400, "Bad Request: Missing session ID")
    else:
        _refuse_method(request)


def _refuse_method(request: HttpRequest) -> None:
    refuse(request, 405, "Method Not Allowed", (b"allow", b"GET, POST, DELETE"), code=INVALID_REQUEST)


def refuse(request: HttpRequest, status: int, message: str, *headers: Header, code: int = INVALID_REQUEST) -> None:
    """Answer with an error that belongs to no message."""
    request.respond(status, jsonrpc.error(None, code, message), JSON, *headers)
