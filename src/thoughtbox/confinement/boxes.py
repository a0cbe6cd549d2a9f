"""Where boxes come from: a nursery for programs, and one for Python's kernels, each started when it is first needed."""

from __future__ import annotations

import threading
from contextlib import suppress

from thoughtbox.confinement.box import Box
from thoughtbox.confinement.isolation import isolation
from thoughtbox.confinement.nurseries import Kind, Nursery, Unavailable, kernel_packages, ready
from thoughtbox.confinement.plan import Plan

__all__ = ["Boxes", "Kind", "Unavailable", "kernel_packages", "ready"]


class Boxes:
    """The nurseries of this process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._nurseries: dict[Kind, Nursery] = {}
        self._is_closed = False
        self._bubblewrap: str | None = None

    def warm(self, kind: Kind) -> None:
        """Have a nursery, from now on; nobody waits for it."""
        with suppress(Unavailable):
            self._nursery(kind)

    def open(self, plan: Plan, program: list[str] | None = None) -> Box:
        """A box in which a program runs, or a Python kernel that is given cells; its first message is yet to come."""
        return self._nursery("python" if program is None else "program").open(plan, program)

    def started(self, plan: Plan, program: list[str] | None = None) -> Box:
        """A box that is ready: made by this server itself, or by bubblewrap where the machine lets only that."""
        if self._bubblewrap is None:
            try:
                return _ready(self.open(plan, program))
            except Unavailable:
                self._bubblewrap = isolation().bubblewrap
                if self._bubblewrap is None:
                    raise
        return _ready(self.open(plan._replace(bubblewrap=self._bubblewrap), program))

    def close(self) -> None:
        """End the nurseries, and with them all boxes."""
        with self._lock:
            self._is_closed = True
            nurseries, self._nurseries = list(self._nurseries.values()), {}
        for nursery in nurseries:
            nursery.close()

    def _nursery(self, kind: Kind) -> Nursery:
        with self._lock:
            if self._is_closed:
                raise Unavailable("the server ends")
            known = self._nurseries.get(kind)
            if known is None or not known.is_alive:
                known = self._nurseries[kind] = Nursery(kind)
            return known


def _ready(box: Box) -> Box:
    ready(box)
    return box
