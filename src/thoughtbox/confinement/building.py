"""The inside of a box, put together from mounts. Runs as the first process of the box, before anything else does."""

from __future__ import annotations

import errno
import fcntl
import os
import socket
import stat
import struct
from typing import Final

from thoughtbox.confinement.plan import FILES, RUN, Plan
from thoughtbox.confinement.system_calls import (
    MS_BIND,
    MS_NODEV,
    MS_NOEXEC,
    MS_NOSUID,
    MS_PRIVATE,
    MS_RDONLY,
    MS_REC,
    MS_REMOUNT,
    mount,
    mount_tree,
    open_tree,
    pivot_root,
    set_attributes,
    unmount,
)

_STAGE: Final = "/tmp"
_DEVICES: Final = ("null", "zero", "full", "random", "urandom", "tty")
_SHARED_MEMORY: Final = "size=64m,nr_inodes=4k,mode=1777"
_SOCKETS: Final = "size=1m,nr_inodes=256,mode=1777"
_OWN_TREE: Final = "size=1m,nr_inodes=4k,mode=755"
NOT_TAKEN_OVER: Final = frozenset({"proc", "sys", "dev", "tmp", "run", "notebook", "cell", "lost+found"})
"""What a box that sees all files has of its own, or not at all. In `run` are the sockets of those who do things for
users: whoever may speak to them does not need files."""
_RESOLVER: Final = "/etc/resolv.conf"
_SILENT: Final = ("kcore", "keys", "kmsg", "sysrq-trigger", "timer_list")
_FIXED: Final = ("sys", "irq", "bus", "fs")
"""Of what the kernel shows: what is not seen, and what is not written to, whatever its own rights say."""
_USERS: Final = {
    "passwd": f"cell:x:1000:1000:cell:{FILES}:/bin/sh\n",
    "group": "cell:x:1000:\n",
    "hostname": "notebook\n",
    "nsswitch.conf": "passwd: files\ngroup: files\nhosts: files dns\n",
}
_HOSTS: Final = "127.0.0.1 localhost notebook\n::1 localhost\n"


def build(plan: Plan) -> None:
    """Make the box and step into it: from here on, nothing else of the machine is in sight."""
    mount("none", "/", flags=MS_REC | MS_PRIVATE)
    mount("tmpfs", _STAGE, "tmpfs", MS_NOSUID | MS_NODEV, _OWN_TREE)
    for name in ("new", "old"):
        os.mkdir(f"{_STAGE}/{name}", 0o755)
    pivot_root(_STAGE, f"{_STAGE}/old")
    os.chdir("/")
    mount("tmpfs", "/new", "tmpfs", MS_NOSUID | MS_NODEV, _OWN_TREE)
    if plan.sees_all:
        _take_over_all()
    for bind in plan.binds:
        _bind(f"/old{bind.source}", f"/new{bind.target}", is_writable=bind.is_writable)
    for path in plan.hidden:
        if os.path.isdir(f"/new{path}"):
            mount("tmpfs", f"/new{path}", "tmpfs", MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC, _OWN_TREE)
    for link, target in plan.links.items():
        if not os.path.lexists(f"/new{link}"):
            os.makedirs(os.path.dirname(f"/new{link}"), 0o755, exist_ok=True)
            os.symlink(target, f"/new{link}")
    _add_devices()
    _add_processes()
    os.makedirs(f"/new{RUN}", 0o755, exist_ok=True)
    mount("tmpfs", f"/new{RUN}", "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, _SOCKETS)
    if not plan.sees_all:
        _write_own_files(has_network=plan.has_network)
    unmount("/old")
    os.chdir("/new")
    pivot_root(".", ".")
    unmount(".")
    os.chdir("/")
    mount("none", "/", flags=MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NODEV)


def bring_up_loopback() -> None:
    """Let programs of the box speak to each other over 127.0.0.1; there is no other network in it."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        request = struct.pack("16sh14x", b"lo", 0x49)  # up, loopback, running
        fcntl.ioctl(sock, 0x8914, request)


def _take_over_all() -> None:
    for name in os.listdir("/old"):
        if name in NOT_TAKEN_OVER:
            continue
        source, target = f"/old/{name}", f"/new/{name}"
        if os.path.islink(source):
            os.symlink(os.readlink(source), target)
        elif os.path.isdir(source):
            _bind(source, target, is_writable=False)
    _take_over_resolver()


def _take_over_resolver() -> None:
    if (path := resolver("/old")) is not None:
        _bind(f"/old{path}", f"/new{path}", is_writable=False)


def resolver(root: str) -> str | None:
    """Where names are looked up is said in a file that often stands among the sockets: its path, if it does."""
    if not os.path.islink(f"{root}{_RESOLVER}"):
        return None
    path = os.path.normpath(os.path.join("/etc", os.readlink(f"{root}{_RESOLVER}")))
    return path if path.startswith("/run/") and os.path.isfile(f"{root}{path}") else None


def _bind(source: str, target: str, *, is_writable: bool) -> None:
    """Have a file or folder in the box. What a box could have put a link in the place of is not followed."""
    tree = open_tree(source)
    try:
        kind = os.fstat(tree).st_mode
        if stat.S_ISDIR(kind):
            os.makedirs(target, 0o755, exist_ok=True)
        elif not stat.S_ISREG(kind):
            raise OSError(errno.ELOOP, f"neither a file nor a folder: {target.removeprefix('/new')}")
        elif not os.path.lexists(target):
            os.makedirs(os.path.dirname(target), 0o755, exist_ok=True)
            with open(target, "xb"):
                pass
        set_attributes(tree, is_read_only=not is_writable)
        mount_tree(tree, target)
    finally:
        os.close(tree)


def _add_devices() -> None:
    os.makedirs("/new/dev", 0o755, exist_ok=True)
    mount("tmpfs", "/new/dev", "tmpfs", MS_NOSUID | MS_NOEXEC, _OWN_TREE)
    for name in _DEVICES:
        if os.path.exists(f"/old/dev/{name}"):
            with open(f"/new/dev/{name}", "xb"):
                pass
            mount(f"/old/dev/{name}", f"/new/dev/{name}", flags=MS_BIND)
    for name, target in (("fd", "fd"), ("stdin", "fd/0"), ("stdout", "fd/1"), ("stderr", "fd/2")):
        os.symlink(f"/proc/self/{target}", f"/new/dev/{name}")
    os.mkdir("/new/dev/shm", 0o777)
    mount("none", "/new/dev", flags=MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NOEXEC)
    mount("tmpfs", "/new/dev/shm", "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, _SHARED_MEMORY)


def _add_processes() -> None:
    os.makedirs("/new/proc", 0o555, exist_ok=True)
    mount("proc", "/new/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC)
    for name in _SILENT:
        if os.path.exists(f"/new/proc/{name}"):
            mount("/new/dev/null", f"/new/proc/{name}", flags=MS_BIND)
    for name in _FIXED:
        if os.path.isdir(path := f"/new/proc/{name}"):
            mount(path, path, flags=MS_BIND)
            mount("none", path, flags=MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC)


def _write_own_files(*, has_network: bool) -> None:
    os.makedirs("/new/etc", 0o755, exist_ok=True)
    for name, text in own_files(has_network=has_network).items():
        path = f"/new/etc/{name}"
        if not os.path.lexists(path):
            with open(path, "x", encoding="utf-8") as file:
                file.write(text)


def own_files(*, has_network: bool) -> dict[str, str]:
    """What programs look up in a system's folder, said of the box instead."""
    return _USERS if has_network else {**_USERS, "hosts": _HOSTS}
