"""Several processes as one server: a supervisor that starts them, and passes on what one of them has for another.

All of them accept connections from the one socket that the supervisor has bound. It serves nothing itself. Workers that
die are started anew; asked to, it starts a new one beside each, has the old one hand over all that it has, and end. No
worker outlives it: they see the end of the channel that leads to it.
"""

from __future__ import annotations

import logging
import os
import selectors
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from enum import Enum
from functools import partial
from typing import Final, Protocol

from thoughtbox.doors.echo import echo
from thoughtbox.doors.http.open_connections import allow_connections
from thoughtbox.doors.mcp.transports.channel import Channel, Frame
from thoughtbox.doors.mcp.transports.gate import check_exposure
from thoughtbox.doors.mcp.transports.listening import address_of, listen
from thoughtbox.doors.mcp.transports.observed import place_of_observatory
from thoughtbox.doors.mcp.transports.worker_frames import (
    ALONE,
    CONNECTION,
    LEAVE,
    LEFT,
    READY,
    SERVE,
    SESSION,
    VARIABLE,
    Place,
)
from thoughtbox.operations.shared_log import SharedLog
from thoughtbox.settings import Settings

logger = logging.getLogger(__name__)

ENDING_SECONDS = 1.8
"""How long workers may take to end, before they are ended."""

FIRST_PAUSE_SECONDS = 0.1
LONGEST_PAUSE_SECONDS = 5.0
"""Before a worker is started in the place of one that died: longer each time, until one has served for a while."""

SETTLED_SECONDS = 30.0

RESTART: Final = signal.SIGUSR1
ENDS: Final = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
HEARD: Final = (*ENDS, RESTART, signal.SIGCHLD)


class Process(Protocol):
    """One that serves."""

    def poll(self) -> int | None:
        """What it has ended with."""
        ...

    def wait(self, timeout: float | None = None) -> int: ...

    def terminate(self) -> None: ...

    def kill(self) -> None: ...


Start = Callable[[int, int], Process]
"""Starts a worker, given its slot and the descriptor of its end of a channel."""


class State(Enum):
    STARTING = "it is not ready yet"
    SERVING = "it accepts connections"
    LEAVING = "it hands over what it has"


class Worker:
    """One process that serves."""

    def __init__(self, slot: int, process: Process, channel: Channel) -> None:
        self.slot = slot
        self.process = process
        self.channel = channel
        self.state = State.STARTING
        self.since = time.monotonic()
        self.is_silent = False
        """Whether it has closed its end, and will be gone soon."""
        self.has_left = False
        """Whether it was told that nothing more comes to it."""


