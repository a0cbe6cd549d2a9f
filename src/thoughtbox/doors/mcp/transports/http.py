"""MCP over streamable HTTP."""

from __future__ import annotations

import asyncio
import logging
import socket
import threading
from collections.abc import Callable, Coroutine, Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext, suppress
from email.utils import formatdate
from typing import Any

from thoughtbox.app import Thoughtbox
from thoughtbox.doors.echo import unblocked_output
from thoughtbox.doors.http import limits
from thoughtbox.doors.http.bounded_http import BoundedHttp, Served
from thoughtbox.doors.http.event_loop import new_loop
from thoughtbox.doors.http.listening import Acceptor
from thoughtbox.doors.http.open_connections import allow_connections
from thoughtbox.doors.http.shutdown import Shutdown
from thoughtbox.doors.mcp.server import McpServer
from thoughtbox.doors.mcp.shutdown import CLOSING_SECONDS, end_within
from thoughtbox.doors.mcp.transports.endpoint import Endpoint
from thoughtbox.doors.mcp.transports.gate import Gate, check_exposure
from thoughtbox.doors.mcp.transports.listening import PATH, address_of, listen
from thoughtbox.doors.mcp.transports.loop_place import LoopPlace
from thoughtbox.doors.mcp.transports.observed import Observed, observed_at, place_of_observatory
from thoughtbox.doors.mcp.transports.session_files import NoFiles, SessionFiles
from thoughtbox.doors.mcp.transports.shared_files import SESSIONS, SharedFiles, http_folder
from thoughtbox.doors.mcp.transports.supervisor import Sockets, Supervisor, on_signals
from thoughtbox.doors.mcp.transports.worker import LEAVE, Inherited, end_with
from thoughtbox.settings import Settings

logger = logging.getLogger(__name__)

GRACE_SECONDS = 1.0
"""How long calls under way may still take at the end."""

TICK_SECONDS = 1.0
"""How often the date in the answers' headers is set anew, and removed tokens are noticed."""

LAST_SECONDS = 10.0
"""How long a worker that has left may take to let go of everything."""

TASKS_SECONDS = 0.1
"""How often a server that leaves looks whether it still works on tasks."""


class HttpServer:
    """Serves on one event loop until it is asked to leave or to end, and ends in time."""

    def __init__(
        self, box: Thoughtbox, mcp: McpServer, listening: socket.socket, observatory: Observed | None = None
    ) -> None:
        """On the event loop."""
        settings = box.settings
        self._observatory = observatory
        self._box = box
        self._mcp = mcp
        self._gate = Gate(PATH, settings)
        self._changes = self._gate.changes
        self._loop = asyncio.get_running_loop()
        self._shutdown = Shutdown()
        here = LoopPlace(self._loop)
        self._endpoint = Endpoint(mcp, here, settings.max_body_bytes, _session_files(settings))
        self._served = Served(self._loop, self._gate.judge)
        self._acceptor = Acceptor(self._loop, listening, lambda: BoundedHttp(self._served))
        self._gate.opens(self._endpoint, lambda step: self._loop.call_soon(step))
        mcp.notifications.follow(here)
        self.is_shared = False
        self._tick()

    def ask_to_leave(self) -> None:
        """From any thread: another process serves at the same address."""
        self._shutdown.ask_to_leave()

    def ask_to_end(self) -> None:
        """From any thread."""
        self._shutdown.ask_to_end()

    def share(self, files: SharedFiles) -> None:
        """From now on be one with other processes, which know nothing yet of what is known here."""
        self.is_shared = True
        self._endpoint.sessions.share(files.log("sessions"))
        self._box.dispatcher.answered.share(files.log("answered"))
        self._box.dispatcher.answered.retell()

    def expect_successor(self) -> None:
        """Another process is being started: tell again what it could not read any more."""
        self._box.dispatcher.answered.retell()

    async def serve(self, is_accepting: Callable[[], None] = lambda: None) -> None:
        """Until it is asked to leave, and has, or to end. `is_accepting` is called when connections are."""
        self._acceptor.begin()
        is_accepting()
        await self._shutdown.wait()
        await self._acceptor.stop()
        if not self._shutdown.is_end:
            await self._shutdown.leave(self._leave(), limits.LEAVING_SECONDS)
        if self._shutdown.is_end:
            end_within(GRACE_SECONDS + CLOSING_SECONDS)
        self._mcp.notifications.end()
        for connection in self._served.connections:
            connection.finish()
        await asyncio.wait({asyncio.ensure_future(self._served.connections.emptied())}, timeout=GRACE_SECONDS)
        self._ticking.cancel()
        self._mcp.give_up_tasks()

    async def _leave(self) -> None:
        """Until all is answered that was begun, and nobody is connected any more."""
        self._served.leave()
        self._endpoint.leave()
        self._mcp.notifications.end()
        observatory, tasks = asyncio.Event(), asyncio.Event()
        threading.Thread(target=self._observatory_leaves, args=(observatory,), daemon=True).start()
        self._look_at_tasks(tasks)
        await asyncio.gather(self._served.connections.emptied(), observatory.wait(), tasks.wait())

    def _observatory_leaves(self, left: asyncio.Event) -> None:
        if self._observatory is not None:
            self._observatory.leave()
        with suppress(RuntimeError):  # the loop has ended without it: the server was to end meanwhile
            self._loop.call_soon_threadsafe(left.set)

    def _look_at_tasks(self, ended: asyncio.Event) -> None:
        if self._mcp.has_tasks:
            self._loop.call_later(TASKS_SECONDS, self._look_at_tasks, ended)
        else:
            ended.set()

    def _tick(self) -> None:
        self._ticking = self._loop.call_later(TICK_SECONDS, self._tick)
        self._served.date = f"date: {formatdate(usegmt=True)}\r\n".encode()
        self._end_what_is_no_longer_admitted()
        self._endpoint.tick()
        if self.is_shared:
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


