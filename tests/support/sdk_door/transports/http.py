"""MCP over streamable HTTP."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import socket
from collections.abc import AsyncGenerator, Callable, Generator
from types import FrameType

import uvicorn
from mcp.server.transport_security import TransportSecuritySettings
from starlette.applications import Starlette

from tests.support.sdk_door.echo import unblocked_output
from tests.support.sdk_door.server import McpDoor
from tests.support.sdk_door.shutdown import CLOSING_SECONDS, end_within
from tests.support.sdk_door.transports import bounded_http, mcp_sessions
from tests.support.sdk_door.transports.bounded_http import BoundedHttp, OpenConnections
from tests.support.sdk_door.transports.gate import Gate
from tests.support.sdk_door.transports.mcp_sessions import McpSessions
from tests.support.sdk_door.transports.one_answer_json import OneAnswerJson
from thoughtbox.app import Thoughtbox
from thoughtbox.errors import ConfigurationError
from thoughtbox.settings import Settings

PATH = "/mcp"

GRACE_SECONDS = 1
"""How long calls under way may still take at the end. Uvicorn counts whole seconds."""

TICK_SECONDS = 1.0
"""How often the date in the answers' headers is set anew, and removed tokens are noticed."""


def application(box: Thoughtbox, door: McpDoor) -> Gate:
    """The whole HTTP side as one ASGI application."""
    settings = box.settings
    app: Starlette = door.server.streamable_http_app(
        streamable_http_path=PATH,
        max_request_body_size=settings.max_body_bytes,
        max_sessions=mcp_sessions.MOST_SESSIONS,
        # The gate has already looked at Host and Origin.
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )
    inner = app.router.lifespan_context

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncGenerator[None]:
        async with door.notifications.followed(), inner(app):
            yield

    app.router.lifespan_context = lifespan
    return Gate(OneAnswerJson(McpSessions(app, PATH)), settings)


class HttpServer(uvicorn.Server):
    """Uvicorn, which ends in time and leaves it at that."""

    def __init__(self, config: uvicorn.Config, door: McpDoor) -> None:
        super().__init__(config)
        self._door = door
        self.server_state: OpenConnections = OpenConnections()
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
    bounded_http.allow_connections()
    listening = _listen(settings)
    host, port = listening.getsockname()[:2]
    with listening, unblocked_output(), Thoughtbox(settings) as box:
        door = McpDoor(box, transport="http")
        box.keep()
        gate = application(box, door)
        config = uvicorn.Config(
            gate,
            http=BoundedHttp,
            log_config=None,
            access_log=False,
            server_header=False,
            timeout_keep_alive=round(bounded_http.SILENCE_SECONDS),
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
    if hasattr(socket, "TCP_USER_TIMEOUT"):
        # Whoever has vanished without a word is given up in time; connections inherit it.
        patience = round(bounded_http.SILENCE_SECONDS * 1000)
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, patience)
    try:
        listening.bind((settings.host, settings.port))
        listening.listen(256)
    except OSError as error:
        listening.close()
        raise ConfigurationError(
            f"{settings.host} port {settings.port} cannot be had ({error.strerror})",
            recovery="Set THOUGHTBOX_PORT to another one, or 0 for any that is free; `thoughtbox doctor` shows more.",
        ) from error
    return listening
