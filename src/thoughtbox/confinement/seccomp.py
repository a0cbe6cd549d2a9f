"""Which calls to the kernel are refused in a box: those that lead out of it, and those whose use cannot be limited.

The filter is a program for the kernel's own small machine, made here and looked at in the tests. Everything that is not
refused by name passes: what a program may reach with it is decided by namespaces, the user and the limits.
"""

from __future__ import annotations

import errno
import os
import struct
from collections.abc import Iterable, Sequence
from typing import Final

_LOAD, _JUMP_IF_EQUAL, _JUMP_IF_AT_LEAST, _JUMP_IF_ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16
"""Where they stand in what the filter is given; of an argument the lower half, as both machines have it."""
ALLOW: Final = 0x7FFF0000
KILL: Final = 0x80000000
_REFUSE: Final = 0x00050000
REFUSE: Final = _REFUSE | errno.EPERM
ABSENT: Final = _REFUSE | errno.ENOSYS
"""Said not to be there, so that programs do without."""
NO_SUCH_FAMILY: Final = _REFUSE | errno.EAFNOSUPPORT

NEW_NAMESPACES: Final = 0x7E020000
"""Every flag of `clone` that makes a namespace."""
FAMILIES: Final = (1, 2, 10, 16)
"""Sockets of the machine itself, of IPv4, IPv6 and netlink: all of them belong to the box's own network. Others, such
as those of virtual machines, do not."""
SET_DUMPABLE: Final = 4
"""With it a process would hide what it holds from the one that watches."""
WARDEN: Final = 1
OTHER_INTERFACE: Final = 0x40000000
"""Numbers from here on belong to the x32 interface, which would go around the names below."""

ARCHITECTURES: Final = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_MACHINES: Final = tuple(ARCHITECTURES)

CALLS: Final[dict[str, tuple[int | None, int | None]]] = {
    # Looking into other processes.
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "kcmp": (312, 272),
    "pidfd_getfd": (438, 438),
    "process_madvise": (440, 440),
    "perf_event_open": (298, 241),
    # What can be seen, and from where.
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "unshare": (272, 97),
    "setns": (308, 268),
    "move_mount": (429, 429),
    "open_tree": (428, 428),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "open_tree_attr": (467, 467),
    "open_by_handle_at": (304, 265),
    "name_to_handle_at": (303, 264),
    "fanotify_init": (300, 262),
    # Programs and keys in the kernel.
    "bpf": (321, 280),
    "userfaultfd": (323, 282),
    "keyctl": (250, 219),
    "add_key": (248, 217),
    "request_key": (249, 218),
    # Memory that belongs to no process.
    "shmget": (29, 194),
    "shmat": (30, 196),
    "shmctl": (31, 195),
    "semget": (64, 190),
    "msgget": (68, 186),
    # The machine itself.
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "reboot": (169, 142),
    "acct": (163, 89),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "settimeofday": (164, 170),
    "clock_settime": (227, 112),
    "adjtimex": (159, 171),
    "clock_adjtime": (305, 266),
    "quotactl": (179, 60),
    "quotactl_fd": (443, 443),
    "syslog": (103, 116),
    "sethostname": (170, 161),
    "setdomainname": (171, 162),
    "vhangup": (153, 58),
    "iopl": (172, None),
    "ioperm": (173, None),
    "modify_ldt": (154, None),
    "uselib": (134, None),
}
"""Refused on both machines; None where one has no such call."""
MISSING: Final[dict[str, tuple[int | None, int | None]]] = {
    "clone3": (435, 435),
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
}
LOOKED_INTO: Final[dict[str, tuple[int, int]]] = {
    "clone": (56, 220),
    "prlimit64": (302, 261),
    "prctl": (157, 167),
    "socket": (41, 198),
    "socketpair": (53, 199),
    "sched_setparam": (142, 118),
    "sched_setscheduler": (144, 119),
    "sched_setattr": (314, 274),
    "sched_setaffinity": (203, 122),
    "setpriority": (141, 140),
    "ioprio_set": (251, 30),
}
"""Refused by what they are given."""


