"""What the processes of one server say to each other."""

from __future__ import annotations

import os
from typing import Final, NamedTuple

VARIABLE: Final = "THOUGHTBOX_WORKER"
"""Tells a process that it is a worker, and which."""

READY: Final = "ready"
"""From a worker: it could serve now."""

SERVE: Final = "serve"
"""To a worker: accept connections. `follows` says that there is one before it in its slot, which hands over to it."""

LEAVE: Final = "leave"
"""To a worker: hand over all that there is to the one that follows."""

LEFT: Final = "left"
"""From a worker: it has handed over all that it had. To it, in answer: nothing more will come. What had been sent to it
before is handed over, too, and then it ends."""

ALONE: Final = "alone"
"""To a worker: the one before it is gone."""

CONNECTION: Final = "connection"
"""An open connection, with what was read from it and not answered; `to` is the slot that it is for.

From a worker to its own slot it is for the one that follows it, or, if it is the last, for the one before. `is_asked`
says that the one before has seen it, `is_final` that nobody else is there: whoever has it answers.
"""

SESSION: Final = "session"
"""A session of a client with a handshake, for the one that follows."""


class Place(NamedTuple):
    """Where a worker stands: its slot, and the descriptors that it was given."""

    slot: int
    supervisor: int
    """The process above it."""
    channel: int
    listening: int
    shared: int
    observing: int = -1
    """The socket of the Observatory, in the slot that serves it."""

    @staticmethod
    def mine() -> Place | None:
        """The one of this process, if it is a worker. No process that it starts is taken for one."""
        told = os.environ.pop(VARIABLE, None)
        return None if told is None else Place(*map(int, told.split(",")))
