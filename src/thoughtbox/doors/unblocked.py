"""Writing to a descriptor that somebody else may share, without ever waiting for whoever reads there.

It cannot be told not to block: that would hold for all who share it. Where the system has it, a single write is told
so; elsewhere it is asked first whether a write would wait.
"""

from __future__ import annotations

import errno
import os

try:
    from select import PIPE_BUF, POLLOUT, poll
except ImportError:  # pragma: no cover - not on Windows
    poll = None

CAN_TELL = poll is not None
"""Whether it can be told at all if a write would wait."""

_NOT_WAITING = getattr(os, "RWF_NOWAIT", 0)
_UNKNOWN_HERE = (errno.EOPNOTSUPP, errno.EINVAL, errno.ENOSYS, errno.ESPIPE)
"""How a descriptor, or the system, says that it cannot be told not to wait: files and terminals do."""


class Unblocked:
    """A descriptor that is written to as far as that needs no waiting."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._can_be_told = bool(_NOT_WAITING) and hasattr(os, "pwritev")
        self._ready = None
        if poll is not None:
            self._ready = poll()
            self._ready.register(descriptor, POLLOUT)

    def write(self, data: bytes) -> int:
        """Write what is taken at once, and say how much that was; an `OSError` when nobody is there any more."""
        if self._can_be_told:
            try:
                return os.pwritev(self._descriptor, (data,), -1, _NOT_WAITING)
            except BlockingIOError:
                return 0
            except OSError as error:
                if error.errno not in _UNKNOWN_HERE:
                    raise
                self._can_be_told = False
        if self._ready is None or not self._ready.poll(0):
            return 0
        return os.write(self._descriptor, data[:PIPE_BUF])  # a pipe that is ready takes so much at once
