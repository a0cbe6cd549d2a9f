"""MCP over stdin and stdout: one JSON message a line, until the client hangs up, a signal comes, or the parent dies.

One thread reads, and does what it read as long as nothing else is under way; the store's threads bring what they were
asked for, and answer. Every bad line is answered with an error, lines that are too long are refused, and calls under
way are answered when stdin closes.

Standard output carries protocol only: while serving, descriptor 1 leads to stderr, so that a library that prints does
no harm.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from thoughtbox.app import Thoughtbox, await_peace
from thoughtbox.doors.echo import unblocked_output
from thoughtbox.doors.mcp import jsonrpc
from thoughtbox.doors.mcp.jsonrpc import INVALID_REQUEST, Incoming, Malformed
from thoughtbox.doors.mcp.server import McpServer
from thoughtbox.doors.mcp.shutdown import CLOSING_SECONDS, LAST_ANSWERS_SECONDS, Ending, end_within
from thoughtbox.doors.mcp.transports.lines import Line, Lines, TooLong
from thoughtbox.doors.mcp.transports.mailbox import Mailbox
from thoughtbox.doors.mcp.transports.observed import observed
from thoughtbox.doors.mcp.transports.output import Output
from thoughtbox.settings import Settings

MOST_OPEN = 256
"""Calls under way at once; the next is read when one of them has been answered."""

LONG = 1 << 16
MOST_OPEN_LONG = 8
"""A long message waits for more room than a short one, so that memory stays bounded."""

ENDLESS = "subscriptions/listen"
"""A request that is answered when the connection ends, and not before."""

CHUNK = 1 << 16


class Descriptors(NamedTuple):
    """Private copies of standard input and output."""

    input: int
    output: int


def serve_stdio(settings: Settings) -> None:
    # The descriptors first: what is printed from here on can no longer get between the messages.
    descriptors = claim()
    ending = Ending()
    with unblocked_output(), Thoughtbox(settings) as box, observed(box):
        wire = StdioWire(box, descriptors, ending)
        wire.start()
        ending.wait()
        wire.hang_up()
        end_within(CLOSING_SECONDS)


def claim() -> Descriptors:
    """Take standard input and output for us alone; to everybody else they are nothing, and stderr."""
    private = Descriptors(os.dup(0), os.dup(1))
    if sys.platform == "win32":  # pragma: no cover - where a line would otherwise get another end
        import msvcrt

        for descriptor in private:
            msvcrt.setmode(descriptor, os.O_BINARY)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    sys.stdout.flush()  # what was printed before goes there, too
    return private


class StdioWire:
    """The one connection of a process: reads, hands over, and writes what comes of it."""

    def __init__(self, box: Thoughtbox, descriptors: Descriptors, ending: Ending) -> None:
        self._input = descriptors.input
        self._ending = ending
        self._lines = Lines(box.settings.max_body_bytes)
        self._place = Mailbox()
        self._output = Output(descriptors.output, self._place.post, ending.ask)
        self._calls = Calls(self._output, lambda: ending.meanwhile(self._settle_down))
        self._box = box
        self._server = McpServer(box, transport="stdio")
        self._connection = self._server.connect(self._place, self._output)
        self._is_over = False

    def start(self) -> None:
        threading.Thread(target=self._read, name="thoughtbox-reader", daemon=True).start()

    def hang_up(self) -> None:
        """Read no further; what was read is still answered, if that does not take long."""
        self._is_over = True
        self._calls.wait_until_below(1, self._asks, LAST_ANSWERS_SECONDS)
        self._place.post(self._close)
        self._output.wait_until_taken(0, LAST_ANSWERS_SECONDS)

    def _settle_down(self) -> None:
        """Behind the first answer, what nobody should have to wait for."""
        self._server.warm()
        await_peace(self._is_busy)  # a first call may be there already: it waits for nothing of what follows
        self._server.notifications.follow(self._place)
        self._box.keep()
        self._box.warm_rooms(is_busy=self._is_busy, is_over=lambda: self._ending.is_asked)

    def _is_busy(self) -> bool:
        return self._calls.are_open() and not self._ending.is_asked

    def _close(self) -> None:
        self._server.notifications.end()
        self._server.give_up_tasks()
        self._connection.close()

    def _read(self) -> None:
        try:
            while not self._is_over and (data := os.read(self._input, CHUNK)):
                self._take(self._lines.feed(data))
            self._take(self._lines.end())
        except OSError:
            pass  # there is nothing to be read from any more
        finally:
            self._ending.ask()

    def _take(self, lines: list[Line]) -> None:
        last = len(lines)
        for number, line in enumerate(lines, 1):
            if self._is_over:
                return
            if isinstance(line, TooLong):
                self._refuse(INVALID_REQUEST, "the message is too long (see THOUGHTBOX_MAX_BODY_BYTES)", line.id)
            elif line and not line.isspace():
                self._hand_over(line, is_last=number == last)

    def _hand_over(self, line: bytes, *, is_last: bool) -> None:
        self._output.wait_until_taken()
        self._calls.wait_until_below(MOST_OPEN if len(line) < LONG else MOST_OPEN_LONG, self._asks)
        message = jsonrpc.read(line)
        if isinstance(message, Malformed):
            self._refuse(message.code, message.reason, message.id)
        elif isinstance(message, Incoming) and message.id is not None and message.method != ENDLESS:
            is_alone = self._calls.begin() and is_last
            self._place.post(partial(self._connection.receive, message, self._calls, here=is_alone))
        else:
            self._place.post(partial(self._connection.receive, message, self._output))

    def _refuse(self, code: int, reason: str, id: str | int | None) -> None:
        self._place.post(partial(self._output.send, jsonrpc.error(id, code, reason)))

    def _asks(self) -> int:
        """Calls that wait for the client: what is read next may be the answer, and must not wait in turn."""
        return self._connection.asks


class Calls:
    """Where answers go, counted: how many calls are under way."""

    def __init__(self, output: Output, answered_first: Callable[[], None]) -> None:
        """`answered_first` is called once, behind the first answer."""
        self._output = output
        self._answered_first: Callable[[], None] | None = answered_first
        self._lock = threading.Lock()
        self._changed = threading.Condition(self._lock)
        self._open = 0
        self._waits = False

    @property
    def is_clear(self) -> bool:
        return self._output.is_clear

    def when_clear(self, step: Callable[[], None]) -> None:
        self._output.when_clear(step)

    def are_open(self) -> bool:
        """Whether any is under way."""
        return self._open > 0

    def begin(self) -> bool:
        """One more is under way; whether it is the only one."""
        with self._lock:
            self._open += 1
            return self._open == 1

    def send(self, message: bytes) -> None:
        self._output.send(message)
        if self._waits:
            with self._changed:
                self._changed.notify_all()

    def answer(self, message: bytes, error: int | None = None) -> None:
        self.unanswered()  # first: the next request may be there before this thread comes back from sending
        self._output.send(message)
        if self._answered_first is not None:
            self._answered_first()
            self._answered_first = None

    def unanswered(self) -> None:
        with self._lock:
            self._open -= 1
            if self._waits:
                self._changed.notify_all()

    def wait_until_below(self, count: int, asks: Callable[[], int], seconds: float | None = None) -> None:
        """Wait until fewer than this are under way, without those that wait for the client."""
        if self._open < count or self._open - asks() < count:
            return
        with self._changed:
            self._waits = True
            self._changed.wait_for(lambda: self._open - asks() < count, seconds)
            self._waits = False
