"""The worker's end of the two pipes."""

from __future__ import annotations

import os
import select
import sys

from thoughtbox.sandbox.javascript.frames import Frame, Kind, packed, unpacked

_BLOCK = 1 << 16


class Closed(Exception):
    """The server has ended, or wants this worker no more."""


class Channel:
    def __init__(self) -> None:
        """Standard input and output, taken out of the way of everything else."""
        self._input, self._output = os.dup(0), os.dup(1)
        nowhere = os.open(os.devnull, os.O_RDWR)
        os.dup2(nowhere, 0)
        os.dup2(nowhere, 1)
        os.close(nowhere)
        self._received = bytearray()

    def is_quiet(self, seconds: float) -> bool:
        """Whether nothing is said for so long."""
        if sys.platform == "win32":  # pipes cannot be waited for there
            return True
        poll = select.poll()
        poll.register(self._input, select.POLLIN)
        return not self._received and not poll.poll(seconds * 1000)

    def receive(self) -> Frame:
        return unpacked(self._read)

    def send(self, kind: Kind, *parts: bytes) -> None:
        data = memoryview(packed(kind, *parts))
        try:
            while data:
                data = data[os.write(self._output, data) :]
        except BrokenPipeError:
            raise Closed from None

    def _read(self, length: int) -> bytes:
        while len(self._received) < length:
            more = os.read(self._input, max(_BLOCK, length - len(self._received)))
            if not more:
                raise Closed
            self._received += more
        data = bytes(self._received[:length])
        del self._received[:length]
        return data
