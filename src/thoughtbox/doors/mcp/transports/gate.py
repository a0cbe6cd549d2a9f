"""What stands in front of everything that is served over HTTP: who may come in."""

from __future__ import annotations

import hmac
import logging
from collections.abc import Awaitable, Callable

import orjson

from thoughtbox import __version__
from thoughtbox.doors.mcp.principal import STATE, Principal
from thoughtbox.doors.mcp.transports.asgi import JSON, HttpRequest, Receive, Scope, Send
from thoughtbox.errors import ConfigurationError
from thoughtbox.settings import LOOPBACK, Settings
from thoughtbox.tokens import Token, Tokens, digest_of

logger = logging.getLogger(__name__)

HEALTH = "/health"

ONCE = frozenset(
    {b"host", b"origin", b"authorization", b"content-length", b"transfer-encoding", b"content-type", b"mcp-session-id"}
)
"""Headers that mean one thing each. Of two, one program would believe the first and the next one the second."""

Endpoint = Callable[[HttpRequest], Awaitable[None]]

POLICY_VIOLATION = 1008
"""The code with which a WebSocket is closed that must not be opened."""


def check_exposure(settings: Settings) -> None:
    """Refuse to listen beyond this machine without a token."""
    named = Tokens(settings.data_dir).read()
    if settings.host not in LOOPBACK and settings.token is None and not named:
        raise ConfigurationError(
            f"THOUGHTBOX_HOST is {settings.host}, which others can reach, and there is no token",
            recovery="Set THOUGHTBOX_TOKEN, make one with `thoughtbox token add NAME --workspace WORKSPACE`,"
            " or leave THOUGHTBOX_HOST at 127.0.0.1.",
        )


class Gate:
    """Checks Host, Origin and token before anything else looks at a request."""

    def __init__(self, path: str, settings: Settings) -> None:
        """What is at `path` is guarded; whatever it opens to comes later."""
        self._endpoint: Endpoint = _nothing_yet
        self._path = path
        self._hosts = {"127.0.0.1", "localhost", "[::1]", *map(str.lower, settings.allowed_hosts)}
        if settings.host not in ("0.0.0.0", "::"):
            self._hosts.add(f"[{settings.host}]" if ":" in settings.host else settings.host.lower())
        self._master = [_principal(settings.token.encode())] if settings.token is not None else []
        self._tokens = Tokens(settings.data_dir)
        self._named: tuple[Token, ...] = ()
        self.changes = 0
        """How often there were other tokens than before."""
        self._known = self._master
        # Once a token is asked for, it always is: removing the last one does not open the gate.
        self._is_guarded = settings.host not in LOOPBACK or settings.token is not None
        self.look_for_changes()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            await self._judge(scope, receive, send)
        elif scope["type"] == "websocket":  # nothing is served on one
            await send({"type": "websocket.close", "code": POLICY_VIOLATION})

    def opens(self, endpoint: Endpoint) -> None:
        """What answers those who are let in."""
        self._endpoint = endpoint

    def look_for_changes(self) -> None:
        """Take note of tokens that were made or removed. When they cannot be read, those with a name open nothing."""
        try:
            named = self._tokens.read()
        except ConfigurationError as error:
            if self._named:
                logger.error("%s", error)
            named = ()
            self._is_guarded = True
        if named == self._named:
            return
        self.changes += 1
        self._named = named
        self._known = [*self._master, *(Principal(token.digest, token.workspaces) for token in named)]
        self._is_guarded = self._is_guarded or bool(named)

    def still_admits(self, principal: Principal | None) -> bool:
        """Whether a request that was let in with this would be let in now."""
        return principal in self._known if principal is not None else not self._is_guarded

    async def _judge(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers: dict[bytes, bytes] = {}
        repeated: list[bytes] = []
        for name, value in scope["headers"]:
            if name in headers:
                repeated.append(name)
            # White space around a value is not part of it (RFC 9110, 5.5); the parser below leaves it there.
            headers[name] = value.strip(b" \t")
        request = HttpRequest(scope, receive, send, headers, repeated, None)
        if not ONCE.isdisjoint(repeated):
            twice = next(name for name in repeated if name in ONCE)
            await request.refuse_plainly(400, f"there is more than one {twice.decode()} header")
        elif not self._is_known_host(headers.get(b"host", b"").decode("latin-1")):
            await request.refuse_plainly(403, "this Host is not served here (see THOUGHTBOX_ALLOWED_HOSTS)")
        elif not self._is_known_origin(headers.get(b"origin")):
            await request.refuse_plainly(403, "this Origin is not welcome here (see THOUGHTBOX_ALLOWED_HOSTS)")
        elif request.path == HEALTH:
            await request.respond(200, orjson.dumps({"status": "ok", "version": __version__}), JSON)
        elif not self._admits(request):
            challenge = (b"www-authenticate", b'Bearer realm="thoughtbox"')
            await request.refuse_plainly(401, "a bearer token is required", challenge)
        elif request.path.removesuffix("/") != self._path:
            await request.refuse_plainly(404, f"there is nothing here; MCP is spoken at {self._path}")
        else:
            await self._endpoint(request)

    def _is_known_host(self, host: str) -> bool:
        return _without_port(host).lower() in self._hosts

    def _is_known_origin(self, origin: bytes | None) -> bool:
        """Browsers name where a page came from; other clients name nothing."""
        if origin is None:
            return True
        scheme, _, host = origin.decode("latin-1").partition("://")
        return scheme in ("http", "https") and self._is_known_host(host)

    def _admits(self, request: HttpRequest) -> bool:
        """Whether the token is a known one, if one is asked for. What it opens goes along with the request."""
        self.look_for_changes()
        if not self._is_guarded:
            return True
        scheme, _, given = request.headers.get(b"authorization", b"").partition(b" ")
        shown = _principal(given.strip())
        # All are compared, and each in full: how long it takes tells nothing of any of them.
        found = [known for known in self._known if hmac.compare_digest(known.id, shown.id)]
        if not found or scheme.lower() != b"bearer":
            return False
        request.principal = found[0]
        request.scope.setdefault("state", {})[STATE] = found[0]
        return True


def _principal(token: bytes) -> Principal:
    """The holder of a token that reaches everything."""
    return Principal(digest_of(token), None)


def _without_port(host: str) -> str:
    head, separator, port = host.rpartition(":")
    return head if separator and port.isdigit() and not head.endswith(":") else host


async def _nothing_yet(request: HttpRequest) -> None:
    await request.refuse_plainly(503, "the server is about to start")
