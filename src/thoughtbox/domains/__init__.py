"""Rooms: one folder per surface. Rooms do not import each other.

A room enters its operations into the table when it is imported; `load` imports them
all. Imports operations, search and ledger only.
"""

from importlib import import_module

ROOMS = ("thoughts", "mind", "memory", "trail", "ledger", "calls")
"""In the order in which they say what they are for."""


def load() -> None:
    """Have every room enter its operations into the table."""
    for room in ROOMS:
        import_module(f"{__name__}.{room}.operations")
