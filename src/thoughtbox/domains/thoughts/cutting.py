"""Texts made shorter, never in the middle of a word."""

from __future__ import annotations

_FIRST_WIDE = 0x2E80
"""From here on, scripts put no spaces between words: every character may end a line."""


LONGEST_READ = 20_000
"""Characters of a text that are looked at; what is wanted of it is much shorter."""


def cut(text: str, longest: int) -> str:
    """A text on one line, within so many characters; `…` says that there is more, and may be all that is left."""
    line = " ".join(text[:LONGEST_READ].split())
    if len(line) <= longest and len(text) <= LONGEST_READ:
        return line
    end = min(len(line), longest) - 1
    while end > 0 and not _may_end(line, end):
        end -= 1
    return f"{line[:end].rstrip(' ,;:')}…"


def _may_end(line: str, end: int) -> bool:
    if end >= len(line):
        return True
    before, behind = line[end - 1], line[end]
    return behind == " " or before == " " or ord(before) >= _FIRST_WIDE or ord(behind) >= _FIRST_WIDE
