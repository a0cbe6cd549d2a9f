"""How a server of one process is restarted: it hands over to a new one, and is its supervisor from then on.

Until it is asked to, there is no supervisor, and nothing here costs anything. Afterwards the process has the same id as
before, and serves nothing itself.
"""

from __future__ import annotations

import asyncio
import logging
import signal
import socket
import threading
from collections.abc import Callable, Sequence
from functools import partial
from subprocess import TimeoutExpired
from typing import Protocol

from thoughtbox.doors.mcp.transports.supervisor import ENDS, RESTART, Supervisor, start_worker
from thoughtbox.operations.answered import Answered
from thoughtbox.operations.shared_log import SharedLog

logger = logging.getLogger(__name__)


class Server(Protocol):
    """What serves in this process."""

    def join(self, slot: int, channel: socket.socket) -> object: ...

    def ask_to_end(self) -> None: ...


class _ThisProcess:
    """This process as a worker: it ends by not serving any more."""

    def __init__(self, ask_to_end: Callable[[], None]) -> None:
        self._ask_to_end = ask_to_end
        self.has_ended = threading.Event()

    def terminate(self) -> None:
        self._ask_to_end()

    def kill(self) -> None:
        """It ends in time by itself."""

    def poll(self) -> int | None:
        return 0 if self.has_ended.is_set() else None

    def wait(self, timeout: float | None = None) -> int:
        if not self.has_ended.wait(timeout):
            raise TimeoutExpired("serve", timeout or 0.0)
        return 0


class Succession:
    """Restarts a server that serves in this process. In the main thread."""

    def __init__(self, listening: socket.socket, again: Sequence[str], observing: socket.socket | None = None) -> None:
        """`again` is the command that starts the server; without one it cannot be restarted.

        `observing` is the Observatory's socket, which the next one goes on with.
        """
        self._listening = listening
        self._observing = observing
        self._again = again
        self._supervisor: Supervisor | None = None
        self._supervising: threading.Thread | None = None
        self._here: _ThisProcess | None = None
        self._code = 0

    def offer(self, server: Server, answered: Callable[[], Answered]) -> None:
        """Let signals end and restart this server from now on. On its event loop."""
        for number in ENDS:
            signal.signal(number, lambda number, _: self._end(server, number))
        loop = asyncio.get_running_loop()
        restart = partial(self._restart, server, answered)
        signal.signal(RESTART, lambda *_: self._restart_again() or loop.call_soon_threadsafe(restart))

    def ended(self) -> int:
        """The server does not serve any more: supervise the one that does, if there is; what to end with."""
        if self._supervisor is None or self._here is None or self._supervising is None:
            return 0
        self._supervisor.take_signals()
        self._here.has_ended.set()
        self._supervisor.signalled(signal.SIGCHLD)
        self._supervising.join()
        return self._code

    def _end(self, server: Server, number: int) -> None:
        if self._supervisor is None:
            server.ask_to_end()
        else:
            self._supervisor.signalled(number)

    def _restart_again(self) -> bool:
        """Have the supervisor restart what serves now, if there is one."""
        if self._supervisor is not None:
            self._supervisor.signalled(RESTART)
        return self._supervisor is not None

    def _restart(self, server: Server, answered: Callable[[], Answered]) -> None:
        if self._supervisor is None and not self._again:
            logger.error(
                "this server cannot be restarted: its records are in memory, or it was not started by a command"
            )
            return
        if self._supervisor is None:
            shared = SharedLog.make()
            answered().share(SharedLog(shared))
            ours, theirs = socket.socketpair()
            server.join(0, theirs)
            self._here = _ThisProcess(server.ask_to_end)
            start = partial(start_worker, self._again, self._listening.fileno(), shared, self._observing)
            self._supervisor = Supervisor(1, start)
            self._supervisor.adopt(self._here, ours)
            signal.signal(signal.SIGCHLD, self._supervisor.signalled)
            self._supervising = threading.Thread(target=self._supervise, name="thoughtbox-supervisor")
            self._supervising.start()
        self._restart_again()

    def _supervise(self) -> None:
        assert self._supervisor is not None
        self._code = self._supervisor.run()
