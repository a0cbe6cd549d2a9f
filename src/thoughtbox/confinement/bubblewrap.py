"""The same box, made by bubblewrap: for a server that may not make namespaces, on a machine where that program may.

It sees what a plan says and has no rights at all. What runs in it is one user with the process that watches over it,
which nobody can look into, send signals to or outlive.
"""

from __future__ import annotations

import json
import os
import socket
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, Never

from thoughtbox.confinement.building import NOT_TAKEN_OVER, own_files, resolver
from thoughtbox.confinement.plan import MEGABYTE, RUN, Bind, Plan
from thoughtbox.confinement.warden import Purpose, exec_program, open_given_box, watch_program

OWN: Final = "/cell/own"
"""Where this package is in such a box: its first process is a new program."""
_PYTHON: Final = getattr(sys, "_base_executable", sys.executable)
_START: Final = """
import sys
sys.path[1:1] = sys.argv[3:]
from thoughtbox.confinement import bubblewrap
bubblewrap.be_first(int(sys.argv[1]), int(sys.argv[2]))
"""
_UNSHARED: Final = ("user", "pid", "ipc", "uts", "cgroup-try")

Kept = Callable[[int], str]
"""Has a descriptor stay open in the program that comes next; its number."""


def purpose_of(request: Mapping[str, Any]) -> Purpose:
    if request["program"] is not None:
        return Purpose(exec_program(request["program"]), watch_program)
    from thoughtbox.confinement import kernel

    return Purpose(kernel.inside(request["key"].encode()), kernel.watch)


def enter(request: Mapping[str, Any], plan: Plan, channel: socket.socket) -> Never:
    """Become bubblewrap, which starts the box's first process."""
    assert plan.bubblewrap is not None
    asked = _text_in_memory(json.dumps(request))
    packages = [path for path in sys.path if path.endswith("-packages")]
    first = [_PYTHON, "-s", "-S", "-P", "-B", "-c", _START, _kept(asked), _kept(channel.fileno()), OWN, *packages]
    os.execv(plan.bubblewrap, [plan.bubblewrap, *arguments(plan, _kept), "--", *first])


def be_first(asked: int, channel: int) -> Never:
    """The first process of the box, from its start on."""
    with os.fdopen(asked, "rb") as file:
        request = json.load(file)
    wire = socket.socket(fileno=channel)
    plan = Plan.of(request["plan"])
    open_given_box(wire, plan, purpose_of(request))


def arguments(plan: Plan, kept: Kept) -> list[str]:
    """What bubblewrap is told so that a box is as it is planned."""
    return [
        *(f"--unshare-{name}" for name in _UNSHARED),
        *(() if plan.has_network else ("--unshare-net",)),
        *("--uid", "1000", "--gid", "1000", "--hostname", "notebook"),
        *("--die-with-parent", "--new-session", "--as-pid-1", "--cap-drop", "ALL", "--clearenv"),
        *("--setenv", "PYTHONHASHSEED", "0", "--setenv", "LANG", "C.UTF-8"),
        *_mounts(plan, kept),
        *("--proc", "/proc", "--dev", "/dev", "--remount-ro", "/dev"),
        *("--perms", "1777", "--size", str(64 * MEGABYTE), "--tmpfs", "/dev/shm"),
        *("--perms", "1777", "--size", str(MEGABYTE), "--tmpfs", RUN),
        *("--remount-ro", "/", "--chdir", "/"),
    ]


def _mounts(plan: Plan, kept: Kept) -> Iterator[str]:
    for bind in (*(_all_files() if plan.sees_all else ()), *plan.binds, _own_code()):
        # By descriptor, and not by path: what a box could have put a link in the place of is not followed.
        found = os.open(bind.source, os.O_PATH | os.O_NOFOLLOW)
        yield from ("--bind-fd" if bind.is_writable else "--ro-bind-fd", kept(found), bind.target)
    for path in (path for path in plan.hidden if not plan.sees_all or _is_taken_over(path)):
        yield from ("--tmpfs", path, "--remount-ro", path)
    for link, target in plan.links.items():
        yield from ("--symlink", target, link)
    if plan.sees_all:
        yield from _all_links()
        return
    given = {bind.target for bind in plan.binds}
    for name, text in own_files(has_network=plan.has_network).items():
        if f"/etc/{name}" not in given:
            yield from ("--ro-bind-data", kept(_text_in_memory(text)), f"/etc/{name}")


def _all_files() -> Iterator[Bind]:
    for name in sorted(os.listdir("/")):
        if name not in NOT_TAKEN_OVER and os.path.isdir(f"/{name}") and not os.path.islink(f"/{name}"):
            yield Bind(f"/{name}", f"/{name}")
    if (path := resolver("")) is not None:
        yield Bind(path, path)


def _is_taken_over(path: str) -> bool:
    return path.split("/")[1] not in NOT_TAKEN_OVER and os.path.isdir(path)


def _all_links() -> Iterator[str]:
    for name in sorted(os.listdir("/")):
        if os.path.islink(f"/{name}"):
            yield from ("--symlink", os.readlink(f"/{name}"), f"/{name}")


def _own_code() -> Bind:
    folder = os.path.dirname(os.path.abspath(__file__))
    return Bind(os.path.realpath(folder), f"{OWN}/thoughtbox/confinement")


def _text_in_memory(text: str) -> int:
    descriptor = os.memfd_create("thoughtbox")
    os.write(descriptor, text.encode())
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor


def _kept(descriptor: int) -> str:
    os.set_inheritable(descriptor, True)
    return str(descriptor)
