"""The boxes of this process: kernels that go on from cell to cell, and programs that end with theirs."""

from __future__ import annotations

import os
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple, Protocol

from thoughtbox.confinement import machine
from thoughtbox.confinement.box import Box
from thoughtbox.confinement.boxes import Boxes, Kind, Unavailable, kernel_packages
from thoughtbox.confinement.plan import Limits, Plan
from thoughtbox.confinement.removal import remove
from thoughtbox.domains.notebooks.cell import Language
from thoughtbox.domains.notebooks.running.folders import Folders
from thoughtbox.domains.notebooks.running.node import Node, best
from thoughtbox.domains.notebooks.running.queues import Line, Queues, Ticket
from thoughtbox.domains.notebooks.scope import LATEST
from thoughtbox.errors import IsolationUnavailable, RuntimeUnavailable, ThoughtboxError
from thoughtbox.operations import Lasting

MOST_KERNELS: Final = 16
"""That live at once; the one that was idle longest ends for the next."""
IDLE_SECONDS: Final = 3600.0

Key = tuple[str, str]
"""A workspace, and a notebook of it."""


class Live:
    """A kernel and the notebook that it belongs to."""

    def __init__(self, box: Box) -> None:
        self.box = box
        self.used = time.monotonic()


class Kernel(NamedTuple):
    """A kernel that a cell can be given to."""

    box: Box
    is_new: bool


class Kernels:
    """All that runs for notebooks in this process; nothing of it is left when the process ends."""

    def __init__(self) -> None:
        self.boxes = Boxes()
        self.queues = Queues()
        self._lock = threading.Lock()
        self._live: dict[Key, Live] = {}
        self._warmed: set[str] = set()
        self._is_closed = False
        self._temporary: tempfile.TemporaryDirectory[str] | None = None

    def folders(self, data_dir: Path | None) -> Folders:
        """Where files are kept: with the store, or where there is none, for as long as this process lasts."""
        with self._lock:
            if data_dir is None and self._temporary is None:
                self._temporary = tempfile.TemporaryDirectory(prefix="thoughtbox-", ignore_cleanup_errors=True)
            return Folders(Path(self._temporary.name) if data_dir is None and self._temporary else data_dir or Path())

    def warm(self, language: Language, node: str | None) -> None:
        """Begin what a first cell waits for, where it was not begun; nobody waits for it here."""
        kind = "python" if language == "python" else "program"
        with self._lock:
            if kind in self._warmed or self._is_closed:
                return
            self._warmed.add(kind)
        threading.Thread(target=self._warm, args=(kind, node), name="notebooks-warm", daemon=True).start()

    def _warm(self, kind: Kind, node: str | None) -> None:
        self.boxes.warm(kind)
        if kind == "program":
            best(node)

    def kernel(self, key: Key, plan: Plan) -> Kernel:
        """The notebook's kernel; a new one, if it has none. Nobody else may ask for the same meanwhile."""
        with self._lock:
            known = self._live.get(key)
        if known is not None and known.box.is_gone:
            self.end(key)
        with self._lock:
            known = self._live.get(key)
            if known is not None:
                known.used = time.monotonic()
                return Kernel(known.box, is_new=False)
            idle = self._idle()
        for each in idle:
            self.end(each)
        box = self.started(plan, None)
        with self._lock:
            self._live[key] = Live(box)
        return Kernel(box, is_new=True)

    def started(self, plan: Plan, program: Sequence[str] | None) -> Box:
        """A new box that is ready; says what to do where the machine has none."""
        if program is None and kernel_packages() is None:
            raise RuntimeUnavailable(
                "cells in Python need Jupyter's kernel, which is not installed",
                recovery=EXTRA,
            )
        try:
            return self.boxes.started(plan, list(program) if program is not None else None)
        except Unavailable as why:
            raise refusal(str(why), is_kernel=program is None) from why

    def end(self, key: Key) -> bool:
        """End a notebook's kernel, with all that it has started; whether there was one."""
        with self._lock:
            known = self._live.pop(key, None)
        if known is not None:
            known.box.end()
        return known is not None

    def close(self) -> None:
        self.queues.close()
        with self._lock:
            self._is_closed = True
            keys = list(self._live)
        for key in keys:
            self.end(key)
        self.boxes.close()
        if self._temporary is not None:
            remove(Path(self._temporary.name))
            self._temporary.cleanup()

    def _idle(self) -> list[Key]:
        """Kernels that make room: those that were not used for long, and the one that was used longest ago."""
        longest = time.monotonic() - IDLE_SECONDS
        by_age = sorted(self._live, key=lambda key: self._live[key].used)
        free = [key for key in by_age if not self.queues.is_waited_for(Line(*key))]
        old = [key for key in free if self._live[key].used < longest]
        return old or (free[:1] if len(self._live) >= MOST_KERNELS else [])


class _Named(Protocol):
    """A call that says which notebook it is about."""

    @property
    def notebook_id(self) -> str: ...


def in_line(lasting: Lasting, workspace: str, call: _Named) -> Ticket:
    """A place among what runs in a notebook, taken as soon as the call comes in; which is the latest is found later."""
    named = None if call.notebook_id == LATEST else call.notebook_id
    return lasting.of(Kernels).queues.reserve(Line(workspace, named))


def refusal(why: str, *, is_kernel: bool) -> ThoughtboxError:
    """Why there is no box, and what to do about it."""
    if is_kernel and why.startswith("died"):
        return RuntimeUnavailable(f"Jupyter's kernel does not start: {why}", recovery="`thoughtbox doctor` says more.")
    return IsolationUnavailable(
        f"this machine keeps nothing apart that cells run in ({why}), so that none is run",
        recovery=WAY_OUT,
        details={"package": PACKAGE},
    )


EXTRA: Final = "Install Thoughtbox with its `notebooks` extra: pip install 'thoughtbox[notebooks]'."
PACKAGE: Final = "bubblewrap"
WAY_OUT: Final = (
    "On Linux, let users make namespaces: install the package `bubblewrap` (apt-get install bubblewrap), or set"
    " kernel.apparmor_restrict_unprivileged_userns=0 and user.max_user_namespaces; a container needs --privileged."
    " Elsewhere, run the server in a Linux machine or container. `thoughtbox doctor` says what there is."
)


def limits_of(settings: Mapping[str, Any]) -> Limits:
    return Limits(
        wall_seconds=settings["notebook_wall_seconds"],
        cpu_seconds=settings["notebook_cpu_seconds"],
        memory_mb=settings["notebook_memory_mb"],
        file_mb=settings["notebook_file_mb"],
        processes=settings["notebook_processes"],
        output_kb=settings["notebook_output_kb"],
    )


def plan_of(
    folder: Path,
    settings: Mapping[str, Any],
    *,
    node: Node | None,
    trusted: bool,
    data_dir: Path | None,
    installs: bool = False,
) -> Plan:
    """The box of a notebook's cells, or of what installs packages for them."""
    wanted = settings.get("notebook_environment", ())
    try:
        return machine.plan(
            folder,
            limits=limits_of(settings),
            node=node.path if node is not None else None,
            environment={name: os.environ[name] for name in wanted if name in os.environ},
            hidden=[data_dir] if data_dir is not None else [],
            may_install=installs,
            has_network=trusted or installs,
            sees_all=trusted,
        )
    except OSError as error:
        raise refusal(str(error), is_kernel=False) from error
