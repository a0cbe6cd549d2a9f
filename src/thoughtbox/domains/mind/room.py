"""The room itself: its views, its records, and what it says of itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from thoughtbox.domains.mind import refs, topics
from thoughtbox.domains.mind.anchors import records as anchor_records
from thoughtbox.domains.mind.envelope import ENVELOPE
from thoughtbox.domains.mind.graph import topics as merge_topics
from thoughtbox.domains.mind.jobs import records as job_records
from thoughtbox.domains.mind.tasks import topics as task_topics
from thoughtbox.domains.mind.toolsets import IN_CORE, IN_DAILY, IN_FULL
from thoughtbox.domains.mind.view.anchors import Anchors
from thoughtbox.domains.mind.view.cards import Cards
from thoughtbox.domains.mind.view.documents import Documents
from thoughtbox.domains.mind.view.graph import Graph
from thoughtbox.domains.mind.view.jobs import Jobs
from thoughtbox.domains.mind.view.merges import Merges
from thoughtbox.domains.mind.view.refs import Refs
from thoughtbox.domains.mind.view.tasks import Tasks
from thoughtbox.errors import InvalidInput
from thoughtbox.operations import Room

__all__ = ["IN_CORE", "IN_DAILY", "IN_FULL", "room"]


def echo(operation: str, answer: Mapping[str, Any]) -> str:
    """What was written, for whoever watches: `think_card CARD-17`."""
    result = answer.get("result", {})
    named = (result.get(name) for name in ("card_id", "id", "branch", "current"))
    return " ".join([operation, *(name for name in named if isinstance(name, str))][:2])


room = Room(
    "mind",
    summary="Documents, branches, a typed graph, cards, tasks and anchors: what is known, resumed by meaning.",
    views=[Documents, Graph, Cards, Merges, Refs, Tasks, Anchors, Jobs],
    invalid=InvalidInput,
    envelope=ENVELOPE,
    echo=echo,
    gateway="mind: think_card {card}, context_pack, open {id}, tasks_create, help",
)

topics.declare(room)
task_topics.declare(room)
merge_topics.declare(room)
refs.declare(room)
anchor_records.declare(room)
job_records.declare(room)
