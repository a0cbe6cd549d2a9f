"""What the processes of a box use up, as its first process sees them in /proc."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

_TICKS: Final = os.sysconf("SC_CLK_TCK")
_PAGE: Final = os.sysconf("SC_PAGE_SIZE")


class Process(NamedTuple):
    """One of them, at this moment."""

    own: int
    """Ticks that it has computed for."""
    children: int
    """The same of its children that have ended, as far as it has waited for them."""
    pages: int
    is_running: bool

    @property
    def ticks(self) -> int:
        return self.own + self.children


Processes = Mapping[tuple[int, int], Process]
"""By number and moment of their start: numbers are given again."""


def now() -> Processes:
    """All processes of the box."""
    found = {}
    for process in _numbers():
        # The name stands in parentheses and may hold anything; what counts comes behind the last one.
        fields = _read(f"/proc/{process}/stat").rpartition(b")")[2].split()
        if len(fields) > 21:
            own, children = int(fields[11]) + int(fields[12]), int(fields[13]) + int(fields[14])
            found[process, int(fields[19])] = Process(own, children, int(fields[21]), fields[0] == b"R")
    return found


def resident(processes: Processes) -> int:
    """Bytes of memory; what several share counts for each that has it."""
    return sum(process.pages for process in processes.values()) * _PAGE


def memory_of(processes: Processes) -> int:
    """The bytes that they really take up: what several share counts once. It takes longer to say than `resident`."""
    return sum(_share(number) for number, _ in processes)


def _share(process: int) -> int:
    found = _read(f"/proc/{process}/smaps_rollup")
    for line in found.splitlines():
        if line.startswith(b"Pss:"):
            return int(line.split()[1]) * 1024
    whole = _read(f"/proc/{process}/statm").split()  # a process may hide how it shares, never that it is there
    return int(whole[1]) * _PAGE if whole else 0


class Meter:
    """How long a box has computed, with those of its processes that nobody has waited for.

    Whoever ends hands the time on to the one who waits for it. A process that is not waited for, since its parent does
    not want to know, takes it along: so what was seen of it last is added here.
    """

    def __init__(self) -> None:
        self._before: Processes = {}
        self._lost = 0

    def seconds(self, processes: Processes) -> float:
        gone = sum(_least(process) for key, process in self._before.items() if key not in processes)
        if gone:
            handed_on = _children(processes) - _children(self._before, processes)
            self._lost += max(0, gone - handed_on)
        self._before = processes
        return (sum(process.ticks for process in processes.values()) + self._lost) / _TICKS


def _least(process: Process) -> int:
    return process.ticks or int(process.is_running)


def _children(processes: Processes, among: Processes | None = None) -> int:
    return sum(process.children for key, process in processes.items() if among is None or key in among)


def last_number() -> int:
    """The number of the process or thread that was started last."""
    return int(_read("/proc/loadavg").split()[-1])


def _numbers() -> Iterator[int]:
    return (int(name) for name in os.listdir("/proc") if name.isdigit())


def _read(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""  # it has ended meanwhile


def read_lines(path: str) -> Sequence[bytes]:
    return _read(path).splitlines()
