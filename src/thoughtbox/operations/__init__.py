"""Operations: the only verbs. Each is declared once and appears on every door.

Imports search, ledger and engine, never a room or a door. What stands in `offered.py` is all that a room may use, and
is found here; for the rest, the way in is `registry.py` (how a verb is declared), `table.py` (where all are found) and
`dispatch.py` (the one way to run one). Nothing is imported before it is asked for: a start only looks things up.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from thoughtbox.operations.offered import *  # noqa: F403 - `offered.__all__` is the list


def __getattr__(name: str) -> Any:
    if name.startswith("_"):
        raise AttributeError(name)
    offered = import_module("thoughtbox.operations.offered")
    if name not in offered.__all__:
        raise AttributeError(f"operations offer no `{name}`")
    found = globals()[name] = getattr(offered, name)
    return found
