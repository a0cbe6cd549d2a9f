"""What a server says beside its answers. Never in the way of the serving.

A client that starts a server and does not read its stderr must not be able to block it.
While serving, whatever is written to stdout or stderr, by us, by the log or by a library
that prints, goes through a pipe to a thread that passes it on to stderr as long as
somebody reads there, and drops it otherwise.
"""

from __future__ import annotations

import os
import select
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager, suppress

from thoughtbox.doors.terminal import printable

LAST_WORDS_SECONDS = 0.2


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
    ready = select.poll()
    ready.register(outside, select.POLLOUT)
    # A pipe that is ready takes this much without blocking.
    while chunk := os.read(reading, select.PIPE_BUF):
        with suppress(OSError):
            if ready.poll(0):
                os.write(outside, chunk)
