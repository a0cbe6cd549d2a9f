"""What a server says beside its answers. Never in the way of the serving.

A client that starts a server and does not read its stderr must not be able to block it.
While serving, whatever is written to stdout or stderr, by us, by the log or by a library
that prints, goes through a pipe to a thread that passes it on to stderr as long as
somebody reads there, and drops it otherwise.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any

from thoughtbox.doors.terminal import printable

try:
    from select import PIPE_BUF, POLLOUT, poll
except ImportError:  # pragma: no cover - not on Windows, where the thread may wait, and nobody else does
    poll = None

LAST_WORDS_SECONDS = 0.2

MOST_AT_ONCE = 1 << 16
REST_SECONDS = 0.02
"""Lines that come close together are passed on together: to wake the thread for each would cost those who serve."""


def echo(said: str) -> None:
    with suppress(OSError):
        os.write(2, f"thoughtbox: {printable(said)}\n".encode())


@contextmanager
def unblocked_output() -> Generator[None]:
    """Have descriptors 1 and 2 lead to a reader that never stops reading."""
    outside = os.dup(2)
    reading, writing = os.pipe()
    _lead_both_to(writing)
    os.close(writing)
    passing = threading.Thread(target=_pass_on, args=(reading, outside), name="thoughtbox-output", daemon=True)
    passing.start()
    try:
        yield
    finally:
        _lead_both_to(outside)  # the pipe's last writer is gone: the thread comes to its end
        passing.join(LAST_WORDS_SECONDS)


def _lead_both_to(target: int) -> None:
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os.dup2(target, 1)
    os.dup2(target, 2)


def _pass_on(reading: int, outside: int) -> None:
    say = partial(os.write, outside) if poll is None else partial(_say_if_heard, outside, poll())
    while said := os.read(reading, MOST_AT_ONCE):
        with suppress(OSError):
            say(said)
        time.sleep(REST_SECONDS)


def _say_if_heard(outside: int, ready: Any, said: bytes) -> None:
    ready.register(outside, POLLOUT)
    # A pipe that is ready takes this much without blocking.
    while said and ready.poll(0):
        said = said[os.write(outside, said[:PIPE_BUF]) :]
