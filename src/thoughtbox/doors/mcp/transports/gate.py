"""What stands in front of everything that is served over HTTP: who may come in."""

from __future__ import annotations

import hmac
import logging
from collections.abc import Callable

import orjson

from thoughtbox import __version__
from thoughtbox.doors.mcp.principal import Principal
from thoughtbox.doors.mcp.transports.http_request import JSON, HttpRequest
from thoughtbox.errors import ConfigurationError
from thoughtbox.settings import LOOPBACK, Settings
from thoughtbox.tokens import Token, Tokens, digest_of

logger = logging.getLogger(__name__)

HEALTH = "/health"

ONCE = frozenset(
    {b"host", b"origin", b"authorization", b"content-length", b"transfer-encoding", b"content-type", b"mcp-session-id"}
)
"""Headers that mean one thing each. Of two, one program would believe the first and the next one the second."""

Endpoint = Callable[[HttpRequest], None]


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
        self._after_turn: Callable[[Callable[[], None]], object] | None = None
        self._is_looked_for = False
        self.look_for_changes()

    def opens(self, endpoint: Endpoint, after_turn: Callable[[Callable[[], None]], object] | None = None) -> None:
        """What answers those who are let in; `after_turn` has something done once all that has come by now is seen."""
        self._endpoint = endpoint
        self._after_turn = after_turn

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

    def judge(self, request: HttpRequest) -> None:
        headers = request.headers
        if request.repeated and not ONCE.isdisjoint(request.repeated):
            twice = next(name for name in request.repeated if name in ONCE)
            request.refuse_plainly(400, f"there is more than one {twice.decode()} header")
        elif not self._is_known_host(headers.get(b"host", b"").decode("latin-1")):
            request.refuse_plainly(403, "this Host is not served here (see THOUGHTBOX_ALLOWED_HOSTS)")
        elif not self._is_known_origin(headers.get(b"origin")):
            request.refuse_plainly(403, "this Origin is not welcome here (see THOUGHTBOX_ALLOWED_HOSTS)")
        elif request.path == HEALTH:
            request.respond(200, orjson.dumps({"status": "ok", "version": __version__}), JSON)
        elif not self._admits(request):
            challenge = (b"www-authenticate", b'Bearer realm="thoughtbox"')
            request.refuse_plainly(401, "a bearer token is required", challenge)
        elif request.path.removesuffix("/") != self._path:
            request.refuse_plainly(404, f"there is nothing here; MCP is spoken at {self._path}")
        else:
            self._endpoint(request)

    def _know_tokens(self) -> None:
        """Look for changes, once for all requests that have come in the same turn of the event loop."""
        if self._is_looked_for:
            return
        self.look_for_changes()
        if self._after_turn is not None:
            self._is_looked_for = True
            self._after_turn(self._look_again)

    def _look_again(self) -> None:
        self._is_looked_for = False

    def _is_known_host(self, host: str) -> bool:
        return host in self._hosts or _without_port(host).lower() in self._hosts

    def _is_known_origin(self, origin: bytes | None) -> bool:
        """Browsers name where a page came from; other clients name nothing."""
        if origin is None:
            return True
        scheme, _, host = origin.decode("latin-1").partition("://")
        return scheme in ("http", "https") and self._is_known_host(host)

    def _admits(self, request: HttpRequest) -> bool:
        """Whether the token is a known one, if one is asked for. What it opens goes along with the request."""
        self._know_tokens()
        if not self._is_guarded:
            return True
        scheme, _, given = request.headers.get(b"authorization", b"").partition(b" ")
        shown = _principal(given.strip())
        # All are compared, and each in full: how long it takes tells nothing of any of them.
        found = [known for known in self._known if hmac.compare_digest(known.id, shown.id)]
        if not found or scheme.lower() != b"bearer":
            return False
        request.principal = found[0]
        return True


def _principal(token: bytes) -> Principal:
    """The holder of a token that reaches everything."""
    return Principal(digest_of(token), None)


def _without_port(host: str) -> str:
    head, separator, port = host.rpartition(":")
    return head if separator and port.isdigit() and not head.endswith(":") else host


def _nothing_yet(request: HttpRequest) -> None:
    request.refuse_plainly(503, "the server is about to start")
