"""MCP over streamable HTTP."""

from __future__ import annotations

import asyncio
import logging
import signal
import socket
import threading
import time
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from email.utils import formatdate
from typing import Any

from thoughtbox.app import Thoughtbox
from thoughtbox.doors.echo import unblocked_output
from thoughtbox.doors.http.bounded_http import BoundedHttp, Move, Served
from thoughtbox.doors.http.event_loop import new_loop
from thoughtbox.doors.http.open_connections import allow_connections
from thoughtbox.doors.mcp.server import McpServer
from thoughtbox.doors.mcp.shutdown import CLOSING_SECONDS, end_within
from thoughtbox.doors.mcp.transports.endpoint import Endpoint
from thoughtbox.doors.mcp.transports.gate import Gate, check_exposure
from thoughtbox.doors.mcp.transports.listening import PATH, address_of, listen
from thoughtbox.doors.mcp.transports.loop_place import LoopPlace
from thoughtbox.doors.mcp.transports.observed import Observed, observed_at, place_of_observatory
from thoughtbox.doors.mcp.transports.sessions import Sessions
from thoughtbox.doors.mcp.transports.succession import Succession
from thoughtbox.doors.mcp.transports.supervisor import ENDS, RESTART
from thoughtbox.doors.mcp.transports.worker import Relay, end_with
from thoughtbox.doors.mcp.transports.worker_frames import Place
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


class HttpServer:
    """Serves on one event loop until it is asked to end, and ends in time."""

    def __init__(
        self,
        box: Thoughtbox,
        mcp: McpServer,
        listening: socket.socket,
        slot: int | None = None,
        *,
        observatory: Observed | None = None,
        observing: socket.socket | None = None,
    ) -> None:
        """On the event loop. `slot` is that of a worker, which may serve the Observatory as long as it accepts."""
        settings = box.settings
        self._observatory = observatory
        self._observing = observing
        self._box = box
        self._mcp = mcp
        self._listening = listening
        self._gate = Gate(PATH, settings)
        self._changes = self._gate.changes
        self._loop = asyncio.get_running_loop()
        here = LoopPlace(self._loop)
        self._endpoint = Endpoint(mcp, here, settings.max_body_bytes, slot)
        self._served = Served(self._loop, self._gate.judge)
        self._gate.opens(self._endpoint, lambda step: self._loop.call_soon(step))
        mcp.notifications.follow(here)
        self._relay: Relay | None = None
        self._has_left = False
        self._asked = asyncio.Event()
        self._adopting: set[asyncio.Future[Any]] = set()
        self._tick()

    @property
    def sessions(self) -> Sessions:
        return self._endpoint.sessions

    def ask_to_end(self) -> None:
        """From any thread, and from within a signal's handler."""
        self._loop.call_soon_threadsafe(self._asked.set)

    def join(self, slot: int, channel: socket.socket) -> Relay:
        """Be one of the workers of a server from now on."""
        self._relay = Relay(slot, channel, self)
        self._endpoint.elsewhere = self._relay.elsewhere
        return self._relay

    async def serve(self) -> None:
        """Until it is asked to end."""
        self.accept()
        await self.ended()

    async def ended(self) -> None:
        """Wait until it is asked to end, and end."""
        await self._asked.wait()
        if not self._has_left:
            end_within(GRACE_SECONDS + CLOSING_SECONDS)
        self._accept_no_more()
        self._observe_no_more()
        self._ticking.cancel()
        self._mcp.notifications.end()
        for connection in self._served.connections:
            connection.finish()
        await self._served.connections.empty(GRACE_SECONDS)
        self._mcp.give_up_tasks()

    def accept(self) -> None:
        """Take connections from a socket that others take them from, too: one in a turn, so that all get some.

        The loop's own servers do not tell of a connection until a turn after it was taken: what leaves in between
        would not hand it over.
        """
        self._listening.setblocking(False)
        self._loop.add_reader(self._listening.fileno(), self._accept_one)
        if self._observing is not None and self._observatory is None:
            self._observatory = Observed(self._box, self._observing)

    def _accept_one(self) -> None:
        try:
            connection, _ = self._listening.accept()
        except (BlockingIOError, ConnectionAbortedError):
            return  # another one was faster
        except OSError as error:
            logger.warning("connections cannot be accepted for now: %s", error.strerror)
            self._accept_no_more()
            self._loop.call_later(ACCEPT_AGAIN_SECONDS, self._accept_again)
            return
        self.adopt(connection)

    def _observe_no_more(self) -> None:
        """Leave the Observatory to whoever comes next: those who watch come back there, and go on."""
        observatory, self._observatory = self._observatory, None
        if observatory is not None:
            threading.Thread(target=observatory.end, kwargs={"is_succeeded": self._has_left}, daemon=True).start()

    def _accept_again(self) -> None:
        if not self._has_left and not self._asked.is_set():
            self.accept()

    def _accept_no_more(self) -> None:
        self._loop.remove_reader(self._listening.fileno())

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
        self._has_left = True
        self._accept_no_more()
        self._observe_no_more()
        self._box.dispatcher.answered.retell()
        self._mcp.notifications.end()
        self.sessions.end_streams()
        self._go_on_leaving(move, hand_over, left, time.monotonic() + LEAVING_SECONDS)

    def empty(self, move: Move, hand_over: Callable[[Mapping[str, Any]], None], emptied: Callable[[], None]) -> None:
        """Hand over what has come since it has left: nothing more will."""
        self._go_on_leaving(move, hand_over, emptied, time.monotonic() + LEAVING_SECONDS)

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
            if not is_done:
                logger.warning("what was still under way is given up, %.0f s after the restart", LEAVING_SECONDS)
            left()
        else:
            self._loop.call_later(MOVING_PAUSE_SECONDS, self._go_on_leaving, move, hand_over, left, until)

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


