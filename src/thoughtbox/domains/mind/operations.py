"""The verbs of this room, by sub-room."""

from __future__ import annotations

from importlib import import_module

SUB_ROOMS = (
    "workspace",
    "documents",
    "trace",
    "transcripts",
    "search",
    "tasks",
    "branches",
    "vcs",
    "graph",
    "cards",
    "reads",
    "anchors",
    "jobs",
)

for name in SUB_ROOMS:
    import_module(f"thoughtbox.domains.mind.{name}.operations")
