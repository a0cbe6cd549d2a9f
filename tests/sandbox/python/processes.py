"""The engine's processes, seen from outside: who they are, and how much memory they have had."""

from __future__ import annotations

import os
import threading
import time
from contextlib import suppress
from pathlib import Path
from types import TracebackType


def engine_processes() -> set[int]:
    """Those that this process has started, and that have not ended."""
    found: set[int] = set()
    for children in Path(f"/proc/{os.getpid()}/task").glob("*/children"):
        with suppress(OSError):
            found |= {int(pid) for pid in children.read_text(encoding="ascii").split()}
    return {pid for pid in found if _is_engine(pid)}


def _is_engine(pid: int) -> bool:
    with suppress(OSError):
        name, _, rest = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").partition(") ")
        return name.endswith("(monty") and rest[0] != "Z"
    return False


def resident(pid: int, what: str = "VmRSS") -> int:
    """Bytes of memory: now, or (`VmHWM`) at most so far."""
    with suppress(OSError):
        for line in Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines():
            if line.startswith(f"{what}:"):
                return int(line.split()[1]) * 1024
    return 0


class Watcher:
    """Looks at all processes of the engine every few milliseconds, for as long as it is entered."""

    def __init__(self) -> None:
        self.memory = 0
        """Bytes that any of them had at most."""
        self._first: dict[int, float] = {}
        self._last: dict[int, float] = {}
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._watch)

    @property
    def computed(self) -> float:
        """Seconds that the busiest of them has computed."""
        return max((self._last[pid] - first for pid, first in self._first.items()), default=0)

    def __enter__(self) -> Watcher:
        self._look()
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._done.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._done.wait(0.003):
            self._look()

    def _look(self) -> None:
        for pid in engine_processes():
            self.memory = max(self.memory, resident(pid, "VmHWM"))
            with suppress(OSError):
                self._last[pid] = time.clock_gettime(~pid << 3 | 2)
                self._first.setdefault(pid, self._last[pid])
