"""The verbs of this room, by sub-room."""

from __future__ import annotations

from importlib import import_module

from thoughtbox.domains.memory.room import room as room

SUB_ROOMS: tuple[str, ...] = (
    "cycle",
    "governance",
    "knowledge",
    "episodes",
    "legacy",
    "workflow",
    "config",
    "automation",
    "compaction",
)

for name in SUB_ROOMS:
    import_module(f"thoughtbox.domains.memory.{name}.operations")