class Supervisor:
    """Keeps workers, one in each slot."""

    def __init__(self, count: int, start: Start, announce: Callable[[], None] | None = None) -> None:
        """`announce` is called when all of them serve for the first time."""
        self._count = count
        self._start = start
        self._announce = announce
        self._is_begun = False
        self._workers: list[Worker] = []
        self._selector = selectors.DefaultSelector()
        self._waking, self._woken = socket.socketpair()
        for end in (self._waking, self._woken):
            end.setblocking(False)
        self._is_to_restart = False
        self._pauses: dict[int, float] = {}
        self._due: dict[int, float] = {}
        """When a worker is to be started in a slot where one has died."""
        self._code: int | None = None
        """What the process ends with, once it is to end."""

    def signalled(self, number: int, frame: object = None) -> None:
        """Take note of a signal; from its handler, or from another thread."""
        with suppress(OSError):
            self._waking.send(bytes([number]))

    def take_signals(self) -> None:
        """Hear of signals as they come, whichever thread the system gives them to. In the main thread."""
        # In this order: one that comes in between is heard twice rather than not at all.
        signal.set_wakeup_fd(self._waking.fileno(), warn_on_full_buffer=False)
        for number in HEARD:
            signal.signal(number, lambda *_: None)

    def run(self) -> int:
        """Until a signal ends it, or a worker that cannot start at all; what the process is to end with."""
        self._selector.register(self._woken, selectors.EVENT_READ)
        try:
            for slot in range(self._count):
                if self._in(slot, State.SERVING) is None:
                    self._begin(slot)
            while self._code is None:
                self._turn()
            self._end()
        finally:
            for worker in self._workers:
                worker.process.kill()
            self._selector.close()
        return self._code

    def _turn(self) -> None:
        for key, events in self._selector.select(self._patience()):
            if key.data is not None:
                self._attend(key.data, events)
            else:
                self._mind_signals(self._woken.recv(1 << 12))
        self._reap()
        self._start_what_is_due()
        if self._is_to_restart and self._code is None:
            self._restart()
        for worker in self._workers:
            self._watch(worker)

    def _mind_signals(self, numbers: bytes) -> None:
        if not set(ENDS).isdisjoint(numbers):
            self._code = 0
        elif RESTART in numbers:
            self._is_to_restart = True

    def _patience(self) -> float | None:
        return max(0.0, min(self._due.values()) - time.monotonic()) if self._due else None

    def _watch(self, worker: Worker) -> None:
        """Hear of what a worker says, and of when it takes what could not be sent before."""
        if worker.is_silent:
            return
        events = selectors.EVENT_READ | (selectors.EVENT_WRITE if worker.channel.is_waiting else 0)
        if self._selector.get_key(worker.channel).events != events:
            self._selector.modify(worker.channel, events, worker)

    def adopt(self, process: Process, channel: socket.socket) -> None:
        """Take a process that serves already for the worker of the first slot. Before it runs."""
        self._keep(Worker(0, process, Channel(channel))).state = State.SERVING
        self._is_begun = True

    def _begin(self, slot: int) -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            process = self._start(slot, theirs.fileno())
        self._keep(Worker(slot, process, Channel(ours)))

    def _keep(self, worker: Worker) -> Worker:
        self._workers.append(worker)
        self._selector.register(worker.channel, selectors.EVENT_READ, worker)
        return worker

    def _in(self, slot: int, state: State) -> Worker | None:
        found = (worker for worker in self._workers if worker.slot == slot and worker.state is state)
        return next((worker for worker in found if not worker.has_left), None)

    def _attend(self, worker: Worker, events: int) -> None:
        if events & selectors.EVENT_WRITE:
            worker.channel.flush()
        if events & selectors.EVENT_READ:
            self._hear(worker)

    def _hear(self, worker: Worker) -> bool:
        """Take what a worker says; whether there was anything."""
        frames = worker.channel.receive()
        if frames is None and not worker.is_silent:
            worker.is_silent = True
            self._selector.unregister(worker.channel)
        for frame in frames or ():
            self._take(worker, frame)
        return bool(frames)

    def _take(self, worker: Worker, frame: Frame) -> None:
        if frame.kind == READY:
            self._install(worker)
        elif frame.kind == CONNECTION:
            self._pass_on(worker, frame)
        elif frame.kind == SESSION:
            successor = self._in(worker.slot, State.SERVING)
            if successor is not None:
                successor.channel.send(frame)
        elif frame.kind == LEFT:
            worker.has_left = True
            self._tell_that_alone(worker.slot)
            worker.channel.send(Frame(LEFT, {}))

    def _install(self, worker: Worker) -> None:
        """A worker is ready: it serves from now on, and the one before it hands over."""
        earlier = self._in(worker.slot, State.SERVING)
        worker.state = State.SERVING
        worker.since = time.monotonic()
        worker.channel.send(Frame(SERVE, {"follows": earlier is not None}))
        if earlier is not None:
            earlier.state = State.LEAVING
            earlier.channel.send(Frame(LEAVE, {}))
            if not any(each.state is State.STARTING for each in self._workers):
                echo("restarted")
        if not self._is_begun and all(self._in(slot, State.SERVING) for slot in range(self._count)):
            self._is_begun = True
            if self._announce is not None:
                self._announce()

    def _pass_on(self, worker: Worker, frame: Frame) -> None:
        """Give a connection to the worker of a slot; from that one, to the one before it."""
        slot = frame.fields["to"]
        before = worker.state is State.SERVING and slot == worker.slot
        target = self._in(slot, State.LEAVING if before else State.SERVING)
        if target is None:  # there is nobody: whoever has asked is to answer
            worker.channel.send(frame._replace(fields={**frame.fields, "is_final": True}))
        else:
            target.channel.send(frame)

    def _tell_that_alone(self, slot: int) -> None:
        successor = self._in(slot, State.SERVING)
        if successor is not None:
            successor.channel.send(Frame(ALONE, {}))

    def _reap(self) -> None:
        for worker in list(self._workers):
            code = worker.process.poll()
            if code is None:
                continue
            while self._hear(worker):
                pass  # its last words
            if not worker.is_silent:
                self._selector.unregister(worker.channel)
            worker.channel.close()
            self._workers.remove(worker)
            self._mind(worker, code)

    def _mind(self, worker: Worker, code: int) -> None:
        """A worker has ended: as it should, or not."""
        if self._code is not None:
            return
        if worker.state is State.LEAVING:
            self._tell_that_alone(worker.slot)
        elif worker.state is State.STARTING and not self._is_begun:
            self._code = code or 1  # it has said why
        elif worker.state is State.STARTING and self._in(worker.slot, State.SERVING) is not None:
            logger.error("a new worker could not start (exit code %d): the one before it goes on", code)
        else:
            lived = time.monotonic() - worker.since
            before = None if lived > SETTLED_SECONDS else self._pauses.get(worker.slot)
            pause = FIRST_PAUSE_SECONDS if before is None else before
            logger.error("worker %d ended (exit code %d), and is started again", worker.slot + 1, code)
            self._pauses[worker.slot] = min(2 * pause, LONGEST_PAUSE_SECONDS)
            self._due[worker.slot] = time.monotonic() + pause

    def _start_what_is_due(self) -> None:
        for slot, when in list(self._due.items()):
            if when <= time.monotonic() and self._code is None:
                del self._due[slot]
                self._begin(slot)

    def _restart(self) -> None:
        """Start a new worker beside each; not before an earlier restart has come to its end."""
        if self._due or any(worker.state is not State.SERVING for worker in self._workers):
            return
        self._is_to_restart = False
        for slot in range(self._count):
            self._begin(slot)

    def _end(self) -> None:
        """Have all of them end, and end those that do not."""
        for worker in self._workers:
            with suppress(ProcessLookupError):
                worker.process.terminate()
        until = time.monotonic() + ENDING_SECONDS
        for worker in list(self._workers):
            try:
                worker.process.wait(max(0.0, until - time.monotonic()))
            except subprocess.TimeoutExpired:
                worker.process.kill()
                worker.process.wait()
            self._workers.remove(worker)


def supervise(settings: Settings, announce: Callable[[str], None], again: Sequence[str]) -> int:
    """Serve with as many workers as the settings say, until a signal ends it; what the process is to end with.

    `announce` is told the address, once connections are accepted. `again` is the command that starts this server.
    """
    check_exposure(settings)
    allow_connections()
    shared = SharedLog.make()
    with listen(settings) as listening, place_of_observatory(settings) as observing:
        start = partial(start_worker, again, listening.fileno(), shared, observing)
        supervisor = Supervisor(settings.workers, start, partial(announce, address_of(listening)))
        supervisor.take_signals()
        return supervisor.run()


def start_worker(
    again: Sequence[str], listening: int, shared: int, observing: socket.socket | None, slot: int, channel: int
) -> subprocess.Popen[bytes]:
    """The same command again, in an environment that says which worker it is. The first serves the Observatory."""
    watched = [observing.fileno()] if observing is not None and slot == 0 else []
    place = Place(slot, os.getpid(), channel, listening, shared, *watched)
    return subprocess.Popen(
        again,
        env={**os.environ, VARIABLE: ",".join(map(str, place))},
        pass_fds=(channel, listening, shared, *watched),
        stdin=subprocess.DEVNULL,
    )
