"""The one address that MCP is spoken at over HTTP, in both eras.

A client of the newest era sends requests that stand for themselves. One with a handshake has a session: it may open a
stream to hear what belongs to no request (GET), and ends the session when it goes (DELETE).
"""

from __future__ import annotations

import time
from typing import Final

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
from thoughtbox.doors.mcp.transports.asgi import JSON, HttpRequest
from thoughtbox.doors.mcp.transports.exchange import STATUSES, Exchange
from thoughtbox.doors.mcp.transports.sessions import Session, Sessions

HANDLE: Final = b"mcp-session-id"
VERSION: Final = VERSION_HEADER.encode()
LISTEN: Final = "subscriptions/listen"
ALL_ALIKE: Final = {}
"""For clients with a handshake every answer is a 200, also one that is an error."""


class Endpoint:
    """Answers what the gate has let in. On one event loop."""

    def __init__(self, server: McpServer, place: Place, longest_body: int) -> None:
        self._server = server
        self._place = place
        self._longest_body = longest_body
        self._sessions = Sessions(server, place)
        self._exchanges: set[Exchange] = set()

    async def __call__(self, request: HttpRequest) -> None:
        version = request.header(VERSION)
        if version is not None and version not in HANDSHAKE:
            await self._serve_stateless(request, version)
        elif (handle := request.headers.get(HANDLE)) is None:
            await self._serve_newcomer(request)
        elif (session := self._sessions.find(handle, request.principal)) is None:
            await request.refuse(404, "Session not found")
        else:
            self._sessions.enter(session)
            try:
                await self._serve_session(request, session)
            finally:
                self._sessions.leave(session)

    def tick(self) -> None:
        """Give signs of life on streams, and end sessions that nobody uses. Called every few seconds."""
        now = time.monotonic()
        for exchange in self._exchanges:
            exchange.keep_alive(now)
        self._sessions.end_idle(now)

    async def _serve_stateless(self, request: HttpRequest, version: str) -> None:
        if request.method != "POST":
            await request.respond(405, b"", (b"allow", b"POST"))
            return
        message = await self._posted(request)
        if message is None:
            return
        if isinstance(message, Reply):
            await request.refuse(400, "Body must be a single JSON-RPC request or notification object")
        elif message.id is None:
            await self._acknowledge(request, version)
        else:
            await self._answer_stateless(request, message)

    async def _answer_stateless(self, request: HttpRequest, message: Incoming) -> None:
        exchange = Exchange()
        connection = self._server.exchange(self._place, exchange, request.principal)
        # Closing the stream is how a client of this era takes a request back.
        exchange.gone = connection.close
        try:
            peer = sender(message, _routing(request))
        except ProtocolError as error:
            exchange.answer(jsonrpc.error(message.id, error.code, error.message, error.data), error.code)
        else:
            connection.answer(message, peer, exchange)
        await self._respond(request, exchange, is_stream=message.method == LISTEN)

    async def _acknowledge(self, request: HttpRequest, version: str) -> None:
        """A notification: this era has none that would mean anything here, and clients send them all the same."""
        try:
            must_be_served(version)
        except ProtocolError as error:
            body = jsonrpc.error(None, error.code, error.message, error.data)
            await request.respond(STATUSES[error.code], body, JSON)
        else:
            await request.respond(202)

    async def _serve_newcomer(self, request: HttpRequest) -> None:
        """A request without a session: only `initialize` begins one."""
        if request.method != "POST":
            await self._refuse_without_session(request)
        elif (message := await self._posted(request)) is None:
            return
        elif not isinstance(message, Incoming) or message.method != "initialize" or message.id is None:
            await request.refuse(400, "Bad Request: Missing session ID")
        elif (session := self._sessions.begin(request.principal)) is None:
            await request.refuse(503, "Too many open sessions", code=INTERNAL_ERROR)
        else:
            exchange = Exchange()
            session.connection.receive(message, exchange)
            if not session.connection.is_agreed:
                await exchange.respond(request, statuses=ALL_ALIKE)
                return
            self._sessions.keep(session)
            await exchange.respond(request, (HANDLE, session.handle), statuses=ALL_ALIKE)

    async def _serve_session(self, request: HttpRequest, session: Session) -> None:
        if request.method == "POST":
            await self._post(request, session)
        elif request.method == "GET":
            await self._open_stream(request, session)
        elif request.method == "DELETE":
            self._sessions.end(session)
            await request.respond(200, b"", JSON)
        else:
            await _refuse_method(request)

    async def _post(self, request: HttpRequest, session: Session) -> None:
        message = await self._posted(request)
        if message is None:
            return
        handle = (HANDLE, session.handle)
        if isinstance(message, Reply) or message.id is None:
            session.connection.receive(message, session)
            await request.respond(202, b"", handle)
            return
        exchange = _Cancellable(message.id)
        session.connection.receive(message, exchange)
        await self._respond(request, exchange, handle)

    async def _open_stream(self, request: HttpRequest, session: Session) -> None:
        if not request.accepts()[1]:
            await request.refuse(406, "Not Acceptable: Client must accept text/event-stream")
        elif session.stream is not None:
            await request.refuse(409, "Conflict: Only one SSE stream is allowed per session")
        else:
            session.stream = exchange = Exchange()
            try:
                await self._respond(request, exchange, (HANDLE, session.handle), is_stream=True)
            finally:
                session.stream = None

    async def _respond(
        self, request: HttpRequest, exchange: Exchange, *headers: tuple[bytes, bytes], is_stream: bool = False
    ) -> None:
        """Send what an exchange tells; a stream is opened at once, unless it has failed already."""
        statuses = ALL_ALIKE if headers else STATUSES
        if exchange.is_answered:
            await exchange.respond(request, *headers, statuses=statuses)
            return
        self._exchanges.add(exchange)
        try:
            if is_stream:
                await exchange.stream(request, *headers)
            else:
                await exchange.respond(request, *headers, statuses=statuses)
        finally:
            self._exchanges.discard(exchange)

    async def _posted(self, request: HttpRequest) -> Incoming | Reply | None:
        """The message that a client has sent; None when it was refused. It is read whole before anything is said."""
        body = await request.body(self._longest_body)
        if body is None:
            await request.refuse_plainly(413, "the body is too long (see THOUGHTBOX_MAX_BODY_BYTES)")
        elif not request.is_json:
            await request.refuse_plainly(400, "the Content-Type has to be application/json")
        elif not all(request.accepts()):
            await request.refuse(406, "Not Acceptable: Client must accept both application/json and text/event-stream")
        elif isinstance(message := jsonrpc.read(body), Malformed):
            await request.respond(400, jsonrpc.error(message.id, message.code, message.reason), JSON)
        else:
            return message
        return None

    async def _refuse_without_session(self, request: HttpRequest) -> None:
        if request.method == "GET" and not request.accepts()[1]:
            await request.refuse(406, "Not Acceptable: Client must accept text/event-stream")
        elif request.method in ("GET", "DELETE"):
            await request.refuse(400, "Bad Request: Missing session ID")
        else:
            await _refuse_method(request)


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


async def _refuse_method(request: HttpRequest) -> None:
    await request.refuse(405, "Method Not Allowed", (b"allow", b"GET, POST, DELETE"), code=INVALID_REQUEST)
