"""Lines of bounded length from a file descriptor, whatever is behind it."""

from __future__ import annotations

import asyncio
import os
import stat
import threading
from collections import deque

MOST_WAITING = 64
"""Lines read ahead before the sender is made to wait."""

CHUNK = 1 << 16


class TooLong:
    """Stands where a line was that is longer than allowed; its bytes are gone."""


class Lines(asyncio.Protocol):
    """Splits what arrives into lines, and takes in no more than somebody asks for."""

    def __init__(self, longest: int) -> None:
        self._longest = longest
        self._buffer = bytearray()
        self._searched = 0
        self._skips = False
        self._ready: deque[bytes | TooLong] = deque()
        self._ready_bytes = 0
        self._ended = False
        self._waiter: asyncio.Future[None] | None = None
        self._transport: asyncio.ReadTransport | None = None

    async def next(self) -> bytes | TooLong | None:
        """The next line without its newline; None at the end."""
        while not self._ready:
            if self._ended:
                return None
            self._waiter = asyncio.get_running_loop().create_future()
            await self._waiter
        line = self._ready.popleft()
        if not isinstance(line, TooLong):
            self._ready_bytes -= len(line)
        self._take_in_more_or_not()
        return line

    def end(self) -> None:
        """Take in nothing more; what is there can still be had."""
        self._ended = True
        self._wake()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.ReadTransport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        if self._ended:
            return
        self._buffer += data
        while (at := self._buffer.find(b"\n", self._searched)) >= 0:
            self._line(bytes(self._buffer[:at]))
            del self._buffer[: at + 1]
            self._searched = 0
        self._searched = len(self._buffer)
        if self._skips or len(self._buffer) > self._longest:
            self._skips = True
            self._buffer.clear()
            self._searched = 0
        self._take_in_more_or_not()
        self._wake()

    def eof_received(self) -> None:
        if self._buffer.strip() or self._skips:
            self._line(bytes(self._buffer))
        self._buffer.clear()
        self.end()

    def connection_lost(self, exc: Exception | None) -> None:
        self.end()

    def _line(self, line: bytes) -> None:
        if not self._skips and len(line) <= self._longest:
            self._ready.append(line)
            self._ready_bytes += len(line)
            return
        self._ready.append(TooLong())
        self._skips = False

    def _take_in_more_or_not(self) -> None:
        if self._transport is None:
            return
        if len(self._ready) >= MOST_WAITING or self._ready_bytes > self._longest:
            self._transport.pause_reading()
        else:
            self._transport.resume_reading()

    def _wake(self) -> None:
        if (self._ready or self._ended) and self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)


def waitable_input(descriptor: int) -> int:
    """A descriptor that an event loop can wait on: a file is read through a pipe."""
    if not _is_file(descriptor):
        return descriptor
    reading, writing = os.pipe()
    threading.Thread(target=_copy, args=(descriptor, writing), daemon=True).start()
    return reading


def waitable_output(descriptor: int) -> tuple[int, threading.Thread | None]:
    """The same for output, with the thread to wait for at the end."""
    if not _is_file(descriptor):
        return descriptor, None
    reading, writing = os.pipe()
    copying = threading.Thread(target=_copy, args=(reading, descriptor), daemon=True)
    copying.start()
    return writing, copying


def _is_file(descriptor: int) -> bool:
    mode = os.fstat(descriptor).st_mode
    return stat.S_ISREG(mode) or (stat.S_ISCHR(mode) and not os.isatty(descriptor))


def _copy(source: int, target: int) -> None:
    try:
        while chunk := os.read(source, CHUNK):
            while chunk:
                chunk = chunk[os.write(target, chunk) :]
    except OSError:
        pass  # the other side is gone
    os.close(target)
