"""What stands in front of everything that is served over HTTP: who may come in."""

from __future__ import annotations

import hmac
import logging
from typing import Any

import orjson

from tests.support.sdk_door.principal import STATE, Principal
from tests.support.sdk_door.transports.one_answer_json import App, Receive, Scope, Send
from thoughtbox import __version__
from thoughtbox.errors import ConfigurationError
from thoughtbox.settings import LOOPBACK, Settings
from thoughtbox.tokens import Token, Tokens, digest_of

logger = logging.getLogger(__name__)

HEALTH = "/health"

ONCE = frozenset(
    {b"host", b"origin", b"authorization", b"content-length", b"transfer-encoding", b"content-type", b"mcp-session-id"}
)
"""Headers that mean one thing each. Of two, one program would believe the first and the next one the second."""

POLICY_VIOLATION = 1008
"""The code with which a WebSocket is closed that must not be opened."""


class Gate:
    """Checks Host, Origin and token before anything else looks at a request."""

    def __init__(self, app: App, settings: Settings) -> None:
        self._app = app
        self._hosts = {"127.0.0.1", "localhost", "[::1]", *map(str.lower, settings.allowed_hosts)}
        if settings.host not in ("0.0.0.0", "::"):
            self._hosts.add(f"[{settings.host}]" if ":" in settings.host else settings.host.lower())
        self._master = [_principal(settings.token.encode())] if settings.token is not None else []
        self._tokens = Tokens(settings.data_dir)
        self._named: tuple[Token, ...] = ()
        self._known = self._master
        # Once a token is asked for, it always is: removing the last one does not open the gate.
        self._is_guarded = settings.host not in LOOPBACK or settings.token is not None
        self.look_for_changes()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        elif scope["type"] == "http":
            await self._judge(scope, receive, send)
        elif scope["type"] == "websocket":  # nothing is served on one
            await send({"type": "websocket.close", "code": POLICY_VIOLATION})

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
        self._named = named
        self._known = [*self._master, *(Principal(token.digest, token.workspaces) for token in named)]
        self._is_guarded = self._is_guarded or bool(named)

    async def _judge(self, scope: Scope, receive: Receive, send: Send) -> None:
        # White space around a value is not part of it (RFC 9110, 5.5); the parser below leaves it there.
        scope["headers"] = [(name, value.strip(b" \t")) for name, value in scope["headers"]]
        headers: dict[bytes, bytes] = {}
        for name, value in scope["headers"]:
            if name in headers and name in ONCE:
                await _refuse(send, 400, f"there is more than one {name.decode()} header")
                return
            headers[name] = value
        if not self._is_known_host(headers.get(b"host", b"").decode("latin-1")):
            await _refuse(send, 403, "this Host is not served here (see THOUGHTBOX_ALLOWED_HOSTS)")
        elif not self._is_known_origin(headers.get(b"origin")):
            await _refuse(send, 403, "this Origin is not welcome here (see THOUGHTBOX_ALLOWED_HOSTS)")
        elif scope["path"] == HEALTH:
            await _answer(send, 200, {"status": "ok", "version": __version__})
        elif not self._admits(scope, headers.get(b"authorization", b"")):
            await _refuse(send, 401, "a bearer token is required", (b"www-authenticate", b'Bearer realm="thoughtbox"'))
        else:
            await self._app(scope, receive, send)

    def _is_known_host(self, host: str) -> bool:
        return _without_port(host).lower() in self._hosts

    def _is_known_origin(self, origin: bytes | None) -> bool:
        """Browsers name where a page came from; other clients name nothing."""
        if origin is None:
            return True
        scheme, _, host = origin.decode("latin-1").partition("://")
        return scheme in ("http", "https") and self._is_known_host(host)

    def _admits(self, scope: Scope, authorization: bytes) -> bool:
        """Whether the token is a known one, if one is asked for. What it opens goes along with the request."""
        self.look_for_changes()
        if not self._is_guarded:
            return True
        scheme, _, given = authorization.partition(b" ")
        shown = _principal(given.strip())
        # All are compared, and each in full: how long it takes tells nothing of any of them.
        found = [known for known in self._known if hmac.compare_digest(known.id, shown.id)]
        if not found or scheme.lower() != b"bearer":
            return False
        scope.setdefault("state", {})[STATE] = found[0]
        return True


def _principal(token: bytes) -> Principal:
    """The holder of a token that reaches everything."""
    return Principal(digest_of(token), None)


def _without_port(host: str) -> str:
    head, separator, port = host.rpartition(":")
    return head if separator and port.isdigit() and not head.endswith(":") else host


async def _refuse(send: Send, status: int, message: str, *headers: tuple[bytes, bytes]) -> None:
    await _answer(send, status, {"error": {"code": status, "message": message}}, *headers)


async def _answer(send: Send, status: int, body: dict[str, Any], *headers: tuple[bytes, bytes]) -> None:
    content = orjson.dumps(body)
    described = [(b"content-type", b"application/json"), (b"content-length", str(len(content)).encode()), *headers]
    await send({"type": "http.response.start", "status": status, "headers": described})
    await send({"type": "http.response.body", "body": content})
