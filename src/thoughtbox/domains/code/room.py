"""The room itself: its view, its records, what it remembers of its callers, and what it says of itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from thoughtbox.domains.code import ahead, records
from thoughtbox.domains.code.listing import number
from thoughtbox.domains.code.standing import Authoring
from thoughtbox.domains.code.view import Written
from thoughtbox.operations import Room
from thoughtbox.search.registry import searchable


def echo(operation: str, answer: Mapping[str, Any]) -> str:
    """What was written, for whoever watches: `claim th:17`, `execute 3 records`."""
    if isinstance(answer.get("records"), list):
        return f"{operation} {sum(map(number, answer['records']))} records"
    named = answer.get("id") or answer.get("name")
    return f"{operation} {named}" if isinstance(named, str) else operation


room = Room(
    "code",
    summary="Code mode: search the catalog, run snippets, write records with seven builders.",
    views=[Written],
    remembers=Authoring,
    ahead=ahead.begin,
    echo=echo,
)

for topic in (records.AUTHORED_TOPIC, records.CALLED, records.ENDED, records.VARIABLE):
    room.topic(topic, records.opened, streams=records.STREAMS)

searchable(records.AUTHORED_TOPIC)
