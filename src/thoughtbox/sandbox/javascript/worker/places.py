"""Where in a snippet an error comes from, as far as the engine tells.

It knows the places of calls, of `new` and `throw`, and of statements that are expressions. What goes wrong elsewhere
(a property that is read in what is returned) it puts at the last such place before, or where the function begins. Where
the line it names does not hold the name that the error is about, the next one is meant that does.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_FRAME = re.compile(r"^ +at (?:(.*) \()?eval_script:(\d+)(?::(\d+))?", re.MULTILINE)
"""A line of a stack that is about the snippet; those of the prelude are named otherwise."""
_ABOUT = re.compile(r"property '([^']+)'|^'?([\w$]+)'? is not (?:defined|initialized)$|^'([\w$]+)' is read-only")


class Place(NamedTuple):
    line: int
    column: int | None = None

    def nearer(self, message: str, source: str) -> Place:
        """The place itself, or the line behind it that the message must be about."""
        found = _ABOUT.search(message)
        lines = source.split("\n")
        if found is None or not 0 < self.line <= len(lines):
            return self
        name = re.compile(rf"(?<![\w$]){re.escape(found[found.lastindex or 1])}(?![\w$])")
        behind = (number for number, text in enumerate(lines[self.line - 1 :], self.line) if name.search(text))
        line = next(behind, self.line)
        return self if line == self.line else Place(line)


def first(stack: str, name: str) -> Place | None:
    """The innermost place of a stack that is in the snippet, and not in the class of an error with this name."""
    frames = (found for found in _FRAME.finditer(stack) if found[1] != name)
    found = next(frames, None)
    if found is None:
        return None
    line, column = int(found[2]), int(found[3] or 1)
    if column == 1:
        return Place(line)  # which is what the engine says when it knows none
    return Place(line, column + (line == 1))  # on the first line it counts from 0
