"""Pages of thoughts: as many as there is room for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

import orjson

from thoughtbox.domains.thoughts.answers import ThoughtShown
from thoughtbox.domains.thoughts.records import opened
from thoughtbox.operations import HARD_CEILING, Output, Tx

A = TypeVar("A", bound=Output)

PAGE_CHARS = 40_000
"""A page of thoughts ends here, so that the next one can be asked for where it ended."""

ENVELOPE = 120
"""Characters of an answer around a page: the names of its fields, its count and its cursor."""

OPENED_AT_ONCE = 50


def thoughts_page(tx: Tx, seqs: Sequence[int], *, limit: int, room: int) -> list[ThoughtShown]:
    """The first of these thoughts, as many as there is room for and at least one."""
    wanted = seqs[:limit]
    room_left = min(room, PAGE_CHARS)
    shown: list[ThoughtShown] = []
    for start in range(0, len(wanted), OPENED_AT_ONCE):
        for each in opened(tx, wanted[start : start + OPENED_AT_ONCE]):
            room_left -= size(each.answer()) + 1
            if shown and room_left < 0:
                return shown
            shown.append(each)
    return shown


def fitting(items: Sequence[A], room: int) -> list[A]:
    """The first of these parts of an answer, as many as there is room for and at least one."""
    for number, item in enumerate(items):
        room -= size(item.answer()) + 1
        if number and room < 0:
            return list(items[:number])
    return list(items)


def room_beside(max_chars: int | None, beside: dict[str, Any]) -> int:
    """What a page may take up, so that nothing of it is cut away again: its cursor is already behind it."""
    return (max_chars or HARD_CEILING) - size(beside) - ENVELOPE


def size(answer: object) -> int:
    """The length of an answer, or of a part of it, on the wire."""
    return len(orjson.dumps(answer))
