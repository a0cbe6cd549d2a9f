"""The verbs of this room, by sub-room."""

from __future__ import annotations

from importlib import import_module

SUB_ROOMS: tuple[str, ...] = (
    "knowledge",
    "legacy",
    "cycle",
    "governance",
    "episodes",
    "workflow",
    "config",
    "automation",
    "compaction",
)

for name in SUB_ROOMS:
    import_module(f"thoughtbox.domains.memory.{name}.operations")
