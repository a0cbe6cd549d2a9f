"""The machine that a run was made on, in the few facts that its numbers depend on."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Iterable
from importlib.metadata import version
from pathlib import Path
from statistics import median

import apsw

LOOK_SECONDS = 0.5
IDLE_SHARE = 0.005
LONGEST_WAIT = 20.0
SYNCS = 100
PAGE = 4096


def facts(directory: Path) -> dict[str, str]:
    return {
        "cores": str(os.cpu_count()),
        "processor": _processor(),
        "system": f"{platform.system()} {platform.release()}",
        "Python": platform.python_version(),
        "SQLite": apsw.sqlite_lib_version(),
        "MCP SDK": version("mcp"),
        "fsync": f"{sync_seconds(directory) * 1e6:.0f} µs",
        "load at the start": f"{os.getloadavg()[0]:.1f}",
    }


def sync_seconds(directory: Path) -> float:
    """What it takes to make one page durable: the median of a hundred."""
    times = []
    path = directory / "sync"
    with path.open("wb", buffering=0) as file:
        for _ in range(SYNCS):
            file.write(bytes(PAGE))
            began = time.perf_counter()
            os.fsync(file.fileno())
            times.append(time.perf_counter() - began)
    path.unlink()
    return median(times)


def resident_mb(process: int | str = "self", *, peak: bool = False) -> float:
    """Memory that a process holds, or the most it ever held. From /proc: Linux only."""
    wanted = "VmHWM:" if peak else "VmRSS:"
    for line in Path(f"/proc/{process}/status").read_text(encoding="utf-8").splitlines():
        if line.startswith(wanted):
            return int(line.split()[1]) / 1024
    raise LookupError(wanted)


def children(process: int) -> list[int]:
    """The processes that a process has started, and theirs."""
    own = Path(f"/proc/{process}/task")
    found = [int(child) for task in own.iterdir() for child in (task / "children").read_text(encoding="utf-8").split()]
    return [*found, *(deeper for child in found for deeper in children(child))]


def _processor() -> str:
    try:
        about = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return platform.machine()
    names = [line.partition(":")[2].strip() for line in about.splitlines() if line.startswith("model name")]
    return names[0] if names else platform.machine()


def cpu_seconds(pid: int) -> float:
    """CPU time that all threads of a process have had so far, to the nanosecond."""
    tasks = Path(f"/proc/{pid}/task").glob("*/schedstat")
    return sum(int(task.read_text(encoding="utf-8").split()[0]) for task in tasks) / 1e9


def wait_until_idle(pids: Iterable[int]) -> None:
    """Wait until what processes do behind their first answers is done: loading, compiling, writing down."""
    last = time.monotonic() + LONGEST_WAIT
    pids = list(pids)
    while time.monotonic() < last:
        spent = sum(map(cpu_seconds, pids))
        time.sleep(LOOK_SECONDS)
        if sum(map(cpu_seconds, pids)) - spent < IDLE_SHARE * LOOK_SECONDS * len(pids):
            return
