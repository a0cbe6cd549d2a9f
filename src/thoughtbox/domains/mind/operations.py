"""The verbs of this room, by sub-room."""

from __future__ import annotations

from importlib import import_module

SUB_ROOMS = ("workspace", "documents", "graph", "cards", "tasks", "trace", "transcripts", "search")

for name in SUB_ROOMS:
    import_module(f"thoughtbox.domains.mind.{name}.operations")
