"""A worker's side of what the processes of one server have to do with each other.

Sessions of clients with a handshake live in the worker that they were begun in, whose slot stands in their handle. A
request may come in anywhere, since any worker accepts connections: one of another's session goes there, connection and
all, and what the client sends on that connection next comes in where it belongs.
"""

from __future__ import annotations

import asyncio
import os
import re
import select
import signal
import socket
import threading
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Protocol

from thoughtbox.doors.http.bounded_http import Move
from thoughtbox.doors.http.http_request import HttpRequest
from thoughtbox.doors.mcp.shutdown import CLOSING_SECONDS, end_within
from thoughtbox.doors.mcp.transports.channel import Channel, Frame
from thoughtbox.doors.mcp.transports.sessions import Sessions
from thoughtbox.doors.mcp.transports.worker_frames import (
    ALONE,
    CONNECTION,
    LEAVE,
    LEFT,
    READY,
    SERVE,
    SESSION,
)

RETRY_SECONDS = 0.01

ANSWER_SECONDS = 5.0
"""For the supervisor to say that nothing more will come; one of an earlier release does not."""

_SLOT = re.compile(rb"(\d{1,4})\.")


class Server(Protocol):
    """What a worker serves with."""

    @property
    def sessions(self) -> Sessions: ...

    def accept(self) -> None: ...

    def adopt(self, connection: socket.socket, read: bytes, *, is_asked: bool, is_final: bool) -> None: ...

    def leave(self, move: Move, hand_over: Callable[[Mapping[str, Any]], None], left: Callable[[], None]) -> None:
        """Accept nothing more, and hand over all connections and sessions."""
        ...

    def empty(self, move: Move, hand_over: Callable[[Mapping[str, Any]], None], emptied: Callable[[], None]) -> None:
        """Hand over what has come since."""
        ...

    def ask_to_end(self) -> None: ...


class Relay:
    """The channel to the supervisor, on the event loop of a worker."""

    def __init__(self, slot: int, channel: socket.socket, server: Server) -> None:
        self._slot = slot
        self._loop = asyncio.get_running_loop()
        self._channel = Channel(channel)
        self._server = server
        self._follows = False
        self._is_leaving = False
        self._is_emptied = False
        self._is_watched = False

        self._loop.add_reader(channel.fileno(), self._hear)

    def say_ready(self) -> None:
        """Say that this worker could serve; it does when it is told to."""
        self._send(Frame(READY, {}))

    def elsewhere(self, request: HttpRequest, handle: bytes) -> bool:
        """Give a request of a session that is not known here to the worker that may know it; whether there is one."""
        if request.line.is_final:
            return False
        found = _SLOT.match(handle)
        slot = int(found[1]) if found is not None else 0  # in which a server begins that has one process
        is_own = slot == self._slot
        if is_own and not self._is_leaving and (not self._follows or request.line.is_asked):
            return False
        if not request.line.move(partial(self._move, slot, is_own)):
            # It came behind another request that was not waited for: its client has to send it again anyway.
            request.line.hang_up()
        return True

    def _move(self, slot: int, is_asked: bool, descriptor: int, read: bytes) -> None:
        fields = {"to": slot, "is_asked": is_asked, "is_final": False}
        self._send(Frame(CONNECTION, fields, read, os.dup(descriptor)))

    def _send(self, frame: Frame) -> None:
        self._channel.send(frame)
        self._watch()

    def _watch(self) -> None:
        """Be told when the channel takes what could not be sent."""
        if self._channel.is_waiting and not self._is_watched:
            self._is_watched = True
            self._loop.add_writer(self._channel.fileno(), self._flush)
        elif self._is_watched and not self._channel.is_waiting:
            self._is_watched = False
            self._loop.remove_writer(self._channel.fileno())

    def _flush(self) -> None:
        self._channel.flush()
        self._watch()

    def _hear(self) -> None:
        frames = self._channel.receive()
        if frames is None:  # the supervisor is gone, and so is the server
            self._loop.remove_reader(self._channel.fileno())
            self._server.ask_to_end()
            return
        for frame in frames:
            self._take(frame)

    def _take(self, frame: Frame) -> None:
        fields, server = frame.fields, self._server
        if frame.kind == CONNECTION:
            assert frame.descriptor is not None
            connection = socket.socket(fileno=frame.descriptor)
            server.adopt(connection, frame.body, is_asked=fields["is_asked"], is_final=fields["is_final"])
        elif frame.kind == SESSION:
            server.sessions.resume(fields)
        elif frame.kind == SERVE:
            self._follows = fields["follows"]
            server.accept()
        elif frame.kind == ALONE:
            self._follows = False
        elif frame.kind == LEAVE:
            self._is_leaving = True
            server.leave(partial(self._move, self._slot, True), self._hand_over, self._left)
        elif frame.kind == LEFT:
            self._empty()

    def _hand_over(self, session: Mapping[str, Any]) -> None:
        self._send(Frame(SESSION, dict(session)))

    def _left(self) -> None:
        """Say so; what was sent here before that was heard is still to come."""
        self._send(Frame(LEFT, {}))
        self._loop.call_later(ANSWER_SECONDS, self._empty)

    def _empty(self) -> None:
        if not self._is_emptied:
            self._is_emptied = True
            self._server.empty(partial(self._move, self._slot, True), self._hand_over, self._end_when_told)

    def _end_when_told(self) -> None:
        if self._channel.is_waiting:
            self._loop.call_later(RETRY_SECONDS, self._end_when_told)
        else:
            self._server.ask_to_end()


def end_with(supervisor: int, seconds: float) -> None:
    """Have this process end when its supervisor does, however that ends, and whatever hangs here."""
    threading.Thread(target=_wait_for_end, args=(supervisor, seconds), name="thoughtbox-parent", daemon=True).start()


def _wait_for_end(supervisor: int, seconds: float) -> None:
    try:
        descriptor = os.pidfd_open(supervisor)
    except (AttributeError, OSError):
        descriptor = None
    if descriptor is not None and os.getppid() == supervisor:
        ended = select.poll()
        ended.register(descriptor, select.POLLIN)
        ended.poll()
    while os.getppid() == supervisor:
        threading.Event().wait(0.5)
    end_within(seconds + CLOSING_SECONDS)
    os.kill(os.getpid(), signal.SIGTERM)
