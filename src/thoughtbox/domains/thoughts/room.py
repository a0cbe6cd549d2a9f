"""The room itself: its views, what it remembers of its callers, and what it says of itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from thoughtbox.domains.thoughts import topics
from thoughtbox.domains.thoughts.gateway_lines import gateway_lines
from thoughtbox.domains.thoughts.knowledge.view import NOTE, PATTERN, Knowledge
from thoughtbox.domains.thoughts.model.session import CHANGED, STARTED
from thoughtbox.domains.thoughts.model.thought import TOPIC
from thoughtbox.domains.thoughts.standing import Standing, first_standing
from thoughtbox.domains.thoughts.view.thoughts import Thoughts
from thoughtbox.ledger.record import Record
from thoughtbox.operations import Room
from thoughtbox.search.registry import Part, fields, of_data, searchable


def echo(operation: str, answer: Mapping[str, Any]) -> str:
    """What was written, for whoever watches: `thought th:17 3f2a… thought 4`."""
    named = [answer[name] for name in ("id", "sessionId") if isinstance(answer.get(name), str)]
    number = answer.get("thoughtNumber")
    return " ".join([operation, *named, *([f"thought {number}"] if isinstance(number, int) else [])])


NAMED = fields("title", "description", "tags")
"""What a session is called and tagged: found until it is called or tagged otherwise."""


def _entry(*names: str) -> Callable[[Record], list[Part]]:
    """What a pattern or note says, until it is written anew or deleted."""
    own = of_data(*names)

    def parts(record: Record) -> list[Part]:
        is_deleted = record.data.get("deleted")
        return [Part("" if is_deleted else f"{own(record)}\n{record.text}", f"{record.topic}/{record.data['id']}")]

    return parts


room = Room(
    "thoughts",
    summary="Sessions of thought: branches, revisions, a cipher, mental models, knowledge.",
    views=[Thoughts, Knowledge],
    remembers=Standing,
    first_focus=first_standing,
    gateway=gateway_lines,
    gateway_names=(
        *("get_state", "start_new", "load_context", "list_sessions", "navigate", "list_roots", "bind_root"),
        *("cipher", "session", "thought", "mental_models"),
    ),
    gateway_arguments={"thought": ("thought", "sessionId", "thoughtNumber", "nextThoughtNeeded", "branchId")},
    echo=echo,
)

topics.declare(room)

searchable(TOPIC)
searchable(STARTED, NAMED)
searchable(
    CHANGED,
    NAMED,
    withdraws=lambda record: record.data.get("change") == "deleted",
    restores=lambda record: record.data.get("change") == "undeleted",
)
searchable(PATTERN, _entry("title", "description", "tags"))
searchable(NOTE, _entry("title"))
