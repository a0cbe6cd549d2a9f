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
        if not self._is_ready():
            return 0
        return os.write(self._descriptor, data[:PIPE_BUF])  # a pipe that is ready takes so much at once

    def _is_ready(self) -> bool:
        """Whether a write would not wait. Threads may ask at the same time, which one poll does not let them."""
        if poll is None:
            return False
        asked = poll()
        asked.register(self._descriptor, POLLOUT)
        return bool(asked.poll(0))
