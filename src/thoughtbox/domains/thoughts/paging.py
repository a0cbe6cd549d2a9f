"""Pages of thoughts: as many as there is room for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from thoughtbox.domains.thoughts.answers import ThoughtShown
from thoughtbox.domains.thoughts.records import opened
from thoughtbox.operations import HARD_CEILING, Tx, size

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


def room_beside(max_chars: int | None, beside: dict[str, Any]) -> int:
    """What a page may take up, so that nothing of it is cut away again: its cursor is already behind it."""
    return (max_chars or HARD_CEILING) - size(beside) - ENVELOPE
