"""A nursery, seen from the server: the process that forks boxes, and is asked for one over a socket."""

from __future__ import annotations

import json
import os
import select
import socket
import subprocess
import sys
import threading
from importlib.util import find_spec
from pathlib import Path
from typing import Final, Literal

from thoughtbox.confinement.box import Box, Gone, Late
from thoughtbox.confinement.plan import Plan

Kind = Literal["program", "python"]

START_SECONDS: Final = 30.0
"""For a nursery or a box to be ready; it takes a fraction of one."""
_START: Final = """
import sys
sys.path[1:1] = sys.argv[3:]
from thoughtbox.confinement import nursery
nursery.main(sys.argv[1], int(sys.argv[2]))
"""


class Unavailable(Exception):
    """No box could be made: says why."""


def kernel_packages() -> str | None:
    """The folder that Jupyter's kernel is installed in, found without importing it; None when it is not there."""
    found = [find_spec(name) for name in ("ipykernel", "jupyter_client")]
    if any(each is None or each.origin is None for each in found):
        return None
    return str(Path(found[0].origin).parents[1]) if found[0] is not None and found[0].origin else None


class Nursery:
    """One process that forks boxes."""

    def __init__(self, kind: Kind) -> None:
        if sys.platform != "linux":
            raise Unavailable(f"{sys.platform} has no namespaces")
        packages = kernel_packages() if kind == "python" else None
        if kind == "python" and packages is None:
            raise Unavailable("ipykernel and jupyter_client are not installed")
        folders: list[str] = [str(Path(__file__).parents[2]), *([packages] if packages else [])]
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process = subprocess.Popen(
                # -s -S -P: no user's packages, no site, no folder of the caller; -B: writes no bytecode.
                [sys.executable, "-s", "-S", "-P", "-B", "-c", _START, kind, str(os.getpid()), *folders],
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                # Sets are in the same order in every box: what is run again shows the same.
                env={"PYTHONHASHSEED": "0", "LANG": "C.UTF-8"},
                cwd="/",
                start_new_session=True,
                close_fds=True,
            )
        self._requests = ours
        self._lock = threading.Lock()
        self._is_ready = False

    @property
    def is_alive(self) -> bool:
        return self._process.poll() is None

    def open(self, plan: Plan, program: list[str] | None) -> Box:
        ours, theirs = socket.socketpair()
        key = os.urandom(24).hex()
        request = json.dumps({"plan": plan.message(), "program": program, "key": key}).encode()
        with theirs, self._lock:
            try:
                self._become_ready()
                socket.send_fds(self._requests, [request], [theirs.fileno()])
            except OSError as error:
                ours.close()
                raise Unavailable(f"the process that makes boxes has ended ({error})") from error
        box = Box(ours)
        if program is None:
            box.send({"key": key})
        return box

    def _become_ready(self) -> None:
        if self._is_ready:
            return
        if not select.select([self._requests], [], [], START_SECONDS)[0]:
            raise OSError("it did not start in time")
        if self._requests.recv(16) != b"ready":
            raise OSError("it did not start")
        self._is_ready = True

    def close(self) -> None:
        self._requests.close()
        try:
            self._process.wait(START_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def ready(box: Box, seconds: float = START_SECONDS) -> None:
    """Wait until what runs in a new box is ready; `Unavailable` says why it is not."""
    try:
        first = box.receive(seconds)
    except (Gone, Late) as error:
        box.end()
        raise Unavailable("it did not start") from error
    if not first.get("ready"):
        box.end()
        raise Unavailable(" ".join(str(first.get(part) or "") for part in ("failed", "breach", "said")).strip())
