"""A worker: one of several processes that are one server, started by a supervisor (`supervisor.py`)."""

from __future__ import annotations

import os
import signal
import threading
from typing import Final, NamedTuple

from thoughtbox.doors.mcp.shutdown import CLOSING_SECONDS, end_within, wait_for_parent

VARIABLE: Final = "THOUGHTBOX_WORKER"
"""Tells a process that it is a worker, and what it has inherited."""

READY: Final = b"ready"
"""All that a worker ever says to its supervisor: it accepts connections."""

RESTART: Final = signal.SIGUSR1
"""From a person to the server; from the supervisor to a worker: another one is being started beside it."""

LEAVE: Final = signal.SIGUSR2
"""From the supervisor to a worker: the other one accepts connections."""

ENDS: Final = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


class Inherited(NamedTuple):
    """What a worker has from its supervisor."""

    supervisor: int
    """The id of that process."""
    server: int
    """The number of the folder that all processes of the server share."""
    ready: int
    """The descriptor that it says it is ready to."""
    listening: int
    observing: int = -1
    """The socket of the Observatory, which one worker serves."""

    @staticmethod
    def mine() -> Inherited | None:
        """That of this process, if it is a worker. No process that it starts is taken for one."""
        told = os.environ.pop(VARIABLE, None)
        return None if told is None else Inherited(*map(int, told.split(",")))

    def say_ready(self) -> None:
        os.write(self.ready, READY)
        os.close(self.ready)


def end_with(supervisor: int, seconds: float) -> None:
    """Have this process end when its supervisor does, however that ends, and whatever hangs here."""
    threading.Thread(target=_wait_for_end, args=(supervisor, seconds), name="thoughtbox-parent", daemon=True).start()


def _wait_for_end(supervisor: int, seconds: float) -> None:
    wait_for_parent(supervisor)
    end_within(seconds + CLOSING_SECONDS)
    os.kill(os.getpid(), signal.SIGTERM)
