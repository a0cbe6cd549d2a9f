"""Takes from this process what a snippet could use if it ever got out of the engine.

Called once everything is loaded. What cannot be had on a system is left out: the engine is the wall, this the fence
behind it.
"""

from __future__ import annotations

import os
import sys
from typing import Final

MEMORY_BYTES: Final = 192 * 1024 * 1024
"""What all of the process may write to: the engine, one snippet at its limit, and copies of what it says."""


def end_with(parent: int) -> None:
    """See that this process ends when the server does, whatever it is doing then."""
    if sys.platform != "linux":
        return
    import ctypes
    import signal

    set_death_signal, forbid_new_privileges = 1, 38
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(set_death_signal, signal.SIGKILL, 0, 0, 0)
    libc.prctl(forbid_new_privileges, 1, 0, 0, 0)
    if os.getppid() != parent:  # it has ended before it could be named
        os._exit(0)


def confine() -> None:
    """No more files, processes or threads; no core; a bound on memory."""
    if sys.platform == "win32":
        return
    import resource

    limits = {
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_FSIZE: 0,
        resource.RLIMIT_NOFILE: _first_free_descriptor(),
        resource.RLIMIT_NPROC: 0,
        resource.RLIMIT_DATA: MEMORY_BYTES,
    }
    for limit, most in limits.items():
        try:
            resource.setrlimit(limit, (most, most))
        except (ValueError, OSError):  # already lower, or unknown here
            continue


def _first_free_descriptor() -> int:
    """One above all that are open, so that none can be opened any more."""
    return next(number for number in range(1024, -1, -1) if _is_open(number - 1))


def _is_open(descriptor: int) -> bool:
    try:
        os.fstat(descriptor)
    except OSError:
        return descriptor < 0
    return True
