"""Starts Python processes in milliseconds: each is a fork of one that has imported everything already.

    process = forked(["-m", "thoughtbox", "serve", "--stdio"], environment)

does what `python -P -m thoughtbox serve --stdio` does, in a session and with pipes of its own, and is used like
`subprocess.Popen`. What a start itself is like, and what it has imported when, only `spawned` can tell.

Every test process has one fork server (`fork_server.py`), started when first needed.
"""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from io import FileIO
from pathlib import Path
from typing import IO, Protocol, TextIO

from tests.support.fork_server import LONGEST_REQUEST

PATIENCE = 120.0
"""Seconds that a test waits for what has to come: only a broken product uses them up, on however busy a machine."""

PROGRAM = Path(__file__).with_name("fork_server.py")


class Running(Protocol):
    """A process with pipes: what `subprocess.Popen` and `Forked` have in common."""

    @property
    def pid(self) -> int: ...
    @property
    def stdin(self) -> IO[bytes] | None: ...
    @property
    def stdout(self) -> IO[bytes] | None: ...
    @property
    def stderr(self) -> IO[bytes] | None: ...
    def poll(self) -> int | None: ...
    def wait(self, timeout: float | None = None) -> int: ...
    def send_signal(self, number: int, /) -> None: ...
    def terminate(self) -> None: ...


Start = Callable[[Sequence[str], Mapping[str, str], int | TextIO | None], Running]
"""Starts `python -P WORDS` in this environment; what it says on stderr goes there, or nowhere."""


def spawned(words: Sequence[str], environment: Mapping[str, str], stderr: int | TextIO | None = None) -> Running:
    """A true start: an interpreter of its own that imports everything itself."""
    return subprocess.Popen(
        [sys.executable, "-P", *words],
        env=environment,
        bufsize=0,
        start_new_session=True,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL if stderr is None else stderr,
    )


def forked(words: Sequence[str], environment: Mapping[str, str], stderr: int | TextIO | None = None) -> Running:
    """A fork of the fork server of this test process."""
    return fork_server().start(words, environment, stderr)


def run_forked(words: Sequence[str], environment: Mapping[str, str]) -> subprocess.CompletedProcess[bytes]:
    """Run to the end with nothing on stdin, and tell what was said."""
    with tempfile.TemporaryFile("w+", encoding="utf-8") as complaints:
        process = forked(words, environment, complaints)
        assert process.stdin
        assert process.stdout
        process.stdin.close()
        with process.stdout:
            said = process.stdout.read()
        code = process.wait(PATIENCE)
        complaints.seek(0)
        return subprocess.CompletedProcess(words, code, said, complaints.read().encode())


@cache
def fork_server() -> ForkServer:
    return ForkServer()


class ForkServer:
    """The near side: asks for processes."""

    def __init__(self) -> None:
        self._control, far = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with far:
            self._process = subprocess.Popen(
                [sys.executable, "-P", str(PROGRAM)],
                stdin=far.fileno(),
                stdout=far.fileno(),
                env={name: value for name, value in os.environ.items() if not name.startswith("THOUGHTBOX_")},
                start_new_session=True,  # an interrupt at the terminal is for the tests
            )

    @property
    def pid(self) -> int:
        return self._process.pid

    def start(self, words: Sequence[str], environment: Mapping[str, str], stderr: int | TextIO | None) -> Forked:
        request = json.dumps({"words": list(words), "environment": dict(environment), "directory": str(Path.cwd())})
        assert len(request) <= LONGEST_REQUEST
        stdin, write = os.pipe()
        read, stdout = os.pipe()
        report, reporting = os.pipe()
        theirs = [stdin, stdout, _copy_of(stderr), reporting]
        try:
            socket.send_fds(self._control, [request.encode()], theirs)
        finally:
            for descriptor in theirs:
                os.close(descriptor)
        return Forked(FileIO(write, "wb"), FileIO(read, "rb"), report)

    def close(self) -> None:
        """End it, and whatever it started and is still there."""
        self._control.close()
        self._process.wait(PATIENCE)


class Forked:
    """A process that the fork server started for us. It is waited for there, and its end reported here."""

    stderr = None

    def __init__(self, stdin: FileIO, stdout: FileIO, report: int) -> None:
        self.stdin = stdin
        self.stdout = stdout
        self.returncode: int | None = None
        self._report = FileIO(report, "rb")
        first = self._report.readline()
        assert first, "the fork server has ended; what it said stands above"
        self.pid = int(first)

    def poll(self) -> int | None:
        return self._look(0)

    def wait(self, timeout: float | None = None) -> int:
        code = self._look(PATIENCE if timeout is None else timeout)
        if code is None:
            raise subprocess.TimeoutExpired(str(self.pid), timeout or PATIENCE)
        return code

    def send_signal(self, number: int, /) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def _look(self, seconds: float) -> int | None:
        until = time.monotonic() + seconds
        while self.returncode is None:
            ready = select.poll()
            ready.register(self._report, select.POLLIN)
            if not ready.poll(max(0, until - time.monotonic()) * 1000):
                return None
            # Nothing comes when the fork server itself was killed: its processes end with it.
            self.returncode = int(self._report.readline() or -signal.SIGKILL)
            self._report.close()
        return self.returncode


def _copy_of(stderr: int | TextIO | None) -> int:
    if stderr is None or stderr == subprocess.DEVNULL:
        return os.open(os.devnull, os.O_WRONLY)
    return os.dup(stderr if isinstance(stderr, int) else stderr.fileno())
