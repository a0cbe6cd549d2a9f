"""The few calls to the kernel that Python has no function for. Linux only; nothing of it is imported elsewhere."""

from __future__ import annotations

import ctypes
import os
from typing import Final

CLONE_NEWNS: Final = 0x00020000
CLONE_NEWCGROUP: Final = 0x02000000
CLONE_NEWUTS: Final = 0x04000000
CLONE_NEWIPC: Final = 0x08000000
CLONE_NEWUSER: Final = 0x10000000
CLONE_NEWPID: Final = 0x20000000
CLONE_NEWNET: Final = 0x40000000

MS_RDONLY: Final = 1
MS_NOSUID: Final = 2
MS_NODEV: Final = 4
MS_NOEXEC: Final = 8
MS_REMOUNT: Final = 32
MS_BIND: Final = 4096
MS_REC: Final = 16384
MS_PRIVATE: Final = 1 << 18
MNT_DETACH: Final = 2

PR_SET_PDEATHSIG: Final = 1
PR_SET_SECCOMP: Final = 22
PR_CAPBSET_DROP: Final = 24
PR_SET_NO_NEW_PRIVS: Final = 38
PR_CAP_AMBIENT: Final = 47
PR_CAP_AMBIENT_RAISE: Final = 2
PR_CAP_AMBIENT_CLEAR_ALL: Final = 4

CAP_DAC_READ_SEARCH: Final = 2
CAP_SYS_PTRACE: Final = 19
_CAPABILITY_VERSION: Final = 0x20080522
_PIVOT_ROOT: Final = {"x86_64": 155, "aarch64": 41}
_OPEN_TREE, _MOVE_MOUNT, _MOUNT_SETATTR = 428, 429, 442
_AT_FDCWD, _AT_SYMLINK_NOFOLLOW, _AT_EMPTY_PATH, _AT_RECURSIVE = -100, 0x100, 0x1000, 0x8000
_OPEN_TREE_CLONE, _FROM_EMPTY_PATH = 1, 4

_libc = ctypes.CDLL(None, use_errno=True)


def _checked(result: int, what: str) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


def unshare(flags: int) -> None:
    """Leave namespaces that are shared with others."""
    _checked(_libc.unshare(ctypes.c_int(flags)), "unshare")


def mount(source: str, target: str, kind: str = "", flags: int = 0, options: str = "") -> None:
    given = (source.encode(), target.encode(), kind.encode() or None, ctypes.c_ulong(flags), options.encode() or None)
    _checked(_libc.mount(*given), f"mount {target}")


def unmount(target: str) -> None:
    """Take a mount out of sight; it goes once nobody uses it."""
    _checked(_libc.umount2(target.encode(), MNT_DETACH), f"unmount {target}")


def pivot_root(new: str, old: str) -> None:
    number = _PIVOT_ROOT[os.uname().machine]
    _checked(_libc.syscall(ctypes.c_long(number), new.encode(), old.encode()), "pivot_root")


class _Attributes(ctypes.Structure):
    _fields_ = tuple((name, ctypes.c_uint64) for name in ("set", "clear", "propagation", "namespace"))


def open_tree(source: str) -> int:
    """A file or folder with all that is mounted in it, to be mounted elsewhere. A link is not followed."""
    flags = _OPEN_TREE_CLONE | _AT_RECURSIVE | _AT_SYMLINK_NOFOLLOW | os.O_CLOEXEC
    found = _libc.syscall(ctypes.c_long(_OPEN_TREE), ctypes.c_int(_AT_FDCWD), source.encode(), ctypes.c_uint(flags))
    _checked(0 if found >= 0 else -1, f"open_tree {source}")
    return found


def set_attributes(tree: int, *, is_read_only: bool) -> None:
    """Let nothing in what was opened lend rights or be a device, and let it be read only."""
    wanted = _Attributes(MS_NOSUID | MS_NODEV | (MS_RDONLY if is_read_only else 0), 0, 0, 0)
    given = (ctypes.c_int(tree), b"", ctypes.c_uint(_AT_EMPTY_PATH | _AT_RECURSIVE))
    size = ctypes.c_size_t(ctypes.sizeof(wanted))
    _checked(_libc.syscall(ctypes.c_long(_MOUNT_SETATTR), *given, ctypes.byref(wanted), size), "mount_setattr")


def mount_tree(tree: int, target: str) -> None:
    given = (ctypes.c_int(tree), b"", ctypes.c_int(_AT_FDCWD), target.encode(), ctypes.c_uint(_FROM_EMPTY_PATH))
    _checked(_libc.syscall(ctypes.c_long(_MOVE_MOUNT), *given), f"mount {target}")


def prctl(option: int, *arguments: int) -> None:
    given = [*arguments, 0, 0, 0, 0][:4]
    _checked(_libc.prctl(ctypes.c_int(option), *map(ctypes.c_ulong, given)), f"prctl {option}")


def end_with_parent(signal: int) -> None:
    """Be sent this signal when the thread ends that started this process. A change of user has it forgotten."""
    prctl(PR_SET_PDEATHSIG, signal)


class _CapabilityHeader(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))


class _CapabilityData(ctypes.Structure):
    _fields_ = (("effective", ctypes.c_uint32), ("permitted", ctypes.c_uint32), ("inheritable", ctypes.c_uint32))


def set_capabilities(kept: int = 0) -> None:
    """Have these capabilities, a set of bits, and no others, also after the next program is loaded."""
    header = _CapabilityHeader(_CAPABILITY_VERSION, 0)
    data = (_CapabilityData * 2)(_CapabilityData(kept, kept, kept), _CapabilityData(0, 0, 0))
    _checked(_libc.capset(ctypes.byref(header), ctypes.byref(data)), "capset")


def forget_capabilities(kept: int = 0) -> None:
    """See to it that no program loaded later has any capability but these."""
    with open("/proc/sys/kernel/cap_last_cap", encoding="ascii") as file:
        last = int(file.read())
    for capability in range(last + 1):
        if not kept >> capability & 1:
            prctl(PR_CAPBSET_DROP, capability)


def seccomp(program: bytes) -> None:
    """Put all later calls of this process, and of those it starts, through a filter."""

    class _Program(ctypes.Structure):
        _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_void_p))

    buffer = ctypes.create_string_buffer(program, len(program))
    given = _Program(len(program) // 8, ctypes.addressof(buffer))
    mode_filter = 2
    _checked(
        _libc.prctl(ctypes.c_int(PR_SET_SECCOMP), ctypes.c_ulong(mode_filter), ctypes.byref(given), 0, 0), "seccomp"
    )
