"""Rooms: one folder per surface. Rooms do not import each other.

A room enters its operations into the table when it is imported. `known` has the table know of all of them by its
catalog, and each module is imported when something of it is first used; `load` imports them all. Imports operations,
search and ledger only.
"""

from __future__ import annotations

from importlib import import_module
from threading import Lock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from thoughtbox.operations.table import Table

ROOMS = ("thoughts", "mind", "memory", "trail", "ledger", "calls", "code", "notebooks")
"""In the order in which they say what they are for."""

_LOCK = Lock()
_unkept: list[bytes] = []
"""What a catalog would be made from that nobody has made yet."""


def known(*, keep: bool = True) -> Table:
    """The table, which knows what every room declares.

    Without a catalog of these sources all rooms are imported, and it is made and kept for the next time. That takes
    a second: whoever is waited for does without (`keep=False`), and calls `keep_catalog` when there is time.
    """
    from thoughtbox.operations.table import TABLE

    with _LOCK:
        if TABLE.catalog is None and not _unkept:
            _learn(TABLE)
    if keep:
        keep_catalog()
    return TABLE


def load() -> None:
    """Have every room enter its operations into the table."""
    for room in ROOMS:
        import_module(f"{__name__}.{room}.operations")


def keep_catalog() -> None:
    """Make the catalog that was missed at the start, and keep it where it can be kept."""
    if not any(_unkept):
        return
    from thoughtbox.operations.catalog_file import can_be_kept, write
    from thoughtbox.operations.derived import catalog_of
    from thoughtbox.operations.table import TABLE

    with _LOCK:
        made_from, _unkept[:] = _unkept[0], [b""]
        if made_from and can_be_kept():
            write(catalog_of(TABLE), made_from)


def _learn(table: Table) -> None:
    from thoughtbox.operations.catalog_file import read, sources
    from thoughtbox.search.registry import know

    made_from = sources()
    found = read(made_from)
    if found is not None:
        table.adopt(found)
        know(found.searchable)
        return
    # What somebody else has declared here belongs into no catalog of these sources.
    _unkept.append(made_from if table.is_empty else b"")
    load()
