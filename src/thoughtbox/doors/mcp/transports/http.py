"""MCP over streamable HTTP."""

from __future__ import annotations

import asyncio
import logging
import signal
import socket
import threading
import time
from collections.abc import Callable, Coroutine, Mapping
from email.utils import formatdate
from typing import Any, Final

from thoughtbox.app import Thoughtbox
from thoughtbox.doors.echo import unblocked_output
from thoughtbox.doors.mcp.server import McpServer
from thoughtbox.doors.mcp.shutdown import CLOSING_SECONDS, end_within
from thoughtbox.doors.mcp.transports.bounded_http import BoundedHttp, Move, Served
from thoughtbox.doors.mcp.transports.endpoint import Endpoint
from thoughtbox.doors.mcp.transports.gate import Gate, check_exposure
from thoughtbox.doors.mcp.transports.listening import LONGEST_QUEUE, PATH, address_of, listen
from thoughtbox.doors.mcp.transports.loop_place import LoopPlace
from thoughtbox.doors.mcp.transports.open_connections import allow_connections
from thoughtbox.doors.mcp.transports.sessions import Sessions
from thoughtbox.doors.mcp.transports.worker import Relay, end_with
from thoughtbox.doors.mcp.transports.worker_frames import Place as WorkerPlace
from thoughtbox.operations.shared_log import SharedLog
from thoughtbox.settings import Settings

logger = logging.getLogger(__name__)

GRACE_SECONDS = 1.0
"""How long calls under way may still take at the end."""

TICK_SECONDS = 1.0
"""How often the date in the answers' headers is set anew, and removed tokens are noticed."""

LEAVING_SECONDS = 90.0
"""How long a worker that hands over waits for what is under way: longer than a client's model may take to answer."""

MOVED_AT_ONCE = 100
MOVING_PAUSE_SECONDS = 0.01
ACCEPT_AGAIN_SECONDS = 0.1

ENDING: Final = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