def serve_http(settings: Settings, announce: Callable[[str], None], again: Sequence[str] = ()) -> None:
    """Serve until a signal ends it.

    `announce` is told the address, once connections are accepted. `again` is the command that starts this server.
    """
    check_exposure(settings)
    allow_connections()
    with listen(settings) as listening, place_of_observatory(settings) as observing, ExitStack() as here:
        here.enter_context(unblocked_output())
        box = here.enter_context(Thoughtbox(settings))
        observatory = here.enter_context(observed_at(box, observing))
        files = SharedFiles(settings.data_dir)
        mcp = McpServer(box, transport="http")
        box.keep()
        announce(address_of(listening))
        threading.Thread(target=_warm, args=(mcp, box), name="thoughtbox-warming", daemon=True).start()

        async def serve() -> None:
            server = HttpServer(box, mcp, listening, observatory)
            await _serve_and_restart(server, Sockets(again, files.server, listening, observing), files, here)

        _run(serve)


async def _serve_and_restart(server: HttpServer, sockets: Sockets, files: SharedFiles, here: ExitStack) -> None:
    """Serve in this process until it is restarted, and be the supervisor of the next one from then on.

    Until it is, nothing of this costs anything; afterwards the process has the same id, and serves nothing itself.
    `here` is what it serves with.
    """
    supervisor, is_to_end = Supervisor(sockets, [server.ask_to_leave]), asyncio.Event()

    def end() -> None:
        is_to_end.set()
        supervisor.ask_to_end()
        server.ask_to_end()

    def restart() -> None:
        if not sockets.again:
            logger.error("this server cannot be restarted: its records are in memory, or no command has started it")
            return
        if not server.is_shared:
            files.make()
            server.share(files)
        supervisor.ask_to_restart()

    on_signals(end=end, restart=restart)
    await server.serve()
    if supervisor.serving:
        here.close()
        await is_to_end.wait()
    await supervisor.end()
    files.remove()


def serve_as_worker(settings: Settings, inherited: Inherited) -> None:
    """Serve as one of several processes that a supervisor has started."""
    end_with(inherited.supervisor, GRACE_SECONDS)
    allow_connections()
    with (
        unblocked_output(),
        socket.socket(fileno=inherited.listening) as listening,
        _socket_of(inherited.observing) as observing,
        Thoughtbox(settings) as box,
    ):
        mcp = McpServer(box, transport="http")
        mcp.warm()
        box.warm_rooms(pause=0)  # nobody calls here before it says that it is ready
        box.keep()
        with observed_at(box, observing) as observatory:

            async def serve() -> None:
                server = HttpServer(box, mcp, listening, observatory)
                server.share(SharedFiles(settings.data_dir, inherited.server))
                on_signals(end=server.ask_to_end, restart=server.expect_successor)
                asyncio.get_running_loop().add_signal_handler(LEAVE, server.ask_to_leave)
                await server.serve(inherited.say_ready)

            _run(serve)
        end_within(LAST_SECONDS)


def _socket_of(descriptor: int) -> AbstractContextManager[socket.socket | None]:
    return socket.socket(fileno=descriptor) if descriptor >= 0 else nullcontext()


def _session_files(settings: Settings) -> SessionFiles:
    is_in_memory = settings.storage == "memory" and settings.database_url is None
    return NoFiles() if is_in_memory else SessionFiles(http_folder(settings.data_dir) / SESSIONS)


def _warm(mcp: McpServer, box: Thoughtbox) -> None:
    mcp.warm()
    box.warm_rooms()


def _run(serve: Callable[[], Coroutine[Any, Any, None]]) -> None:
    with asyncio.Runner(loop_factory=new_loop) as runner:
        runner.run(serve())
