"""MCP over streamable HTTP, and what stands in front of it: who may come in, and with how much."""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import signal
import socket
from collections.abc import AsyncGenerator, Callable, Generator
from types import FrameType
from typing import Any

import orjson
import uvicorn
from mcp.server.transport_security import TransportSecuritySettings
from starlette.applications import Starlette
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from thoughtbox import __version__
from thoughtbox.app import Thoughtbox
from thoughtbox.doors.echo import unblocked_output
from thoughtbox.doors.mcp.server import McpDoor
from thoughtbox.doors.mcp.shutdown import CLOSING_SECONDS, end_within
from thoughtbox.doors.mcp.transports.one_answer_json import App, OneAnswerJson, Receive, Scope, Send
from thoughtbox.errors import ConfigurationError
from thoughtbox.settings import LOOPBACK, Settings

PATH = "/mcp"
HEALTH = "/health"

LONGEST_HEAD = 1 << 16
"""Bytes of a request's first line and headers."""

MOST_SESSIONS = 2_000
"""Clients with a handshake that are connected at once; each costs about 40 KB. Idle ones are dropped in time."""

GRACE_SECONDS = 1
"""How long calls under way may still take at the end. Uvicorn counts whole seconds."""

TICK_SECONDS = 1.0
"""How often the date in the answers' headers is set anew."""

KEEP_ALIVE_SECONDS = 60
"""Longer than clients keep an idle connection, so that none is closed under a request."""


def check_exposure(settings: Settings) -> None:
    """Refuse to listen beyond this machine without a token."""
    if settings.host not in LOOPBACK and settings.token is None:
        raise ConfigurationError(
            f"HOST is {settings.host}, which others can reach, and there is no token",
            recovery="Set THOUGHTBOX_TOKEN, or leave HOST at 127.0.0.1.",
        )


class Gate:
    """Checks Host, Origin and token before anything else looks at a request."""

    def __init__(self, app: App, settings: Settings) -> None:
        self._app = app
        self._token = settings.token.encode() if settings.token is not None else None
        self._hosts = {"127.0.0.1", "localhost", "[::1]", *map(str.lower, settings.allowed_hosts)}
        if settings.host not in ("0.0.0.0", "::"):
            self._hosts.add(f"[{settings.host}]" if ":" in settings.host else settings.host.lower())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        # White space around a value is not part of it (RFC 9110, 5.5); the parser below leaves it there.
        scope["headers"] = [(name, value.strip(b" \t")) for name, value in scope["headers"]]
        headers: dict[bytes, bytes] = dict(scope["headers"])
        if not self._is_known_host(headers.get(b"host", b"").decode("latin-1")):
            await _refuse(send, 403, "this Host is not served here (see THOUGHTBOX_ALLOWED_HOSTS)")
        elif not self._is_known_origin(headers.get(b"origin")):
            await _refuse(send, 403, "this Origin is not welcome here (see THOUGHTBOX_ALLOWED_HOSTS)")
        elif scope["path"] == HEALTH:
            await _answer(send, 200, {"status": "ok", "version": __version__})
        elif not self._has_token(headers.get(b"authorization", b"")):
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

    def _has_token(self, authorization: bytes) -> bool:
        if self._token is None:
            return True
        scheme, _, given = authorization.partition(b" ")
        return scheme.lower() == b"bearer" and hmac.compare_digest(given.strip(), self._token)


def application(box: Thoughtbox, door: McpDoor) -> App:
    """The whole HTTP side as one ASGI application."""
    settings = box.settings
    app: Starlette = door.server.streamable_http_app(
        streamable_http_path=PATH,
        max_request_body_size=settings.max_body_bytes,
        max_sessions=MOST_SESSIONS,
        # The gate has already looked at Host and Origin.
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )
    inner = app.router.lifespan_context

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncGenerator[None]:
        async with door.notifications.followed(), inner(app):
            yield

    app.router.lifespan_context = lifespan
    return Gate(OneAnswerJson(app), settings)


class BoundedHttp(HttpToolsProtocol):
    """Uvicorn's HTTP, with a bound on all that comes before a body: it is read before anybody is asked for a token."""

    _is_in_head = True
    _head_bytes = 0

    def data_received(self, data: bytes) -> None:
        self._head_bytes += len(data)
        super().data_received(data)
        if self._is_in_head and self._head_bytes > LONGEST_HEAD:
            self.transport.write(b"HTTP/1.1 431 Request Header Fields Too Large\r\nconnection: close\r\n\r\n")
            self.transport.close()

    def on_headers_complete(self) -> None:
        self._is_in_head = False
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        self._is_in_head = True
        self._head_bytes = 0
        super().on_message_complete()


class HttpServer(uvicorn.Server):
    """Uvicorn, which ends in time and leaves it at that."""

    def __init__(self, config: uvicorn.Config, door: McpDoor) -> None:
        super().__init__(config)
        self._door = door
        self._asked = asyncio.Event()
        self._loop: asyncio.AbstractEventLoop | None = None

    async def main_loop(self) -> None:
        """As in uvicorn, which looks ten times a second whether it is to end; here the signal says so."""
        self._loop = asyncio.get_running_loop()
        while not await self.on_tick(0):
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._asked.wait(), TICK_SECONDS)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        super().handle_exit(sig, frame)
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._asked.set)

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None]:
        """As in uvicorn, without raising the signal again afterwards: the store is still to be closed."""
        asking = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
        before = {number: signal.signal(number, self.handle_exit) for number in asking}
        yield
        for number, handler in before.items():
            signal.signal(number, handler)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        end_within(GRACE_SECONDS + CLOSING_SECONDS)
        self._door.notifications.end()
        await super().shutdown(sockets)


def serve_http(settings: Settings, announce: Callable[[str], None]) -> None:
    """Serve until a signal ends it. `announce` is told the address, once connections are accepted."""
    check_exposure(settings)
    listening = _listen(settings)
    host, port = listening.getsockname()[:2]
    with listening, unblocked_output(), Thoughtbox(settings) as box:
        door = McpDoor(box, transport="http")
        box.keep()
        config = uvicorn.Config(
            application(box, door),
            http=BoundedHttp,
            log_config=None,
            access_log=False,
            server_header=False,
            timeout_keep_alive=KEEP_ALIVE_SECONDS,
            timeout_graceful_shutdown=GRACE_SECONDS,
            ws="none",
        )
        announce(f"http://{f'[{host}]' if ':' in host else host}:{port}{PATH}")
        HttpServer(config, door).run(sockets=[listening])


def _listen(settings: Settings) -> socket.socket:
    """Take the port before anything else: a busy one is said at once."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((settings.host, settings.port))
        listening.listen(256)
    except OSError as error:
        listening.close()
        raise ConfigurationError(
            f"{settings.host} port {settings.port} cannot be had ({error.strerror})",
            recovery="Set PORT to another one, or 0 for any that is free; `thoughtbox doctor` shows more.",
        ) from error
    return listening


def _without_port(host: str) -> str:
    head, separator, port = host.rpartition(":")
    return head if separator and port.isdigit() and not head.endswith(":") else host


async def _refuse(send: Send, status: int, message: str, *headers: tuple[bytes, bytes]) -> None:
    await _answer(send, status, {"error": {"code": status, "message": message}}, *headers)


async def _answer(send: Send, status: int, body: dict[str, Any], *headers: tuple[bytes, bytes]) -> None:
    content_type = (b"content-type", b"application/json")
    await send({"type": "http.response.start", "status": status, "headers": [content_type, *headers]})
    await send({"type": "http.response.body", "body": orjson.dumps(body)})
