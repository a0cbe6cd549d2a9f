"""What hides Markdown from whoever reads it line by line: fenced blocks and blocks of HTML, as CommonMark has them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

BLANK: Final = " \t\r"
"""What may stand on a line that is empty, and at the end of one that is not."""

_FENCE = re.compile(r"( {0,3})(`{3,}(?=[^`]*\Z)|~{3,})(.*)", re.DOTALL)
_BLOCKS: Final = tuple(
    (re.compile(rf" {{0,3}}{begin}", re.IGNORECASE), re.compile(end, re.IGNORECASE), closing)
    for begin, end, closing in (
        ("<!--", "-->", "-->"),
        (r"<(?:script|pre|style|textarea)(?:[\s>]|\Z)", "</(?:script|pre|style|textarea)>", "</pre>"),
        (r"<\?", r"\?>", "?>"),
        (r"<!\[CDATA\[", "]]>", "]]>"),
        ("<![a-z]", ">", ">"),
    )
)
"""Blocks of HTML that blank lines do not end: how they begin, what they end with, and what ends any of them."""
_RUNS = re.compile(r"`{3,}")


class Hiding(NamedTuple):
    """What begins on a line and hides the lines behind it, until one ends it."""

    closing: str
    """A line that ends it; of a fence, the fence itself."""
    end: re.Pattern[str] | None = None
    """What ends a block of HTML; a fence has none."""
    indent: int = 0
    info: str = ""
    """What stands behind a fence, on its line."""

    @property
    def is_fence(self) -> bool:
        return self.end is None

    def ends_on(self, line: str) -> bool:
        if self.end is not None:
            return self.end.search(line) is not None
        rest = line.lstrip(" ")
        found = rest.rstrip(BLANK)
        is_long = len(found) >= len(self.closing) and len(line) - len(rest) <= 3
        return is_long and not found.strip(self.closing[0])


def hiding(line: str) -> Hiding | None:
    """What begins on this line, if it is not over on the same line."""
    start = line.lstrip(" ")[:1]
    if start in ("`", "~") and (found := _FENCE.match(line)):
        return Hiding(found[2], indent=len(found[1]), info=found[3].strip(BLANK))
    if start == "<":
        for begin, end, closing in _BLOCKS:
            if begun := begin.match(line):
                return None if end.search(line, begun.end()) else Hiding(closing, end)
    return None


def end_of(begun: Hiding, lines: Sequence[str], start: int) -> int:
    """The first line from `start` on that ends it; one behind the last line when none does."""
    return next((at for at in range(start, len(lines)) if begun.ends_on(lines[at])), len(lines))


def left_open(text: str) -> str | None:
    """The line that has to follow a text, so that it hides nothing of what comes behind it; None when none has to."""
    lines = re.split(r"\r\n|\r|\n", text)
    at = 0
    while at < len(lines):
        begun = hiding(lines[at])
        if begun is not None:
            at = end_of(begun, lines, at + 1)
            if at == len(lines):
                return begun.closing
        at += 1
    return None


def fence_for(text: str) -> str:
    """Backticks that nothing in the text can close, wherever one thinks that its lines end."""
    return "`" * (1 + max([2, *map(len, _RUNS.findall(text))]))
