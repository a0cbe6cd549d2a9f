"""The way in: importing this enters the room's operations into the table, in the order in which they are listed."""

from __future__ import annotations

from importlib import import_module

PARTS = ("authoring", "reading", "variables", "search", "execute")

for part in PARTS:
    import_module(f"thoughtbox.domains.code.{part}")
