"""Time in tests: it is computed, not slept; a clock is ahead; and what is done as soon as something holds."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import NamedTuple

from tests.support.forks import PATIENCE
from tests.support.servers import soon


def compute(seconds: float) -> None:
    """Use up CPU time in this thread."""
    until = time.thread_time() + seconds
    while time.thread_time() < until:
        pass


class Clock(NamedTuple):
    """What a module looks at in place of `time`."""

    monotonic: Callable[[], float]


def later(seconds: float) -> Clock:
    """The time as it is so many seconds from now on."""
    return Clock(lambda: time.monotonic() + seconds)


def computed(process: int) -> float:
    """Seconds of CPU time that a process has had, as the kernel counts them; none when it is gone."""
    try:
        return time.clock_gettime(~process << 3 | 2)  # what clock_getcpuclockid makes of a process
    except OSError:
        return 0.0


@contextmanager
def once(holds: Callable[[], object], do: Callable[[], object]) -> Generator[None]:
    """As soon as something holds, another thread does something."""
    with ThreadPoolExecutor(1) as other:
        done = other.submit(lambda: soon(holds) and do())
        yield
        done.result(PATIENCE)
