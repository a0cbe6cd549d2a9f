"""MCP sessions, which clients with a handshake have: whose they are, and which makes room when there are too many.

The SDK gives every session an id and keeps it until it has been idle for half an hour. Its client gets another
handle, of 256 random bits, which opens it only together with the token that began it. When there are as many as
there may be, the one that was idle for longest is ended, the way its client would end it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from secrets import token_urlsafe

from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

from tests.support.sdk_door.principal import principal_in
from tests.support.sdk_door.transports.one_answer_json import App, Message, Receive, Scope, Send

MOST_SESSIONS = 2_000
"""Open at once; each costs about 40 KB."""

HANDLE = b"mcp-session-id"
REVISION = b"mcp-protocol-version"
NO_SESSION = b"none"
"""What the SDK never calls a session."""


@dataclass(slots=True, eq=False)
class Session:
    """One client from its handshake to its end."""

    id: bytes
    owner: str | None
    requests: int = 1
    """Under way, open streams included. The first is the one that began the session."""


class McpSessions:
    """Wraps the SDK's application."""

    def __init__(self, app: App, path: str) -> None:
        self._app = app
        self._path = path
        self._beginning = 0
        self._sessions: dict[bytes, Session] = {}
        """By handle; the one that was used last is the last."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] != self._path or _is_stateless(scope):
            await self._app(scope, receive, send)
        elif (handle := _header(scope, HANDLE)) is None:
            await self._begin(scope, receive, send)
        elif (session := self._sessions.get(handle)) is None or session.owner != _owner(scope):
            # To anybody but its owner a session is not there. The SDK says so in its own words.
            await self._app(_renamed(scope, NO_SESSION), receive, send)
        else:
            await self._use(handle, session, scope, receive, send)

    async def _begin(self, scope: Scope, receive: Receive, send: Send) -> None:
        begun: list[tuple[bytes, Session]] = []

        def name(id: bytes) -> bytes:
            handle = token_urlsafe(32).encode()
            self._sessions[handle] = session = Session(id, _owner(scope))
            begun.append((handle, session))
            self._beginning -= 1  # it is counted with the others now
            return handle

        if len(self._sessions) + self._beginning >= MOST_SESSIONS:
            await self._end_idlest()
        self._beginning += 1
        try:
            await self._app(scope, receive, _naming(send, name))
        finally:
            for handle, session in begun:
                self._rest(handle, session)
            if not begun:
                self._beginning -= 1

    async def _use(self, handle: bytes, session: Session, scope: Scope, receive: Receive, send: Send) -> None:
        statuses: list[int] = []

        async def note(message: Message) -> None:
            if message["type"] == "http.response.start":
                statuses.append(message["status"])
            await send(message)

        session.requests += 1
        try:
            await self._app(_renamed(scope, session.id), receive, _naming(note, lambda id: handle))
        finally:
            self._rest(handle, session)
            if statuses == [404] or (scope["method"] == "DELETE" and statuses == [200]):
                self._sessions.pop(handle, None)  # it has ended

    def _rest(self, handle: bytes, session: Session) -> None:
        session.requests -= 1
        if self._sessions.pop(handle, None) is not None:
            self._sessions[handle] = session

    async def _end_idlest(self) -> None:
        """When every one of them is busy, none is ended, and the SDK has to refuse the newcomer."""
        idlest = next((handle for handle, session in self._sessions.items() if not session.requests), None)
        if idlest is not None:
            session = self._sessions.pop(idlest)
            await self._app(_ending(self._path, session.id), _nothing_more, _unheard)


def _naming(send: Send, name: Callable[[bytes], bytes]) -> Send:
    """Sends what the SDK answers, with the session called by its handle. One that is refused has none."""

    async def named(message: Message) -> None:
        if message["type"] == "http.response.start" and message["status"] < 400:
            headers = [(key, name(value) if key == HANDLE else value) for key, value in message["headers"]]
            message = {**message, "headers": headers}
        await send(message)

    return named


def _is_stateless(scope: Scope) -> bool:
    """Whether the SDK takes the request for one of a revision without sessions."""
    revision = _header(scope, REVISION)
    return revision is not None and revision.decode("latin-1") not in HANDSHAKE_PROTOCOL_VERSIONS


def _header(scope: Scope, name: bytes) -> bytes | None:
    return next((value for key, value in scope["headers"] if key == name), None)


def _renamed(scope: Scope, id: bytes) -> Scope:
    return {**scope, "headers": [(key, id if key == HANDLE else value) for key, value in scope["headers"]]}


def _owner(scope: Scope) -> str | None:
    principal = principal_in(scope)
    return principal.id if principal is not None else None


def _ending(path: str, id: bytes) -> Scope:
    """The request with which a client ends its session."""
    return {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": "DELETE",
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "root_path": "",
        "query_string": b"",
        "headers": [(HANDLE, id)],
        "client": None,
        "server": None,
    }


async def _nothing_more() -> Message:
    return {"type": "http.request", "body": b"", "more_body": False}


async def _unheard(message: Message) -> None:
    """Nobody waits for this answer."""
