"""Several processes as one server, and others in their place when it is restarted.

All workers accept connections from sockets that they have inherited. To restart, a new worker is started beside each.
When it is ready the old one accepts no more, answers what it has begun, and leaves. All else stands beside the store.
"""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import socket
import time
from asyncio.subprocess import DEVNULL, Process, create_subprocess_exec
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from typing import Any, Final, NamedTuple

from thoughtbox.doors.echo import echo
from thoughtbox.doors.http.event_loop import new_loop
from thoughtbox.doors.http.open_connections import allow_connections
from thoughtbox.doors.mcp.transports.gate import check_exposure
from thoughtbox.doors.mcp.transports.listening import address_of, listen
from thoughtbox.doors.mcp.transports.observed import place_of_observatory
from thoughtbox.doors.mcp.transports.shared_files import SharedFiles
from thoughtbox.doors.mcp.transports.worker import ENDS, LEAVE, READY, RESTART, VARIABLE, Inherited
from thoughtbox.settings import Settings

logger = logging.getLogger(__name__)

ENDING_SECONDS: Final = 1.8
"""How long workers may take to end, before they are ended."""

FIRST_PAUSE_SECONDS: Final = 0.1
LONGEST_PAUSE_SECONDS: Final = 5.0
SETTLED_SECONDS: Final = 30.0
"""Before a worker is started in the place of one that died: longer each time, until one has served for a while."""

MOST_LEAVING: Final = 8
"""Workers of a slot that still answer what they have begun: a further restart waits until there are fewer."""


class Sockets(NamedTuple):
    """What workers inherit, and the command that starts them."""

    again: Sequence[str]
    server: int
    listening: socket.socket
    observing: socket.socket | None

    async def start_worker(self, slot: int) -> tuple[Process, int]:
        """Start one; the process, and the descriptor that it says it is ready on. The first has the Observatory."""
        ours, theirs = os.pipe()
        observing = [self.observing.fileno()] if slot == 0 and self.observing is not None else []
        descriptors = (theirs, self.listening.fileno(), *observing)
        told = {**os.environ, VARIABLE: ",".join(map(str, Inherited(os.getpid(), self.server, *descriptors)))}
        try:
            return await create_subprocess_exec(*self.again, env=told, pass_fds=descriptors, stdin=DEVNULL), ours
        finally:
            os.close(theirs)


