"""The head of a column: the path of a field, and marks that say how its cells are to be read.

| head | a cell that is | stands for |
| --- | --- | --- |
| `path?` | null | a field that is missing |
| `path=other` | true | the value of the column `other` in the same row |
| `path#text` | a number, also inside of a list | the text with the number behind it |
| `path+` | a number | the time before it in this column, so many milliseconds later |
"""

from __future__ import annotations

import re
from typing import NamedTuple

from thoughtbox.errors import NotTbx, shown

SAME, NUMBERED, LATER = "=", "#", "+"

_HEAD = re.compile(r"([^?=#+]*)(\?)?(?:(=)([^?=#+]*)|(#)(.*)|(\+))?", re.DOTALL)


class Column(NamedTuple):
    """What a head says."""

    path: str
    is_optional: bool = False
    mark: str = ""
    argument: str = ""
    """Behind `=` the path of the other column, behind `#` a text."""

    @property
    def head(self) -> str:
        return f"{self.path}{'?' if self.is_optional else ''}{self.mark}{self.argument}"


def column(head: str) -> Column:
    """The column that a head is of."""
    found = _HEAD.fullmatch(head)
    if found is None:
        raise NotTbx(f"`{shown(head)}` is no head of a column")
    path, optional, same, other, numbered, text, later = found.groups()
    return Column(path, optional is not None, same or numbered or later or "", other or text or "")
