"""What stands in front of everything that MCP clients are served over HTTP: who may come in."""

from __future__ import annotations

from collections.abc import Callable

import orjson

from thoughtbox import __version__
from thoughtbox.doors.http import admission
from thoughtbox.doors.http.admission import ONCE, Admission, Hosts
from thoughtbox.doors.http.http_request import JSON, HttpRequest
from thoughtbox.doors.http.principal import Principal
from thoughtbox.settings import LOOPBACK, Settings

HEALTH = "/health"

Endpoint = Callable[[HttpRequest], None]


def check_exposure(settings: Settings) -> None:
    """Refuse to listen beyond this machine without a token."""
    admission.check_exposure(settings, settings.host, "THOUGHTBOX_HOST")


class Gate:
    """Checks Host, Origin and token before anything else looks at a request."""

    def __init__(self, path: str, settings: Settings) -> None:
        """What is at `path` is guarded; whatever it opens to comes later."""
        self._endpoint: Endpoint = _nothing_yet
        self._path = path
        self._hosts = Hosts(settings.host, settings.allowed_hosts)
        self._admission = Admission(settings.data_dir, settings.token, is_exposed=settings.host not in LOOPBACK)

    @property
    def changes(self) -> int:
        """How often there were other tokens than before."""
        return self._admission.changes

    def opens(self, endpoint: Endpoint, after_turn: Callable[[Callable[[], None]], object] | None = None) -> None:
        """What answers those who are let in; `after_turn` has something done once all that has come by now is seen."""
        self._endpoint = endpoint
        self._admission.after_turn = after_turn

    def look_for_changes(self) -> None:
        """Take note of tokens that were made or removed."""
        self._admission.look_for_changes()

    def still_admits(self, principal: Principal | None) -> bool:
        """Whether a request that was let in with this would be let in now."""
        return self._admission.still_admits(principal)

    def judge(self, request: HttpRequest) -> None:
        headers = request.headers
        if request.repeated and not ONCE.isdisjoint(request.repeated):
            twice = next(name for name in request.repeated if name in ONCE)
            request.refuse_plainly(400, f"there is more than one {twice.decode()} header")
        elif headers.get(b"host", b"").decode("latin-1") not in self._hosts:
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

    def _is_known_origin(self, origin: bytes | None) -> bool:
        """Browsers name where a page came from; other clients name nothing."""
        if origin is None:
            return True
        scheme, _, host = origin.decode("latin-1").partition("://")
        return scheme in ("http", "https") and host in self._hosts

    def _admits(self, request: HttpRequest) -> bool:
        """Whether the token is a known one, if one is asked for. What it opens goes along with the request."""
        self._admission.know_tokens()
        if not self._admission.is_guarded:
            return True
        request.principal = self._admission.bearer(request.headers.get(b"authorization", b""))
        return request.principal is not None


def _nothing_yet(request: HttpRequest) -> None:
    request.refuse_plainly(503, "the server is about to start")
