"""The room itself: its views, its records, and what it says of itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from thoughtbox.domains.memory.automation import records as project_records
from thoughtbox.domains.memory.compaction import records as host_records
from thoughtbox.domains.memory.config import records as config_records
from thoughtbox.domains.memory.episodes import records as episode_records
from thoughtbox.domains.memory.governance import records as session_records
from thoughtbox.domains.memory.knowledge import records as knowledge_records
from thoughtbox.domains.memory.legacy import records as legacy_records
from thoughtbox.domains.memory.tokens import records as token_records
from thoughtbox.domains.memory.view.activity import ActivityLog
from thoughtbox.domains.memory.view.episodes import Episodes
from thoughtbox.domains.memory.view.experiences import Experiences
from thoughtbox.domains.memory.view.host_notes import HostNotes
from thoughtbox.domains.memory.view.imports import Imports
from thoughtbox.domains.memory.view.reasoning import Reasoning
from thoughtbox.domains.memory.view.semantic import Semantic
from thoughtbox.domains.memory.view.sessions import Sessions
from thoughtbox.domains.memory.view.tokens import Tokens
from thoughtbox.domains.memory.view.workflow import WorkflowSessions
from thoughtbox.domains.memory.workflow import records as workflow_records
from thoughtbox.errors import ValidationFailed
from thoughtbox.operations import TABLE, Room

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
    views=[
        Experiences,
        Imports,
        Episodes,
        Semantic,
        Reasoning,
        Sessions,
        Tokens,
        WorkflowSessions,
        HostNotes,
        ActivityLog,
    ],
    invalid=ValidationFailed,
    echo=echo,
    gateway="memory: search_experiences {query}, record_experience; compliance_snapshot: proof",
)

knowledge_records.declare(room)
episode_records.declare(room)
legacy_records.declare(room)
session_records.declare(room)
token_records.declare(room)
workflow_records.declare(room)
config_records.declare(room)
host_records.declare(room)
project_records.declare(room)

# Behind all that is declared: the log follows every topic of this room. A new one raises the log's generation.
ActivityLog.follows = frozenset(name for name, topic in TABLE.topics.items() if topic.streams == STREAMS)
