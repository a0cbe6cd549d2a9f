"""How a process becomes one of a box: another user, no rights, limits that hold, and a filter before the kernel."""

from __future__ import annotations

import os
import resource
import signal
from collections.abc import Callable
from typing import Final, NamedTuple

from thoughtbox.confinement import seccomp
from thoughtbox.confinement import system_calls as system
from thoughtbox.confinement.plan import FILES, MEGABYTE, Plan

INSIDE: Final = 1000
"""The user of a box, as its programs see it."""
_EVERYBODY: Final = 2**32 - 1
_READS_ALL: Final = 1 << system.CAP_DAC_READ_SEARCH
_LOOKS_INTO_ALL: Final = _READS_ALL | 1 << system.CAP_SYS_PTRACE
_OPEN_FILES: Final = 1024
_KEEP_CAPABILITIES: Final = 8


class Ways(NamedTuple):
    """How the two processes that a box begins with come to be who they are."""

    leave: Callable[[], None]
    """What the program's process does first."""
    admit: Callable[[int, Plan], None]
    """What the other does for it then."""
    become_user: Callable[[Plan], None]
    become_warden: Callable[[Plan], None]


def map_user(process: int, plan: Plan) -> None:
    """Say who a process that has just left its user namespace is: one user, who is nobody else outside."""
    outside = plan.user if plan.user is not None else INSIDE
    mapped = f"0 0 {_EVERYBODY}" if _is_everybody(plan) else f"{INSIDE} {outside} 1"
    for name, text in (("setgroups", "deny"), ("uid_map", mapped), ("gid_map", mapped)):
        with open(f"/proc/{process}/{name}", "w", encoding="ascii") as file:
            file.write(text)


def be_first_to_go(process: int) -> None:
    """Where the machine runs out of memory, let it be this process that ends, and not the server."""
    with open(f"/proc/{process}/oom_score_adj", "w", encoding="ascii") as file:
        file.write("1000")


def become_user(plan: Plan) -> None:
    """Be the user of the box, once `map_user` was called; there is no way back."""
    kept = _READS_ALL if _is_everybody(plan) else 0
    user = plan.user if _is_everybody(plan) and plan.user is not None else INSIDE
    system.forget_capabilities(kept)
    system.prctl(_KEEP_CAPABILITIES, 1)
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)
    system.set_capabilities(kept)
    if kept:
        system.prctl(system.PR_CAP_AMBIENT, system.PR_CAP_AMBIENT_RAISE, system.CAP_DAC_READ_SEARCH)
    # Changing users makes a process secret to itself in /proc; this one has no secrets.
    system.prctl(seccomp.SET_DUMPABLE, 1)
    _settle_in(plan)


def _settle_in(plan: Plan) -> None:
    _set_limits(plan)
    close_the_gate()
    os.umask(0o022)
    os.chdir(FILES)


def become_warden(plan: Plan) -> None:
    """Keep nothing but the right to look into the box's folders and processes; none of those can look into this one."""
    if plan.user is not None:
        system.prctl(_KEEP_CAPABILITIES, 1)
        os.setresgid(plan.user, plan.user, plan.user)
        os.setresuid(plan.user, plan.user, plan.user)
    system.set_capabilities(_LOOKS_INTO_ALL)
    _stand_apart(plan)


def _stand_apart(plan: Plan) -> None:
    """Let neither signals nor looks of the box's other processes get at this one."""
    # The first process of a box is spared by what others send it, but for what one of its threads has put off.
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP, signal.SIGCHLD}:
        signal.signal(number, signal.SIG_IGN)
    system.prctl(seccomp.SET_DUMPABLE, 0)
    close_the_gate()


def close_the_gate() -> None:
    system.prctl(system.PR_SET_NO_NEW_PRIVS, 1)
    system.seccomp(seccomp.of_this_machine())


def _is_everybody(plan: Plan) -> bool:
    """Whether the box's user may read what only others may: where the server may, and the box sees all."""
    return plan.sees_all and plan.user is not None


def _set_limits(plan: Plan) -> None:
    limits = plan.limits
    for which, most in (
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, limits.file_mb * MEGABYTE),
        (resource.RLIMIT_DATA, (limits.memory_mb + plan.set_aside_mb) * MEGABYTE),
        (resource.RLIMIT_NPROC, limits.processes),
        (resource.RLIMIT_NOFILE, _OPEN_FILES),
        (resource.RLIMIT_MSGQUEUE, 0),
    ):
        _, hard = resource.getrlimit(which)
        wanted = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(which, (wanted, wanted))


OWN_NAMESPACES: Final = Ways(lambda: system.unshare(system.CLONE_NEWUSER), map_user, become_user, become_warden)
"""In a box that was made here: two users, of which one may look into what the other has."""
GIVEN_NAMESPACES: Final = Ways(lambda: None, lambda process, plan: None, _settle_in, _stand_apart)
"""In a box that another program has made, without any rights: one user, who can unlock what it has locked."""
