"""A process that has imported what boxes need and forks one for each that is asked for: so a box is there at once.

It runs nothing of anybody's. Each box is a child of a child: the one between the two lives in the machine's own list of
processes, and ends the box if the nursery ends.
"""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import sys
from collections.abc import Mapping
from typing import Any, Never

from thoughtbox.confinement import bubblewrap
from thoughtbox.confinement.bubblewrap import purpose_of
from thoughtbox.confinement.frames import packed
from thoughtbox.confinement.plan import Plan
from thoughtbox.confinement.system_calls import (
    CLONE_NEWCGROUP,
    CLONE_NEWIPC,
    CLONE_NEWNET,
    CLONE_NEWNS,
    CLONE_NEWPID,
    CLONE_NEWUSER,
    CLONE_NEWUTS,
    end_with_parent,
    unshare,
)
from thoughtbox.confinement.warden import open_box

_LONGEST = 1 << 20
_OWN = CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP


def main(kind: str, server: int) -> None:
    """Take requests on the standard input, a socket, until it is closed or the server has ended.

    Where the server has forked processes that are still there, they keep its sockets open: so it is watched itself.
    """
    watched = os.pidfd_open(server)
    if os.getppid() != server:
        return
    if kind == "python":
        from thoughtbox.confinement import kernel

        kernel.preload()
    requests = socket.socket(fileno=0)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for boxes here
    requests.send(b"ready")
    while watched not in select.select([requests, watched], [], [])[0]:
        data, descriptors, _, _ = socket.recv_fds(requests, _LONGEST, 1)
        if not data:
            return
        if not descriptors:
            continue
        if os.fork() == 0:
            requests.close()
            os.close(watched)
            _open(json.loads(data), socket.socket(fileno=descriptors[0]))
        os.close(descriptors[0])


def _open(request: Mapping[str, Any], channel: socket.socket) -> Never:
    """Leave the machine's namespaces, and have the first process of the box started."""
    try:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        end_with_parent(signal.SIGKILL)
        os.setsid()
        plan = Plan.of(request["plan"])
        channel.sendall(packed({"outer": os.getpid()}))
        if plan.bubblewrap is None:
            _leave(plan)
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
        first = os.fork()
        if first == 0:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
            _be_first(request, plan, channel)
        signal.signal(signal.SIGTERM, lambda *_: os.kill(first, signal.SIGKILL))
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
        # The wire stays open here until all processes of the box have ended: so the server knows.
        os.waitpid(first, 0)
    except BaseException as error:
        _tell(channel, error)
    os._exit(0)


def _be_first(request: Mapping[str, Any], plan: Plan, channel: socket.socket) -> Never:
    if plan.bubblewrap is not None:
        bubblewrap.enter(request, plan, channel)
    open_box(channel, plan, purpose_of(request))


def _leave(plan: Plan) -> None:
    own = _OWN | (0 if plan.has_network else CLONE_NEWNET)
    if plan.user is not None:
        unshare(own)
        return
    user, group = os.geteuid(), os.getegid()
    unshare(own | CLONE_NEWUSER)
    # One user of the machine is one in the box; `entering` maps it once more, and takes all rights away.
    for name, text in (("setgroups", "deny"), ("uid_map", f"1000 {user} 1"), ("gid_map", f"1000 {group} 1")):
        with open(f"/proc/self/{name}", "w", encoding="ascii") as file:
            file.write(text)


def _tell(channel: socket.socket, error: BaseException) -> None:
    try:
        channel.sendall(packed({"failed": f"{type(error).__name__}: {error}"}))
    except OSError:
        sys.exit(1)
