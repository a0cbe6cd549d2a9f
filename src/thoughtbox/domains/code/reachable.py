"""What a snippet can call: every operation but those that are hidden, lead to others, or run snippets themselves."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from thoughtbox.ledger.record import AUTHORED

if TYPE_CHECKING:
    from thoughtbox.operations import KnownOperation, Table

RUN_SNIPPETS = frozenset({"search", "execute"})
"""A snippet in a snippet would have limits of its own."""

BUILDERS_ROOM = "code"
"""The room whose operations of the authored kinds stand right below `tb`, as builders."""


def reachable(table: Table, names: Collection[str] | None = None) -> list[KnownOperation]:
    """In the order of the rooms; with `names`, only those named so, or below a room or family that is."""
    found = [each for each in table.known.values() if not each.hidden and each.gateway is None]
    found = [each for each in found if each.name not in RUN_SNIPPETS and not _is_builder(each)]
    return found if names is None else [each for each in found if _is_below(name_of(each), names)]


def _is_builder(operation: KnownOperation) -> bool:
    return operation.room == BUILDERS_ROOM and operation.name in AUTHORED


def name_of(operation: KnownOperation) -> str:
    """What it is called below `tb`: `thoughts.session.get`."""
    return f"{operation.room}.{operation.bare}"


def _is_below(name: str, names: Collection[str]) -> bool:
    parts = name.split(".")
    return any(".".join(parts[: end + 1]) in names for end in range(len(parts)))


class Place:
    """A room, or a family in one: what stands below it, by name."""

    def __init__(self, path: tuple[str, ...] = ()) -> None:
        self.path = path
        self.places: dict[str, Place] = {}
        self.operations: dict[str, KnownOperation] = {}


def places(operations: Collection[KnownOperation]) -> Place:
    """Everything as it stands below `tb`."""
    top = Place()
    for operation in operations:
        place = top
        *path, last = name_of(operation).split(".")
        for part in path:
            place = place.places.setdefault(part, Place((*place.path, part)))
        place.operations[last] = operation
    return top
