r"""The comments by which a `.src.md` says what its plain layout cannot: which type a cell has, and where it ends.

    <!-- thoughtbox:markdown -->
    # This heading is no title
    <!-- /thoughtbox:markdown -->

Between the two stands the text of a title or markdown cell, line by line as it is; a text that has the second line
itself makes it `<!-- /thoughtbox:markdown 2 -->`. A code or package.json cell needs no end, since its fence has one:

    <!-- thoughtbox:code {"lineEnds":"\r\n"} -->
    ###### windows.js

followed by a fence. Files that we write have no carriage returns, so that no editor and no checkout changes a cell:
`lineEnds` says that all lines of the text end so, `cr` which character stands for each of its carriage returns.
"""

from __future__ import annotations

import re
from itertools import count
from typing import Any, Final, NamedTuple

from thoughtbox.domains.notebooks.formats.document import CellType
from thoughtbox.domains.notebooks.formats.fences import BLANK
from thoughtbox.domains.notebooks.formats.json_text import on_one_line, parsed
from thoughtbox.domains.notebooks.formats.languages import LANGUAGES

BEGINS: Final = "<!-- thoughtbox:"
END_BEGINS: Final = "<!-- /thoughtbox:"
_MARKER = re.compile(rf"{BEGINS}(title|markdown|code|package\.json)(?: (\{{.*\}}))? -->", re.DOTALL)
_STAND_IN: Final = 0x240D
"""The picture of a carriage return; from here on upwards some character is in no text."""


class Marker(NamedTuple):
    """That a cell begins here, and what is said about it."""

    type: CellType
    about: dict[str, Any]

    def __str__(self) -> str:
        return f"{BEGINS}{self.type}{f' {on_one_line(self.about)}' if self.about else ''} -->"

    @property
    def end(self) -> str:
        number = f" {self.about['end']}" if "end" in self.about else ""
        return f"{END_BEGINS}{self.type}{number} -->"

    def ending_after(self, text: str) -> Marker:
        """The same with an end that is no line of the text."""
        taken = {line.rstrip(BLANK) for line in text.split("\n") if line.startswith(END_BEGINS)}
        numbered = (self._replace(about={**self.about, "end": number}) for number in count(2))
        return self if self.end not in taken else next(marker for marker in numbered if marker.end not in taken)

    def meant(self, text: str) -> str:
        """The text as it was before it was written."""
        text = text.replace("\n", self.about.get("lineEnds", "\n"))
        return text.replace(self.about["cr"], "\r") if "cr" in self.about else text


def marker_on(line: str) -> Marker | None:
    """The marker that a line is; None for all other lines, also for those that are nearly one."""
    found = _MARKER.fullmatch(line.rstrip(BLANK)) if line.startswith(BEGINS) else None
    if found is None:
        return None
    try:
        about = parsed(found[2]) if found[2] else {}
    except ValueError:
        return None
    kind: Any = found[1]
    return Marker(kind, about) if all(_can_be_said(kind, *each) for each in about.items()) else None


def _can_be_said(kind: CellType, name: str, value: Any) -> bool:
    is_text = kind in ("title", "markdown")
    match name:
        case "end":
            return is_text and type(value) is int and value > 1
        case "filename":
            return not is_text and (value is None or isinstance(value, str))
        case "language":
            return kind == "code" and (value is None or value in LANGUAGES)
        case "lineEnds":
            return value == "\r\n"
        case "cr":
            return isinstance(value, str) and len(value) == 1
        case _:
            return False


def without_returns(text: str) -> tuple[str, dict[str, str]]:
    """The text as it can be written, and what has to be said about that."""
    if "\r" not in text:
        return text, {}
    if text.count("\r") == text.count("\n") == text.count("\r\n"):
        return text.replace("\r\n", "\n"), {"lineEnds": "\r\n"}
    stand_in = next(character for character in map(chr, count(_STAND_IN)) if character not in text)
    return text.replace("\r", stand_in), {"cr": stand_in}