def program(machine: str) -> bytes:
    """The filter for a kind of machine, as the kernel takes it."""
    place = _MACHINES.index(machine)
    number = {name: numbers[place] for name, numbers in LOOKED_INTO.items()}
    steps = [
        _step(_LOAD, _ARCHITECTURE),
        *_unless_equal(ARCHITECTURES[machine], KILL),
        _step(_LOAD, _NUMBER),
        *_if(_JUMP_IF_AT_LEAST, OTHER_INTERFACE, ABSENT),
        *(step for call in _numbers(CALLS, place) for step in _if(_JUMP_IF_EQUAL, call, REFUSE)),
        *(step for call in _numbers(MISSING, place) for step in _if(_JUMP_IF_EQUAL, call, ABSENT)),
        *_looked_into(number["clone"], _argument(0), _if(_JUMP_IF_ANY_BIT, NEW_NAMESPACES, REFUSE)),
        # Limits of its own process may be lowered; those of another, such as the one that watches, may not be touched.
        *_looked_into(number["prlimit64"], _argument(0), _unless_equal(0, REFUSE)),
        *_looked_into(number["prctl"], _argument(0), _if(_JUMP_IF_EQUAL, SET_DUMPABLE, REFUSE)),
        *_looked_into(number["socket"], _argument(0), _unless_among(FAMILIES, NO_SUCH_FAMILY)),
        *_looked_into(number["socketpair"], _argument(0), _unless_among(FAMILIES, NO_SUCH_FAMILY)),
    ]
    # Whoever watches over the box runs as its user: nobody may have it wait for its turn.
    for name in ("sched_setparam", "sched_setscheduler", "sched_setattr", "sched_setaffinity"):
        steps += _looked_into(number[name], _argument(0), _if(_JUMP_IF_EQUAL, WARDEN, REFUSE))
    for name, one_process in (("setpriority", 0), ("ioprio_set", 1)):
        of_all, of_it = _unless_equal(one_process, REFUSE), _if(_JUMP_IF_EQUAL, WARDEN, REFUSE)
        steps += _looked_into(number[name], _argument(0), [*of_all, _argument(1), *of_it])
    return b"".join([*steps, _step(_RETURN, ALLOW)])


def of_this_machine() -> bytes:
    """The filter for the machine that this runs on."""
    machine = os.uname().machine
    if machine not in ARCHITECTURES:
        raise OSError(errno.ENOSYS, f"nobody has said yet what has to be refused on {machine}")
    return program(machine)


def _numbers(calls: dict[str, tuple[int | None, int | None]], place: int) -> Iterable[int]:
    return (number for numbers in calls.values() if (number := numbers[place]) is not None)


def _argument(place: int) -> bytes:
    return _step(_LOAD, _ARGUMENTS + 8 * place)


def _looked_into(number: int, argument: bytes, checks: Sequence[bytes]) -> list[bytes]:
    """Checks of one call's arguments; others pass over them."""
    inner = [argument, *checks, _step(_RETURN, ALLOW)]
    return [_step(_JUMP_IF_EQUAL, number, 0, len(inner)), *inner]


def _if(test: int, value: int, result: int) -> list[bytes]:
    return [_step(test, value, 0, 1), _step(_RETURN, result)]


def _unless_equal(value: int, result: int) -> list[bytes]:
    return [_step(_JUMP_IF_EQUAL, value, 1, 0), _step(_RETURN, result)]


def _unless_among(values: Sequence[int], result: int) -> list[bytes]:
    known = [_step(_JUMP_IF_EQUAL, value, len(values) - place, 0) for place, value in enumerate(values)]
    return [*known, _step(_RETURN, result)]


def _step(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("=HBBI", code, if_true, if_false, value)
