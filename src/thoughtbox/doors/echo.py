"""What a server says beside its answers. Never in the way of the serving.

A client that starts a server and does not read its stderr must not be able to block it.
While serving, what we say goes to stderr as long as somebody reads there, and is dropped
otherwise. Whatever else is written to stdout or stderr, by the log or by a library that
prints, goes through a pipe to a thread that passes it on likewise.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from functools import partial

from thoughtbox.doors.terminal import printable
from thoughtbox.doors.unblocked import CAN_TELL, Unblocked

LAST_WORDS_SECONDS = 0.2

MOST_AT_ONCE = 1 << 16
REST_SECONDS = 0.1
"""Lines that come close together are passed on together: to wake the thread for each would cost those who serve."""

Say = Callable[[bytes], object]

_to_stderr: Say = partial(os.write, 2)
_say = _to_stderr


def echo(said: str) -> None:
    with suppress(OSError):
        _say(f"thoughtbox: {printable(said)}\n".encode())


@contextmanager
def unblocked_output() -> Generator[None]:
    """Have descriptors 1 and 2 lead to a reader that never stops reading."""
    global _say  # as the descriptors are: the whole process has them
    outside = os.dup(2)
    reading, writing = os.pipe()
    _lead_both_to(writing)
    os.close(writing)
    passing = threading.Thread(target=_pass_on, args=(reading, outside), name="thoughtbox-output", daemon=True)
    passing.start()
    if CAN_TELL:  # else what we say goes through the pipe, too: the thread may wait, and nobody else does
        _say = Unblocked(outside).write
    try:
        yield
    finally:
        _say = _to_stderr
        _lead_both_to(outside)  # the pipe's last writer is gone: the thread comes to its end
        passing.join(LAST_WORDS_SECONDS)


def _lead_both_to(target: int) -> None:
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os.dup2(target, 1)
    os.dup2(target, 2)


def _pass_on(reading: int, outside: int) -> None:
    say: Say = partial(_say_all, Unblocked(outside)) if CAN_TELL else partial(os.write, outside)
    while said := os.read(reading, MOST_AT_ONCE):
        with suppress(OSError):
            say(said)
        time.sleep(REST_SECONDS)


def _say_all(outside: Unblocked, said: bytes) -> None:
    while said and (taken := outside.write(said)):
        said = said[taken:]
