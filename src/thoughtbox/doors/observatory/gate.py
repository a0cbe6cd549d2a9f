"""What stands in front of the Observatory: the names it goes by, the pages that may ask it, and who may look.

Whoever shows a token, in a link or as a bearer, gets a cookie for the browser: the token itself stays out of the
history, of what pages are told about where somebody came from, and of logs.
"""

from __future__ import annotations

import hmac
import secrets
import time
from collections.abc import Callable
from urllib.parse import parse_qsl, quote, urlencode

import orjson

from thoughtbox.doors.http.admission import ONCE, Admission, Hosts
from thoughtbox.doors.http.http_request import JSON, Header, HttpRequest
from thoughtbox.doors.http.principal import Principal
from thoughtbox.settings import LOOPBACK, Settings
from thoughtbox.tokens import digest_of

HEALTH = "/api/health"
TOKEN = "token"
COOKIE_SECONDS = 30 * 24 * 3600
METHODS = b"GET, HEAD, OPTIONS"
LONGEST_QUERY = 8_192
LONGEST_TIME = 12
"""Digits of the second until which a cookie holds."""

Endpoint = Callable[[HttpRequest], None]

ALWAYS: tuple[Header, ...] = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-frame-options", b"DENY"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"vary", b"origin, cookie, authorization, accept-encoding"),
)
"""Headers of every answer."""

SAME_ORIGIN: Header = (b"cross-origin-resource-policy", b"same-origin")

