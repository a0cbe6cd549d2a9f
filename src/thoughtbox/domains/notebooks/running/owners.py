"""Which process a run belongs to, and whether it is still there."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path
from typing import Final

LEASES: Final = "notebook-run"
"""Whose leases those of runs are: they are renewed for as long as a process is at one."""


def lease_of(run_seq: int) -> str:
    """What the lease on a run is called."""
    return f"{LEASES}/{run_seq}"


@cache
def _here() -> str:
    """This machine since it was started, and its list of processes: inside a container there is another one."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        return f"{boot}/{Path('/proc/self/ns/pid').readlink()}"
    except OSError:
        return "elsewhere"


def this_process() -> str:
    """A name for this process that no other has, before or after."""
    return f"{_here()}/{os.getpid()}/{_started(os.getpid())}"


def is_here(owner: str) -> bool:
    """Whether that process would be found from here, if it is still there."""
    return owner.startswith(f"{_here()}/")


def is_alive(owner: str) -> bool:
    """Whether a process that would be found from here is still there, and the same."""
    process, _, started = owner.removeprefix(f"{_here()}/").partition("/")
    return process.isdigit() and _started(int(process)) == started


def _started(process: int) -> str:
    """When a process was started, as the system counts it; empty when it is gone."""
    try:
        status = Path(f"/proc/{process}/stat").read_bytes()
    except OSError:
        return ""
    fields = status.rpartition(b")")[2].split()
    return "" if fields[0] in (b"Z", b"X") else fields[19].decode()
