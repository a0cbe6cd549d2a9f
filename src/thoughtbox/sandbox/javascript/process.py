"""One worker process, seen from the server: started, spoken to with a deadline, and ended at any time."""

from __future__ import annotations

import os
import select
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Final

from thoughtbox.sandbox.javascript import launch
from thoughtbox.sandbox.javascript.frames import Frame, Kind, packed, unpacked
from thoughtbox.sandbox.javascript.launch import Installed

SEND_SECONDS: Final = 10.0
_BLOCK = 1 << 16
_READABLE, _WRITABLE = 1, 4
"""What poll calls them, on every system that has it."""


class Gone(Exception):
    """The worker has ended."""


class Late(Exception):
    """The worker has said nothing in time."""


class WorkerProcess:
    """Whoever holds one may speak to it; anybody may kill it."""

    def __init__(self, engine: Installed, modules: tuple[Path, ...]) -> None:
        self._process = launch.started(engine, "serve", *map(str, modules))
        self.is_ready = False
        self.idle_since = time.monotonic()
        self._received = bytearray()
        if self._process.stdin is None or self._process.stdout is None:
            raise Gone
        self._input, self._output = self._process.stdin.fileno(), self._process.stdout.fileno()
        if sys.platform != "win32":
            os.set_blocking(self._input, False)
            os.set_blocking(self._output, False)

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def is_alive(self) -> bool:
        return self._process.poll() is None

    def cpu_seconds(self) -> float | None:
        """The CPU time of the process, where it can be known."""
        if sys.platform != "linux":
            return None
        try:
            return time.clock_gettime(~self.pid << 3 | 2)  # what clock_getcpuclockid makes of a process
        except OSError:
            return None

    def send(self, kind: Kind, *parts: bytes) -> None:
        data = memoryview(packed(kind, *parts))
        deadline = time.monotonic() + SEND_SECONDS
        while data:
            try:
                data = data[os.write(self._input, data[:_BLOCK] if sys.platform == "win32" else data) :]
            except BlockingIOError:
                if not _waited(self._input, _WRITABLE, deadline - time.monotonic()):
                    raise Gone from None
            except OSError:
                raise Gone from None

    def receive(self, seconds: float) -> Frame:
        """The next frame; `Late` when it does not begin in time, and can still be received then."""
        deadline = time.monotonic() + seconds
        while True:
            frame = self._frame()
            if frame is not None:
                return frame
            if not _waited(self._output, _READABLE, deadline - time.monotonic()):
                raise Late
            self._take_in()

    def kill(self) -> None:
        with suppress(OSError):
            self._process.kill()

    def end(self) -> None:
        """Kill the process and wait until it is gone."""
        self.kill()
        self._process.wait()

    def close(self) -> None:
        """End the process and close its pipes. Nobody may be speaking to it."""
        self.end()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()

    def _take_in(self) -> None:
        try:
            data = os.read(self._output, _BLOCK)
        except BlockingIOError:
            return
        except OSError:
            raise Gone from None
        if not data:
            raise Gone
        self._received += data

    def _frame(self) -> Frame | None:
        """The next frame, if all of it has come in."""
        at = 0

        def read(length: int) -> bytes:
            nonlocal at
            if at + length > len(self._received):
                raise EOFError
            at += length
            return bytes(self._received[at - length : at])

        if not self._received:
            return None
        try:
            frame = unpacked(read)
        except EOFError:
            return None
        except ValueError:
            raise Gone from None
        del self._received[:at]
        return frame


def _waited(descriptor: int, event: int, seconds: float) -> bool:
    """Whether a pipe is ready in time."""
    if sys.platform == "win32":
        return _looked_at(descriptor, seconds)
    poll = select.poll()
    poll.register(descriptor, event)
    return bool(poll.poll(max(0.0, seconds) * 1000))


if sys.platform == "win32":
    import _winapi
    import msvcrt

    def _looked_at(descriptor: int, seconds: float) -> bool:
        """Pipes cannot be waited for: look again and again."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            try:
                if _winapi.PeekNamedPipe(msvcrt.get_osfhandle(descriptor), 0)[0]:
                    return True
            except OSError:
                return True
            time.sleep(0.001)
        return False