class HttpServer:
    """Serves on one event loop until it is asked to end, and ends in time."""

    def __init__(self, box: Thoughtbox, mcp: McpServer, place: WorkerPlace | None = None) -> None:
        """On the event loop. `place` is that of a worker."""
        settings = box.settings
        self._box = box
        self._mcp = mcp
        self._gate = Gate(PATH, settings)
        self._changes = self._gate.changes
        self._loop = asyncio.get_running_loop()
        here = LoopPlace(self._loop)
        self._relay = Relay(place) if place is not None else None
        self._endpoint = Endpoint(
            mcp,
            here,
            settings.max_body_bytes,
            elsewhere=self._relay.elsewhere if self._relay is not None else None,
            slot=place.slot if place is not None else None,
        )
        self._served = Served(self._loop, self._gate.judge)
        self._gate.opens(self._endpoint, lambda step: self._loop.call_soon(step))
        mcp.notifications.follow(here)
        self._asked = asyncio.Event()
        self._listening: socket.socket | None = None
        self._adopting: set[asyncio.Future[Any]] = set()
        self._tick()

    @property
    def sessions(self) -> Sessions:
        return self._endpoint.sessions

    def ask_to_end(self) -> None:
        """From any thread, and from within a signal's handler."""
        self._loop.call_soon_threadsafe(self._asked.set)

    async def serve(self, listening: socket.socket) -> None:
        """Until it is asked to end."""
        accepting = await self._loop.create_server(
            lambda: BoundedHttp(self._served), sock=listening, backlog=LONGEST_QUEUE
        )
        await self._asked.wait()
        end_within(GRACE_SECONDS + CLOSING_SECONDS)
        accepting.close()
        await self._end()

    async def work(self) -> None:
        """The same as one worker of several, which accepts connections when it is told to."""
        assert self._relay is not None
        self._relay.begin(self)
        await self._asked.wait()
        end_within(GRACE_SECONDS + CLOSING_SECONDS)
        self._accept_no_more()
        await self._end()

    def accept(self, listening: socket.socket) -> None:
        """Take connections from a socket that others take them from, too: one in a turn, so that all get some."""
        listening.setblocking(False)
        self._listening = listening
        self._loop.add_reader(listening.fileno(), self._accept_one, listening)

    def _accept_one(self, listening: socket.socket) -> None:
        try:
            connection, _ = listening.accept()
        except (BlockingIOError, ConnectionAbortedError):
            return  # another one was faster
        except OSError as error:
            logger.warning("connections cannot be accepted for now: %s", error.strerror)
            self._accept_no_more()
            self._loop.call_later(ACCEPT_AGAIN_SECONDS, self.accept, listening)
            return
        self.adopt(connection)

    def _accept_no_more(self) -> None:
        if self._listening is not None:
            self._loop.remove_reader(self._listening.fileno())
            self._listening = None

    def adopt(
        self, connection: socket.socket, read: bytes = b"", *, is_asked: bool = False, is_final: bool = False
    ) -> None:
        """Serve a connection that was accepted already."""
        connection.setblocking(False)
        made = self._loop.connect_accepted_socket(
            lambda: BoundedHttp(self._served, read, is_asked=is_asked, is_final=is_final), connection
        )
        adopting = self._loop.create_task(made)
        self._adopting.add(adopting)
        adopting.add_done_callback(self._adopted)

    def _adopted(self, done: asyncio.Future[Any]) -> None:
        self._adopting.discard(done)
        if not done.cancelled() and (error := done.exception()) is not None:
            logger.debug("a connection was gone before it could be served: %s", error)

    def leave(self, move: Move, hand_over: Callable[[Mapping[str, Any]], None], left: Callable[[], None]) -> None:
        """Accept nothing more, and hand over all connections and sessions, each as soon as nothing is under way."""
        self._accept_no_more()
        self._box.dispatcher.answered.retell()
        self._mcp.notifications.end()
        self.sessions.end_streams()
        self._go_on_leaving(move, hand_over, left, time.monotonic() + LEAVING_SECONDS)

    def _go_on_leaving(
        self, move: Move, hand_over: Callable[[Mapping[str, Any]], None], left: Callable[[], None], until: float
    ) -> None:
        # Sessions first: who comes behind its session finds it.
        for state in self.sessions.take_out():
            hand_over(state)
        moved = 0
        for connection in self._served.connections:
            moved += connection.move_if_at_rest(move)
            if moved >= MOVED_AT_ONCE:
                break
        is_done = not len(self._served.connections) and not len(self.sessions) and not self._adopting
        if is_done or time.monotonic() > until:
            left()
        else:
            self._loop.call_later(MOVING_PAUSE_SECONDS, self._go_on_leaving, move, hand_over, left, until)

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
        if self._relay is not None:
            self._box.dispatcher.answered.catch_up()

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
    with listening, unblocked_output(), Thoughtbox(settings) as box:
        mcp = McpServer(box, transport="http")
        box.keep()
        announce(address_of(listening))
        threading.Thread(target=mcp.warm, name="thoughtbox-warming", daemon=True).start()
        _run(box, mcp, None, lambda server: server.serve(listening))


def serve_as_worker(settings: Settings, place: WorkerPlace) -> None:
    """Serve as one of several processes that a supervisor has started."""
    end_with(place.supervisor, GRACE_SECONDS)
    allow_connections()
    with unblocked_output(), Thoughtbox(settings) as box:
        mcp = McpServer(box, transport="http")
        mcp.warm()
        box.dispatcher.answered.share(SharedLog(place.shared))
        box.keep()
        _run(box, mcp, place, lambda server: server.work())


def _run(
    box: Thoughtbox,
    mcp: McpServer,
    place: WorkerPlace | None,
    serve: Callable[[HttpServer], Coroutine[Any, Any, None]],
) -> None:
    async def run() -> None:
        server = HttpServer(box, mcp, place)
        before = {number: signal.signal(number, lambda *_: server.ask_to_end()) for number in ENDING}
        await serve(server)
        for number, handler in before.items():
            signal.signal(number, handler)

    with asyncio.Runner(loop_factory=new_loop) as runner:
        runner.run(run())


def new_loop() -> asyncio.AbstractEventLoop:
    try:
        import uvloop
    except ImportError:  # pragma: no cover - it is not to be had everywhere
        return asyncio.new_event_loop()
    return uvloop.new_event_loop()