NOTHING_RUNS: Header = (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'")
"""Of every answer but the page: should a browser take one for a page, nothing in it does anything."""

IN_A_SANDBOX: Header = (
    b"content-security-policy",
    b"default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox",
)
"""Of what programs have made: a picture may have styles of its own; opened alone it has no origin, and runs nothing."""

NOT_LET_IN = (
    b"<!doctype html><html lang=en><meta charset=utf-8><title>Thoughtbox Observatory</title>"
    b"<h1>A token is needed</h1><p>Open the link that the server printed when it started, or add"
    b" <code>?token=</code> and the token to this address. Programs send it as a bearer token.</p></html>"
)


class Gate:
    """Checks Host, Origin and token before anything else looks at a request."""

    def __init__(self, settings: Settings, endpoint: Endpoint, *, port: int, seal: bytes) -> None:
        """`seal` is a secret of the installation: cookies outlive a process, and hold for its successor."""
        self._endpoint = endpoint
        self._hosts = Hosts(settings.observatory_host, settings.allowed_hosts)
        self._cors = frozenset(origin.lower() for origin in settings.observatory_cors)
        is_exposed = settings.observatory_host not in LOOPBACK
        self.admission = Admission(settings.data_dir, settings.token, is_exposed=is_exposed)
        # Browsers tell cookies apart by host, not by port: several Observatories may stand on one machine.
        self._cookie = f"thoughtbox_{port}"
        self._key = secrets.token_urlsafe(24)
        """Opens the Observatory, and nothing else, as long as this process lives: for the link that is printed."""
        self._seal = seal
        # Who can read what the server prints may see all of it; until there is another token.
        self._bearer_of_link = Principal(f"link {digest_of((settings.token or '').encode())}", None)

    def link(self, address: str) -> str:
        """The address to open, with what it takes to be let in."""
        return f"{address}?{urlencode({TOKEN: self._key})}" if self.admission.is_guarded else address

    def judge(self, request: HttpRequest) -> None:
        headers = request.headers
        origin = headers.get(b"origin")
        if request.repeated and not ONCE.isdisjoint(request.repeated):
            twice = next(name for name in request.repeated if name in ONCE)
            refuse(request, 400, f"there is more than one {twice.decode()} header")
        elif headers.get(b"host", b"").decode("latin-1") not in self._hosts:
            refuse(request, 403, "this Host is not served here (see THOUGHTBOX_ALLOWED_HOSTS)")
        elif not self._is_welcome(request, origin):
            refuse(request, 403, "this Origin is not welcome here (see THOUGHTBOX_OBSERVATORY_CORS)")
        elif request.method == "OPTIONS" and origin is not None:
            request.respond(204, b"", *self.headers(request), NOTHING_RUNS, *_PREFLIGHT)
        elif request.method not in ("GET", "HEAD"):
            refuse(request, 405, "only GET is answered here: nothing can be changed", (b"allow", METHODS))
        elif len(request.query) > LONGEST_QUERY:
            refuse(request, 414, f"a query has {LONGEST_QUERY} characters at most")
        elif request.path == HEALTH:
            request.principal = self._known(request)
            self._endpoint(request)
        elif not request.path.startswith("/api/") and (shown := _token_in(request.query)) is not None:
            self._exchange(request, shown)
        elif not self._admits(request):
            self._refuse_stranger(request)
        else:
            self._endpoint(request)

    def headers(self, request: HttpRequest) -> tuple[Header, ...]:
        """Those that every answer to this request has."""
        origin = request.headers.get(b"origin")
        if origin is not None and origin.decode("latin-1").lower() in self._cors:
            return (
                *ALWAYS,
                (b"access-control-allow-origin", origin),
                (b"access-control-allow-credentials", b"true"),
            )
        return (*ALWAYS, SAME_ORIGIN)

    def tells(self, request: HttpRequest) -> bool:
        """Whether whoever asks may know more than that somebody is there."""
        return request.principal is not None or not self.admission.is_guarded

    def still_admits(self, principal: Principal | None) -> bool:
        return principal == self._bearer_of_link or self.admission.still_admits(principal)

    def _is_welcome(self, request: HttpRequest, origin: bytes | None) -> bool:
        """Whether it comes from our own page, from one on the list, or from no page at all.

        Another port of the same machine is another program's: its pages are as foreign as any.
        """
        if origin is not None:
            named = origin.decode("latin-1").lower()
            scheme, _, host = named.partition("://")
            own = request.headers.get(b"host", b"").decode("latin-1").lower()
            return (scheme in ("http", "https") and host == own) or named in self._cors
        site = request.headers.get(b"sec-fetch-site", b"none")
        is_visit = request.headers.get(b"sec-fetch-mode") == b"navigate" and not request.path.startswith("/api/")
        return site in (b"none", b"same-origin") or is_visit

    def _admits(self, request: HttpRequest) -> bool:
        admission = self.admission
        admission.know_tokens()
        if not admission.is_guarded:
            return True
        request.principal = self._known(request)
        return request.principal is not None

    def _known(self, request: HttpRequest) -> Principal | None:
        """Who has come with a token that holds, or with a cookie that stands for one."""
        return self.admission.bearer(request.headers.get(b"authorization", b"")) or self._visitor(request)

    def _exchange(self, request: HttpRequest, shown: str) -> None:
        """Take a token out of an address: whoever has shown a right one goes on without it, with a cookie."""
        self.admission.know_tokens()
        found = self._holder(shown)
        if found is None and self.admission.is_guarded:
            self._refuse_stranger(request)
            return
        # Two slashes at the beginning would be another host.
        location = f"/{quote(request.path.lstrip('/'))}{_without_token(request.query)}"
        request.respond(
            303,
            b"",
            *self.headers(request),
            NOTHING_RUNS,
            (b"location", location.encode()),
            (b"cache-control", b"no-store"),
            *([(b"set-cookie", self._cookie_of(found))] if found is not None else []),
        )

    def _cookie_of(self, principal: Principal) -> bytes:
        until = int(time.time()) + COOKIE_SECONDS
        value = f"{until}.{self._sealed(principal, until)}"
        return f"{self._cookie}={value}; Path=/; Max-Age={COOKIE_SECONDS}; HttpOnly; SameSite=Strict".encode()

    def _holder(self, shown: str) -> Principal | None:
        # Both are looked at in any case: how long it takes tells nothing.
        found = self.admission.holder_of(shown.encode())
        is_key = hmac.compare_digest(shown.encode(), self._key.encode())
        return found or (self._bearer_of_link if is_key else None)

    def _sealed(self, principal: Principal, until: int) -> str:
        return hmac.new(self._seal, f"{principal.id}.{until}".encode(), "sha256").hexdigest()

    def _visitor(self, request: HttpRequest) -> Principal | None:
        """Who has come with a cookie of ours that still holds, and whose token does."""
        until, _, seal = _cookie_named(self._cookie, request.headers.get(b"cookie", b"")).partition(b".")
        if not until.isdigit() or len(until) > LONGEST_TIME or int(until) < time.time():
            return None
        holders = [*self.admission.known, self._bearer_of_link]
        sealed = [(holder, self._sealed(holder, int(until)).encode()) for holder in holders]
        return next((holder for holder, expected in sealed if hmac.compare_digest(expected, seal)), None)

    def _refuse_stranger(self, request: HttpRequest) -> None:
        challenge = (b"www-authenticate", b'Bearer realm="thoughtbox"')
        if request.path.startswith("/api/") or b"upgrade" in request.headers:
            refuse(request, 401, "a token is required: as bearer, or in the link that the server printed", challenge)
        else:
            page = (b"content-type", b"text/html; charset=utf-8")
            request.respond(401, NOT_LET_IN, *self.headers(request), page, NOTHING_RUNS, challenge)


_PREFLIGHT: tuple[Header, ...] = (
    (b"access-control-allow-methods", b"GET"),
    (b"access-control-allow-headers", b"authorization"),
    (b"access-control-max-age", b"600"),
)


_CODES = {401: "UNAUTHORIZED", 403: "FORBIDDEN", 404: "NOT_FOUND", 405: "METHOD_NOT_ALLOWED"}


def refuse(request: HttpRequest, status: int, message: str, *headers: Header) -> None:
    """Answer with an error, in the one shape that errors have."""
    body = orjson.dumps({"code": _CODES.get(status, "INVALID_PAYLOAD"), "message": message})
    request.respond(status, body, JSON, *ALWAYS, SAME_ORIGIN, NOTHING_RUNS, *headers)


def _cookie_named(name: str, cookies: bytes) -> bytes:
    """The value of a cookie. Other programs of this machine have theirs in the same header, however they spell them."""
    prefix = f"{name}=".encode()
    values = (part.strip().removeprefix(prefix) for part in cookies.split(b";") if part.strip().startswith(prefix))
    return next(values, b"")


def _token_in(query: bytes) -> str | None:
    return next((value for name, value in parse_qsl(query.decode("latin-1")) if name == TOKEN), None)


def _without_token(query: bytes) -> str:
    rest = [(name, value) for name, value in parse_qsl(query.decode("latin-1")) if name != TOKEN]
    return f"?{urlencode(rest)}" if rest else ""
