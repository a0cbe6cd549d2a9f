"""Starts Python processes in milliseconds: each is a fork of one that has imported everything already.

    process = forked(["-m", "thoughtbox", "serve", "--stdio"], environment)

does what `python -P -m thoughtbox serve --stdio` does, in a session and with pipes of its own, and is used like
`subprocess.Popen`. What a start itself is like, and what it has imported when, only `spawned` can tell.

Every test process has one fork server, started when first needed. It has a single thread, no event loop and
no open store, since those do not survive a fork. It ends with the test process, however that ends, and takes
every process that is left with it.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import pkgutil
import runpy
import select
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from io import FileIO
from pathlib import Path
from typing import IO, NamedTuple, Protocol, TextIO

PATIENCE = 30.0
"""Seconds that a test waits for what has to come; a busy machine is slow."""

LONGEST_REQUEST = 1 << 17

USED_LATE = (
    "anyio._backends._asyncio",
    "uvicorn.lifespan.on",
    "uvicorn.loops.uvloop",
    "uvicorn.protocols.http.httptools_impl",
)
"""Modules of others that are imported when a server first needs them."""


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
                [sys.executable, "-P", __file__],
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
        silence = os.open(os.devnull, os.O_WRONLY)
        said = (
            silence if stderr in (None, subprocess.DEVNULL) else stderr if isinstance(stderr, int) else stderr.fileno()
        )
        try:
            socket.send_fds(self._control, [request.encode()], [stdin, stdout, said, reporting])
        finally:
            for descriptor in (stdin, stdout, reporting, silence):
                os.close(descriptor)
        return Forked(FileIO(write, "wb"), FileIO(read, "rb"), report)

    def close(self) -> None:
        """End it, and whatever it started and is still there."""
        self._control.close()
        self._process.wait(PATIENCE)


def _copy_of(stderr: int | TextIO | None) -> int:
    if stderr is None or stderr == subprocess.DEVNULL:
        return os.open(os.devnull, os.O_WRONLY)
    return os.dup(stderr if isinstance(stderr, int) else stderr.fileno())


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


class _Request(NamedTuple):
    words: list[str]
    environment: dict[str, str]
    directory: str
    descriptors: list[int]
    """Standard input, output, error, and where its process id and exit code are to be written."""


class _Child(NamedTuple):
    pid: int
    report: int


def _import_everything() -> None:
    import thoughtbox

    for module in pkgutil.walk_packages(thoughtbox.__path__, "thoughtbox."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    for name in USED_LATE:
        importlib.import_module(name)


def _fork_on_request(control: socket.socket) -> _Request | None:
    """Fork for every request. Returns the request in the child, and None in the parent when nobody asks any more."""
    children: dict[int, _Child] = {}
    waiting = select.poll()
    waiting.register(control, select.POLLIN)
    while True:
        for ready, _ in waiting.poll():
            if ready in children:
                waiting.unregister(ready)
                _report_end(children.pop(ready))
                os.close(ready)
                continue
            request = _next_request(control)
            if request is None:
                _end(list(children.values()))
                return None
            pid = os.fork()
            if pid == 0:
                control.detach()
                return request
            *theirs, report = request.descriptors
            for descriptor in theirs:
                os.close(descriptor)
            ended = os.pidfd_open(pid)
            children[ended] = _Child(pid, report)
            waiting.register(ended, select.POLLIN)


def _next_request(control: socket.socket) -> _Request | None:
    message, descriptors, _, _ = socket.recv_fds(control, LONGEST_REQUEST, 4)
    return _Request(**json.loads(message), descriptors=descriptors) if message else None


def _report_end(child: _Child) -> None:
    _, status = os.waitpid(child.pid, 0)
    with suppress(BrokenPipeError):  # nobody asks how it ended
        os.write(child.report, b"%d\n" % os.waitstatus_to_exitcode(status))
    os.close(child.report)


def _end(children: list[_Child]) -> None:
    for child in children:
        os.kill(child.pid, signal.SIGKILL)
    for child in children:
        os.waitpid(child.pid, 0)


def _become(request: _Request) -> None:
    """Be the process that was asked for: its session, directory, environment and descriptors, and nothing else."""
    os.setsid()
    os.write(request.descriptors[3], b"%d\n" % os.getpid())  # not before: who asked may kill the whole session
    for number, descriptor in enumerate(request.descriptors[:3]):
        os.dup2(descriptor, number)
    os.closerange(3, os.sysconf("SC_OPEN_MAX"))
    os.chdir(request.directory)
    os.environ.clear()
    os.environ.update(request.environment)
    gc.enable()


def _run(words: list[str]) -> None:
    """As `python -P WORDS`."""
    if words[0] == "-m":
        sys.argv = ["-m", *words[2:]]
        runpy.run_module(words[1], run_name="__main__", alter_sys=True)
    else:
        sys.argv = words
        runpy.run_path(words[0], run_name="__main__")


def _main() -> None:
    # What stands here stays: a look for garbage in every child would copy it all.
    gc.disable()
    _import_everything()
    gc.collect()
    gc.freeze()
    assert len(list(Path("/proc/self/task").iterdir())) == 1, "threads do not survive a fork"
    request = _fork_on_request(socket.socket(fileno=os.dup(0)))
    if request is not None:
        _become(request)
        _run(request.words)


if __name__ == "__main__":
    _main()