def serve_http(settings: Settings, announce: Callable[[str], None], again: Sequence[str] = ()) -> int:
    """Serve until a signal ends it; what the process is to end with.

    `announce` is told the address, once connections are accepted. `again` is the command that starts this server: asked
    to, it starts one in its place, hands over to it, and supervises it from then on.
    """
    check_exposure(settings)
    allow_connections()
    with listen(settings) as listening, place_of_observatory(settings) as observing:
        succession = Succession(listening, again, observing)
        with unblocked_output(), Thoughtbox(settings) as box, observed_at(box, observing) as observatory:
            mcp = McpServer(box, transport="http")
            box.keep()
            announce(address_of(listening))
            threading.Thread(target=_warm, args=(mcp, box), name="thoughtbox-warming", daemon=True).start()

            async def serve() -> None:
                server = HttpServer(box, mcp, listening, observatory=observatory)
                succession.offer(server, lambda: box.dispatcher.answered)
                await server.serve()

            _run(serve)
        return succession.ended()


def _socket_of(descriptor: int) -> AbstractContextManager[socket.socket | None]:
    return socket.socket(fileno=descriptor) if descriptor >= 0 else nullcontext()


def _warm(mcp: McpServer, box: Thoughtbox) -> None:
    mcp.warm()
    box.warm_rooms()


def serve_as_worker(settings: Settings, place: Place) -> None:
    """Serve as one of several processes that a supervisor has started."""
    end_with(place.supervisor, GRACE_SECONDS)
    allow_connections()
    with (
        unblocked_output(),
        socket.socket(fileno=place.listening) as listening,
        _socket_of(place.observing) as observing,
        Thoughtbox(settings) as box,
    ):
        mcp = McpServer(box, transport="http")
        mcp.warm()
        box.warm_rooms(pause=0)  # nobody calls here before it says that it is ready
        box.dispatcher.answered.share(SharedLog(place.shared))
        box.keep()

        async def serve() -> None:
            server = HttpServer(box, mcp, listening, place.slot, observing=observing)
            for number in ENDS:
                signal.signal(number, lambda *_: server.ask_to_end())
            signal.signal(RESTART, signal.SIG_IGN)
            server.join(place.slot, socket.socket(fileno=place.channel)).say_ready()
            await server.ended()

        _run(serve)


def _run(serve: Callable[[], Coroutine[Any, Any, None]]) -> None:
    with asyncio.Runner(loop_factory=new_loop) as runner:
        runner.run(serve())
