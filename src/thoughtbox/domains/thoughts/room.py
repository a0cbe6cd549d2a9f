"""The room itself: its views, and who looks at a call before it runs."""

from __future__ import annotations

from thoughtbox.domains.thoughts import topics
from thoughtbox.domains.thoughts.knowledge.view import NOTE, PATTERN, Knowledge
from thoughtbox.domains.thoughts.sessions import CHANGED, STARTED
from thoughtbox.domains.thoughts.stages import guard
from thoughtbox.domains.thoughts.thoughts import TOPIC
from thoughtbox.domains.thoughts.view import Thoughts
from thoughtbox.operations.registry import Room
from thoughtbox.search.registry import of_data, searchable

room = Room(
    "thoughts",
    summary="Sessions of thought: branches, revisions, a cipher, mental models, knowledge.",
    views=[Thoughts, Knowledge],
    guard=guard,
)

topics.declare(room)

searchable(TOPIC)
searchable(STARTED, of_data("title", "description", "tags"))
searchable(CHANGED, of_data("title", "description", "tags"))
searchable(PATTERN, lambda record: f"{of_data('title', 'description', 'tags')(record)}\n{record.text}")
searchable(NOTE, lambda record: f"{of_data('title')(record)}\n{record.text}")
