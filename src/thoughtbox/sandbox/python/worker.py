"""One process of the engine, and the session in it that the next snippet runs in."""

from __future__ import annotations

import math
import os
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from pydantic_monty import Monty, MontyError, MontySession, ResourceLimits

from thoughtbox.sandbox.protocol import Limits
from thoughtbox.sandbox.python.library import prelude

if sys.platform != "win32":
    import resource

Printed = Callable[[str, str], None]
Snapshot = Any
"""What the engine hands out when it stops: typed by it, and told apart in `run`."""

DEEPEST_CALL = 1_000
GRACE = 0.05
"""Seconds after which the engine's library ends a process that does not keep its own clock."""


class Worker:
    """Runs one snippet at a time, each in a session of its own."""

    def __init__(self) -> None:
        self._pool = Monty(
            min_processes=1,
            max_processes=1,
            checkout_timeout=1,
            feed_duration_limit_grace=GRACE,
            turn_duration_limit_grace=GRACE,
        )
        self._pool.__enter__()
        self._session: MontySession | None = None
        self._ready_for: ResourceLimits | None = None
        self._pid: int | None = None
        self._handle: int | None = None
        self.is_spent = False
        """Whether it is not to be used again."""

    def make_ready(self, limits: ResourceLimits) -> None:
        """Have a new session with the prelude in it; does nothing when that is so already."""
        if self._ready_for == limits:
            return
        self._leave()
        session = self._pool.checkout(limits=limits, os_policy={"sleep": "zero"}, assert_message_annotations=True)
        session.__enter__()
        self._session = session
        self._know(session.worker_pid)
        session.feed_start(prelude(), print_callback=lambda stream, text: None)
        self._ready_for = limits

    def make_checker(self, limits: ResourceLimits, stubs: str) -> None:
        """Have a new session that checks what it is fed against declarations."""
        self._leave()
        session = self._pool.checkout(
            limits=limits, type_check=True, type_check_stubs=stubs, type_check_format="jsonlines"
        )
        session.__enter__()
        self._session = session
        self._know(session.worker_pid)

    def feed(self, code: str, printed: Printed, inputs: dict[str, Any] | None = None) -> Snapshot:
        if self._session is None:
            raise RuntimeError("a worker is made ready before it is fed")
        self._ready_for = None
        return self._session.feed_start(code, inputs=inputs, print_callback=printed)

    def cpu(self) -> float | None:
        """Seconds that the process has computed; None where the system does not tell of other processes."""
        return None if self._pid is None else _computed(self._pid)

    def may_compute(self, seconds: float) -> None:
        """Have the system end the process a second or two later than we do: for when we have ended before it."""
        used = self.cpu()
        if sys.platform == "linux" and self._pid is not None and used is not None:
            with suppress(OSError, ValueError):
                _, most = resource.prlimit(self._pid, resource.RLIMIT_CPU)
                resource.prlimit(self._pid, resource.RLIMIT_CPU, (math.ceil(used + seconds) + 1, most))

    def resident(self) -> int:
        """Bytes of memory that the process has; 0 where the system does not tell."""
        with suppress(OSError, ValueError, IndexError):
            pages = Path(f"/proc/{self._pid}/statm").read_text(encoding="ascii").split()[1]
            return int(pages) * os.sysconf("SC_PAGE_SIZE")
        return 0

    def kill(self) -> None:
        """End the process at once; whoever waits for it gets an error from the engine."""
        self.is_spent = True
        with suppress(OSError):
            if self._handle is not None:
                signal.pidfd_send_signal(self._handle, signal.SIGKILL)
            elif self._pid is not None:
                os.kill(self._pid, signal.SIGKILL)

    def end(self) -> None:
        self.is_spent = True
        self._leave()
        self._pool.__exit__(None, None, None)
        self._know(None)

    def _leave(self) -> None:
        session, self._session, self._ready_for = self._session, None, None
        if session is not None:
            with suppress(MontyError):
                session.__exit__(None, None, None)

    def _know(self, pid: int | None) -> None:
        """Keep a handle of the process itself: its number may be given to another once it has ended."""
        if pid == self._pid:
            return
        if self._handle is not None:
            os.close(self._handle)
        self._pid, self._handle = pid, None
        if pid is not None and hasattr(os, "pidfd_open"):
            with suppress(OSError):
                self._handle = os.pidfd_open(pid)


def engine_limits(limits: Limits, more_memory: int = 0) -> ResourceLimits:
    """What the engine itself holds a snippet to.

    Its clock is the second one, wider than the first (`run`), since it also runs while the process waits for the
    machine. What stops it and comes back counts with us, sooner than with the engine.
    """
    seconds = limits.cpu_ms / 1_000
    return {
        "max_feed_duration_secs": max(20 * seconds, 1) if _can_tell() else seconds,
        "max_memory": limits.memory_bytes + more_memory,
        "max_recursion_depth": DEEPEST_CALL,
        "max_suspensions": 3 * limits.calls + 1_000,
    }


def _computed(pid: int) -> float | None:
    try:
        # What clock_getcpuclockid(3) gives for another process on Linux.
        return time.clock_gettime(~pid << 3 | 2)
    except (OSError, OverflowError, AttributeError):
        return None


@cache
def _can_tell() -> bool:
    return _computed(os.getpid()) is not None
