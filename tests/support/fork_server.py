"""The process that forks: it has imported everything, and waits on its standard input for requests.

It has a single thread, no event loop and no open store, since those do not survive a fork. It ends with whoever
started it, however that ends, and takes every process that is left with it. The near side is `forks.py`.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import json
import os
import pkgutil
import runpy
import select
import signal
import socket
import sys
import threading
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

LONGEST_REQUEST = 1 << 17

USED_LATE = (
    "anyio._backends._asyncio",
    "uvloop",
)
"""Modules of others that are imported when a server first needs them."""

SDK_DOOR = "tests.support.sdk_door"
ROOT = Path(__file__).resolve().parent.parent.parent


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
    from thoughtbox import domains

    domains.load()  # first, and in its order: operations are listed in the order they are declared
    _import_all_of(thoughtbox)
    for name in USED_LATE:
        importlib.import_module(name)


def _import_all_of(package: ModuleType) -> None:
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)


def _import_for(words: list[str]) -> None:
    """What is not imported for everybody: the SDK and the door on it, before the first fork that is to be one."""
    if SDK_DOOR in words and SDK_DOOR not in sys.modules:
        _import_all_of(importlib.import_module(SDK_DOOR))


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
            _import_for(request.words)
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
        with suppress(ProcessLookupError):  # it leads a session, or is just about to
            os.killpg(child.pid, signal.SIGKILL)
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


def _end_in_short(code: int) -> None:
    """What an interpreter does at its end, but for taking apart all that was imported: that would copy all of it."""
    threading._shutdown()  # ty: ignore[missing-attribute] - as the interpreter does: what waits for threads is run, too
    atexit._run_exitfuncs()
    with suppress(OSError, ValueError):  # a pipe that nobody reads any more: the long end tells of it as it does
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code & 0xFF)


def _main() -> None:
    # What stands here stays: a look for garbage in every child would copy it all.
    gc.disable()
    sys.path.append(str(ROOT))  # where the SDK door is
    _import_everything()
    gc.collect()
    gc.freeze()
    assert len(list(Path("/proc/self/task").iterdir())) == 1, "threads do not survive a fork"
    request = _fork_on_request(socket.socket(fileno=os.dup(0)))
    if request is not None:
        _become(request)
        try:
            _run(request.words)
        except SystemExit as end:
            if isinstance(end.code, int | None):
                _end_in_short(end.code or 0)
            raise
        _end_in_short(0)


if __name__ == "__main__":
    _main()
