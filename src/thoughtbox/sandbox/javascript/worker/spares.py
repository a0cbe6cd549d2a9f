"""Instances that are ready before they are needed, so that no snippet waits for one.

Each is used once. What stands in one before its snippet begins (the prelude, `tb` or a whole catalog) is the same for a
long time: it is made once, and copied into the next instances.
"""

from __future__ import annotations

from typing import NamedTuple

from thoughtbox.sandbox.javascript.worker.guest import Guest, Image
from thoughtbox.sandbox.javascript.worker.machine import Machine

MOST_KEPT = 2
"""Kinds of snippets: those that search a catalog, and those that have `tb`."""


class Beginning(NamedTuple):
    """What an instance is made for."""

    settings: bytes
    catalog: bytes | None


class Spares:
    def __init__(self, machine: Machine, prelude: bytes) -> None:
        self._machine = machine
        self._prelude = prelude
        self._images: dict[Beginning, Image] = {}
        self._spares: dict[Beginning, Guest] = {}

    def refill(self) -> None:
        for beginning, image in self._images.items():
            if beginning not in self._spares:
                self._spares[beginning] = Guest(self._machine, image)

    def take(self, beginning: Beginning) -> Guest:
        """An instance in which a snippet can begin at once."""
        if (spare := self._spares.pop(beginning, None)) is not None:
            return spare
        if beginning not in self._images:
            self._learn(beginning)
        return Guest(self._machine, self._images[beginning])

    def _learn(self, beginning: Beginning) -> None:
        if len(self._images) >= MOST_KEPT:
            forgotten = next(iter(self._images))
            del self._images[forgotten]
            if (spare := self._spares.pop(forgotten, None)) is not None:
                spare.close()
        guest = Guest(self._machine, self._prelude)
        guest.begin(*beginning)
        self._images[beginning] = guest.image()
        guest.close()
