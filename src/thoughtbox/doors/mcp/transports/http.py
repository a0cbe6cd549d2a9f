"""MCP over streamable HTTP."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import socket
from collections.abc import Callable, Generator
from types import FrameType

import uvicorn

from thoughtbox.app import Thoughtbox
from thoughtbox.doors.echo import unblocked_output
from thoughtbox.doors.mcp.principal import principal_in
from thoughtbox.doors.mcp.server import McpServer
from thoughtbox.doors.mcp.shutdown import CLOSING_SECONDS, end_within
from thoughtbox.doors.mcp.transports import bounded_http
from thoughtbox.doors.mcp.transports.bounded_http import BoundedHttp, OpenConnections
from thoughtbox.doors.mcp.transports.endpoint import Endpoint
from thoughtbox.doors.mcp.transports.gate import Gate, check_exposure
from thoughtbox.doors.mcp.transports.loop_place import LoopPlace
from thoughtbox.errors import ConfigurationError
from thoughtbox.settings import Settings

PATH = "/mcp"

GRACE_SECONDS = 1
"""How long calls under way may still take at the end. Uvicorn counts whole seconds."""

TICK_SECONDS = 1.0
"""How often the date in the answers' headers is set anew, and removed tokens are noticed."""


class HttpServer(uvicorn.Server):
    """Uvicorn, which ends in time and leaves it at that."""

    def __init__(self, config: uvicorn.Config, mcp: McpServer, gate: Gate, longest_body: int) -> None:
        super().__init__(config)
        self._mcp = mcp
        self._gate = gate
        self._longest_body = longest_body
        self._endpoint: Endpoint | None = None
        self._changes = gate.changes
        self.server_state: OpenConnections = OpenConnections()
        self._asked = asyncio.Event()
        self._loop: asyncio.AbstractEventLoop | None = None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        place = LoopPlace(asyncio.get_running_loop())
        self._endpoint = Endpoint(self._mcp, place, self._longest_body)
        self._gate.opens(self._endpoint)
        self._mcp.notifications.follow(place)
        await super().startup(sockets)

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

    async def on_tick(self, counter: int) -> bool:
        self._end_what_is_no_longer_admitted()
        if self._endpoint is not None:
            self._endpoint.tick()
        return await super().on_tick(counter)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        end_within(GRACE_SECONDS + CLOSING_SECONDS)
        self._mcp.notifications.end()
        await super().shutdown(sockets)

    def _end_what_is_no_longer_admitted(self) -> None:
        """Close the streams that were opened with a token which has been removed."""
        self._gate.look_for_changes()
        if self._changes == self._gate.changes:
            return
        self._changes = self._gate.changes
        for connection in list(self.server_state.connections):
            if not isinstance(connection, BoundedHttp) or not connection.is_answering:
                continue
            if not self._gate.still_admits(principal_in(connection.scope)):
                connection.drop()


def serve_http(settings: Settings, announce: Callable[[str], None]) -> None:
    """Serve until a signal ends it. `announce` is told the address, once connections are accepted."""
    check_exposure(settings)
    bounded_http.allow_connections()
    listening = _listen(settings)
    host, port = listening.getsockname()[:2]
    with listening, unblocked_output(), Thoughtbox(settings) as box:
        mcp = McpServer(box, transport="http")
        box.keep()
        gate = Gate(PATH, settings)
        config = uvicorn.Config(
            gate,
            http=BoundedHttp,
            log_config=None,
            access_log=False,
            server_header=False,
            timeout_keep_alive=round(bounded_http.SILENCE_SECONDS),
            timeout_graceful_shutdown=GRACE_SECONDS,
            ws="none",
            lifespan="off",
        )
        announce(f"http://{f'[{host}]' if ':' in host else host}:{port}{PATH}")
        HttpServer(config, mcp, gate, settings.max_body_bytes).run(sockets=[listening])


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
