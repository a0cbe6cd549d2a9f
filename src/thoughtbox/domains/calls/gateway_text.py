"""What the gateway says of itself: composed from what every room declares, within a budget."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from thoughtbox.operations import Focus, Table

LONGEST = 855
"""Characters of the whole description: with its schema and its app it stays below 1,600 in a list of tools."""

ALWAYS = (
    "Your reasoning in a ledger people can check. Arguments beside `operation` or in `args`;"
    " describe {name?}: all others."
)


def described(table: Table, focus: Focus) -> str:
    """The description as a caller who stands there reads it: every room's own lines, as far as there is room.

    A room that is left without any is still named, since whatever it has can be called.
    """
    said = {room.name: lines for room in table.rooms.values() if (lines := room.gateway_lines(focus))}
    unsaid: list[str] = []
    while len(text := _composed(said, unsaid)) > LONGEST and said:
        unsaid.insert(0, said.popitem()[0])
    return text


def _composed(said: Mapping[str, str], unsaid: Sequence[str]) -> str:
    also = [f"Also the rooms {', '.join(unsaid)}."] if unsaid else []
    return "\n".join([ALWAYS, *said.values(), *also])
