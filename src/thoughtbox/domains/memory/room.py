"""The room itself: its views, its records, and what it says of itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from thoughtbox.domains.memory.episodes import records as episode_records
from thoughtbox.domains.memory.knowledge import records as knowledge_records
from thoughtbox.domains.memory.legacy import records as legacy_records
from thoughtbox.domains.memory.view.episodes import Episodes
from thoughtbox.domains.memory.view.experiences import Experiences
from thoughtbox.domains.memory.view.imports import Imports
from thoughtbox.domains.memory.view.reasoning import Reasoning
from thoughtbox.domains.memory.view.semantic import Semantic
from thoughtbox.errors import ValidationFailed
from thoughtbox.operations import Room

TOOLS = ("memory",)
"""The toolset of the specification's 36 tools."""
BESIDE = ("memory-more",)
"""What goes beyond them."""

STREAMS = "memory"
"""What the names of this room's streams begin with."""


def echo(operation: str, answer: Mapping[str, Any]) -> str:
    """What was written, for whoever watches: `record_experience 17`."""
    named = (answer.get(name) for name in ("experience_id", "new_id", "session_id", "id", "token_id"))
    return " ".join([operation, *(str(name) for name in named if isinstance(name, int | str))][:2])


room = Room(
    "memory",
    summary="Experiences, episodes and cells, a guarded cycle with receipts, workflow gates: what worked, and proof.",
    views=[Experiences, Imports, Episodes, Semantic, Reasoning],
    invalid=ValidationFailed,
    echo=echo,
    gateway=(
        "memory: for what worked and what did not: record_experience, search_experiences {query};"
        " compliance_snapshot begins a guarded cycle."
    ),
)

knowledge_records.declare(room)
episode_records.declare(room)
legacy_records.declare(room)
