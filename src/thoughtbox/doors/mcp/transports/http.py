"""MCP over streamable HTTP."""

from __future__ import annotations

import asyncio
import signal
import socket
from collections.abc import Callable
from email.utils import formatdate
from typing import Final

from thoughtbox.app import Thoughtbox
from thoughtbox.doors.echo import unblocked_output
from thoughtbox.doors.mcp.server import McpServer
from thoughtbox.doors.mcp.shutdown import CLOSING_SECONDS, end_within
from thoughtbox.doors.mcp.transports import limits
from thoughtbox.doors.mcp.transports.bounded_http import BoundedHttp, Served
from thoughtbox.doors.mcp.transports.endpoint import Endpoint
from thoughtbox.doors.mcp.transports.gate import Gate, check_exposure
from thoughtbox.doors.mcp.transports.loop_place import LoopPlace
from thoughtbox.doors.mcp.transports.open_connections import allow_connections
from thoughtbox.errors import ConfigurationError
from thoughtbox.settings import Settings

PATH = "/mcp"

GRACE_SECONDS = 1.0
"""How long calls under way may still take at the end."""

TICK_SECONDS = 1.0
"""How often the date in the answers' headers is set anew, and removed tokens are noticed."""

LONGEST_QUEUE = 1024
"""Connections that wait to be accepted; the system may have a lower limit."""

ENDING: Final = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


class HttpServer:
    """Serves on one event loop until it is asked to end, and ends in time."""

    def __init__(self, mcp: McpServer, gate: Gate, longest_body: int) -> None:
        """On the event loop."""
        self._mcp = mcp
        self._gate = gate
        self._changes = gate.changes
        self._loop = asyncio.get_running_loop()
        place = LoopPlace(self._loop)
        self._endpoint = Endpoint(mcp, place, longest_body)
        self._served = Served(self._loop, gate.judge)
        gate.opens(self._endpoint, lambda step: self._loop.call_soon(step))
        mcp.notifications.follow(place)
        self._asked = asyncio.Event()
        self._tick()

    def ask_to_end(self) -> None:
        """From any thread, and from within a signal's handler."""
        self._loop.call_soon_threadsafe(self._asked.set)

    async def serve(self, listening: socket.socket) -> None:
        accepting = await self._loop.create_server(
            lambda: BoundedHttp(self._served), sock=listening, backlog=LONGEST_QUEUE
        )
        await self._asked.wait()
        end_within(GRACE_SECONDS + CLOSING_SECONDS)
        accepting.close()
        await self._end()

    async def _end(self) -> None:
        self._ticking.cancel()
        self._mcp.notifications.end()
        for connection in self._served.connections:
            connection.finish()
        await self._served.connections.empty(GRACE_SECONDS)

    def _tick(self) -> None:
        self._ticking = self._loop.call_later(TICK_SECONDS, self._tick)
        self._served.date = f"date: {formatdate(usegmt=True)}\r\n".encode()
        self._end_what_is_no_longer_admitted()
        self._endpoint.tick()

    def _end_what_is_no_longer_admitted(self) -> None:
        """Close the streams that were opened with a token which has been removed."""
        self._gate.look_for_changes()
        if self._changes == self._gate.changes:
            return
        self._changes = self._gate.changes
        for connection in self._served.connections:
            if connection.is_answering and not self._gate.still_admits(connection.principal):
                connection.drop()


def serve_http(settings: Settings, announce: Callable[[str], None]) -> None:
    """Serve until a signal ends it. `announce` is told the address, once connections are accepted."""
    check_exposure(settings)
    allow_connections()
    listening = listen(settings)
    address = address_of(listening)
    with listening, unblocked_output(), Thoughtbox(settings) as box:
        mcp = McpServer(box, transport="http")
        box.keep()
        gate = Gate(PATH, settings)
        announce(address)

        async def serve() -> None:
            server = HttpServer(mcp, gate, settings.max_body_bytes)
            before = {number: signal.signal(number, lambda *_: server.ask_to_end()) for number in ENDING}
            await server.serve(listening)
            for number, handler in before.items():
                signal.signal(number, handler)

        with asyncio.Runner(loop_factory=new_loop) as runner:
            runner.run(serve())


def new_loop() -> asyncio.AbstractEventLoop:
    try:
        import uvloop
    except ImportError:  # pragma: no cover - it is not to be had everywhere
        return asyncio.new_event_loop()
    return uvloop.new_event_loop()


def address_of(listening: socket.socket) -> str:
    host, port = listening.getsockname()[:2]
    return f"http://{f'[{host}]' if ':' in host else host}:{port}{PATH}"


def listen(settings: Settings) -> socket.socket:
    """Take the port before anything else: a busy one is said at once."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if hasattr(socket, "TCP_USER_TIMEOUT"):
        # Whoever has vanished without a word is given up in time; connections inherit it.
        patience = round(limits.SILENCE_SECONDS * 1000)
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, patience)
    try:
        listening.bind((settings.host, settings.port))
        listening.listen(LONGEST_QUEUE)
    except OSError as error:
        listening.close()
        raise ConfigurationError(
            f"{settings.host} port {settings.port} cannot be had ({error.strerror})",
            recovery="Set THOUGHTBOX_PORT to another one, or 0 for any that is free; `thoughtbox doctor` shows more.",
        ) from error
    return listening
