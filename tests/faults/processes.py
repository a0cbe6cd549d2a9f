"""Processes that write to one store, as their parent sees them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.faults.store import Acknowledged
from tests.support.forks import PATIENCE

LONGEST_LIFE = 300.0
"""Seconds after which a process is killed, whatever happens."""


class Writer:
    """A process of `writer.py`."""

    def __init__(self, **told: Any) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.faults.writer", json.dumps(told, default=str)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )
        self.acknowledged: list[Acknowledged] = []
        self.errors: list[str] = []
        self.is_done = False
        self._alarm = threading.Timer(LONGEST_LIFE, self.kill)
        self._alarm.start()

    def is_ready(self) -> bool:
        return self._next_line()

    def go(self) -> None:
        assert self.process.stdin
        self.process.stdin.write(b"go\n")
        self.process.stdin.flush()

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)

    def listen(self, *, until: int | None = None) -> None:
        """Hear what it says, until it has been told of this many records or is gone."""
        while (until is None or len(self.acknowledged) < until) and self._next_line():
            pass

    def end(self) -> None:
        self._alarm.cancel()
        self.kill()
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdout.close()
        self.process.stdin.close()
        self.process.wait(PATIENCE)

    def _next_line(self) -> bool:
        assert self.process.stdout
        line = self.process.stdout.readline()
        if not line:
            return False
        said = json.loads(line)
        if "id" in said:
            self.acknowledged.append(Acknowledged(said["id"], said["session"], said["content"], said["key"]))
        elif "error" in said:
            self.errors.append(said["error"])
        self.is_done = self.is_done or "done" in said
        return True


@contextmanager
def writing(directory: Path, life: str, *, threads: int, **more: Any) -> Generator[Writer]:
    writer = Writer(life=life, directory=directory, threads=threads, **more)
    try:
        yield writer
    finally:
        writer.end()
