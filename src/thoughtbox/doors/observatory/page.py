"""The page itself: what the build has made, read once, and sent as it is."""

from __future__ import annotations

import gzip
import re
from pathlib import Path
from typing import NamedTuple

from thoughtbox.doors.http.http_request import Header, HttpRequest

FOLDER = Path(__file__).parent / "page"
INDEX = "index.html"
APP = "app.html"

_TYPES = {
    ".html": b"text/html; charset=utf-8",
    ".js": b"text/javascript; charset=utf-8",
    ".css": b"text/css; charset=utf-8",
    ".svg": b"image/svg+xml",
    ".json": b"application/json",
    ".woff2": b"font/woff2",
}
_GZIP = re.compile(rb"\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))")
_FOR_GOOD = b"public, max-age=31536000, immutable"

NOT_BUILT = (
    b"<!doctype html><html lang=en><meta charset=utf-8><title>Thoughtbox Observatory</title>"
    b"<h1>The page was not built</h1><p>This is a checkout: <code>make setup</code> builds it."
    b" The API is at <a href=/api/openapi.json>/api/openapi.json</a>.</p></html>"
)


class File(NamedTuple):
    body: bytes
    packed: bytes
    """The same, as gzip."""
    type: bytes
    is_named_by_content: bool


class Page:
    """Answers for the page and what it loads."""

    def __init__(self, folder: Path = FOLDER) -> None:
        self._files = {f"/{path.relative_to(folder).as_posix()}": _file(path, folder) for path in _built(folder)}
        index = self._files.get(f"/{INDEX}")
        self._files["/"] = index or File(NOT_BUILT, gzip.compress(NOT_BUILT), _TYPES[".html"], False)

    def answer(self, request: HttpRequest, headers: tuple[Header, ...]) -> bool:
        """Send the file at this path, if there is one."""
        file = self._files.get("/" if request.path == "/observatory" else request.path)
        if file is None:
            return False
        takes_gzip = _GZIP.search(request.headers.get(b"accept-encoding", b"")) is not None
        request.respond(
            200,
            file.packed if takes_gzip else file.body,
            (b"content-type", file.type),
            (b"cache-control", _FOR_GOOD if file.is_named_by_content else b"no-cache"),
            *headers,
            (b"content-security-policy", _policy(request)),
            *([(b"content-encoding", b"gzip")] if takes_gzip else []),
        )
        return True


def _policy(request: HttpRequest) -> bytes:
    """Nothing runs but what the build has made, and nothing is asked but this server.

    Some browsers do not take a WebSocket to the same host for `'self'`.
    """
    host = request.headers.get(b"host", b"")
    return (
        b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self';"
        b" connect-src 'self' ws://" + host + b" wss://" + host + b"; manifest-src 'self'; base-uri 'none';"
        b" form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script';"
        b" trusted-types svelte-trusted-html"
    )


def _built(folder: Path) -> list[Path]:
    """The app for MCP hosts is a resource over MCP, and not served here."""
    return [path for path in sorted(folder.rglob("*")) if path.is_file() and path.name != APP and path.suffix in _TYPES]


def _file(path: Path, folder: Path) -> File:
    body = path.read_bytes()
    return File(body, gzip.compress(body, 9), _TYPES[path.suffix], path.parent != folder)