class Supervisor:
    """Keeps a worker in each slot."""

    def __init__(self, sockets: Sockets, leave: Sequence[Callable[[], object]]) -> None:
        """On an event loop. `leave` has who serves now leave, slot by slot; where nobody does, it does nothing."""
        self._sockets = sockets
        self._leave = list(leave)
        self.serving: dict[int, Process] = {}
        self._living: set[Process] = set()
        """All workers, those that leave included."""
        self._pauses: dict[int, float] = {}
        self._tasks: set[asyncio.Task[object]] = set()
        self._restarting = asyncio.Lock()
        self._is_restart_wanted = False
        self._one_has_gone = asyncio.Event()
        self._is_over = False

    async def start_all(self) -> list[int]:
        """Start a worker in each slot; who has served there leaves. What those have ended with that could not start."""
        started = (self._start(slot) for slot in range(len(self._leave)))
        return [code for code in await asyncio.gather(*started) if code is not None]

    def ask_to_restart(self) -> None:
        """Do it once more when the restart under way has come to its end."""
        if not self._is_restart_wanted:
            self._is_restart_wanted = True
            self._do(self._restart())

    def ask_to_end(self) -> None:
        self._is_over = True
        for process in self._living:
            _signal(process, signal.SIGTERM)

    async def end(self) -> None:
        """Have all of them end, and end those that do not."""
        self.ask_to_end()
        if ends := [asyncio.ensure_future(process.wait()) for process in self._living]:
            await asyncio.wait(ends, timeout=ENDING_SECONDS)
        for process in self._living:
            _signal(process, signal.SIGKILL)

    def _do(self, work: Coroutine[Any, Any, object]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _restart(self) -> None:
        async with self._restarting:
            while len(self._living) > MOST_LEAVING * len(self._leave):
                self._one_has_gone.clear()
                await self._one_has_gone.wait()
            self._is_restart_wanted = False
            for process in self.serving.values():
                _signal(process, RESTART)
            codes = await self.start_all()
            for code in codes if not self._is_over else ():
                logger.error("a new worker could not start (exit code %d): the one before it goes on", code)
            if not codes:
                echo("restarted")

    async def _start(self, slot: int) -> int | None:
        try:
            process, ready = await self._sockets.start_worker(slot)
        except OSError as error:
            logger.error("no worker can be started: %s", error.strerror)
            return 1
        began = time.monotonic()
        self._living.add(process)
        self._do(self._watch(slot, process, began))
        if not await _is_ready(ready) or process.returncode is not None:
            return await process.wait()
        self.serving[slot] = process
        self._leave[slot]()
        self._leave[slot] = lambda: _signal(process, LEAVE)
        return None

    async def _watch(self, slot: int, process: Process, began: float) -> None:
        """Start others in the place of a worker that has served, and died."""
        code = await process.wait()
        self._living.discard(process)
        self._one_has_gone.set()
        if time.monotonic() - began > SETTLED_SECONDS:
            self._pauses.pop(slot, None)
        while self._has_died(slot, process):
            pause = self._pauses.get(slot, FIRST_PAUSE_SECONDS)
            self._pauses[slot] = min(2 * pause, LONGEST_PAUSE_SECONDS)
            logger.error("worker %d ended (exit code %d), and is started again", slot + 1, code)
            await asyncio.sleep(pause)
            async with self._restarting:
                if self._has_died(slot, process):
                    code = await self._start(slot) or 0

    def _has_died(self, slot: int, process: Process) -> bool:
        """Whether one that has ended is still missed."""
        return self.serving.get(slot) is process and not self._is_over


def _signal(process: Process, number: int) -> None:
    with suppress(ProcessLookupError):
        process.send_signal(number)


async def _is_ready(descriptor: int) -> bool:
    """Whether a worker says that it is ready, before it ends."""
    loop, said = asyncio.get_running_loop(), asyncio.Event()
    loop.add_reader(descriptor, said.set)
    try:
        await said.wait()
        return os.read(descriptor, len(READY)) == READY
    finally:
        loop.remove_reader(descriptor)
        os.close(descriptor)


def supervise(settings: Settings, announce: Callable[[str], None], again: Sequence[str]) -> int:
    """Serve with as many workers as the settings say, until a signal ends it; what the process is to end with.

    `announce` is told the address, once connections are accepted. `again` is the command that starts this server.
    """
    check_exposure(settings)
    allow_connections()
    files = SharedFiles(settings.data_dir)
    with listen(settings) as listening, place_of_observatory(settings) as observing:
        files.make()
        try:
            with asyncio.Runner(loop_factory=new_loop) as runner:
                sockets = Sockets(again, files.server, listening, observing)
                return runner.run(_supervise(sockets, settings.workers, lambda: announce(address_of(listening))))
        finally:
            files.remove()


async def _supervise(sockets: Sockets, count: int, announce: Callable[[], None]) -> int:
    supervisor, is_to_end = Supervisor(sockets, [lambda: None] * count), asyncio.Event()
    on_signals(end=is_to_end.set, restart=supervisor.ask_to_restart)
    starting, ending = asyncio.create_task(supervisor.start_all()), asyncio.create_task(is_to_end.wait())
    await asyncio.wait({starting, ending}, return_when=asyncio.FIRST_COMPLETED)
    failed = starting.result() if starting.done() else []
    if not failed and not ending.done():
        announce()
        await ending
    await supervisor.end()
    return failed[0] or 1 if failed else 0


def on_signals(*, end: Callable[[], None], restart: Callable[[], None]) -> None:
    """What a server over HTTP does when it is told to. On its event loop."""
    loop = asyncio.get_running_loop()
    for number in ENDS:
        loop.add_signal_handler(number, end)
    loop.add_signal_handler(RESTART, restart)
