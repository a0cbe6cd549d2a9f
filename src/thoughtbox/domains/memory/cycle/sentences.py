"""A draft as its sentences: where each begins and ends, without what is code."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

_FENCE = re.compile(r"^[ \t]*(```|~~~)")
_MARKER = re.compile(r"^[ \t]*(?:(?:[-*+>|]|#{1,6}|\d{1,3}[.)])[ \t]+)*")
"""What a line may begin with that belongs to no sentence: bullets, numbers, quotes, headings, cells of a table."""
_HAS_MARKER = re.compile(r"^[ \t]*(?:[-*+>|]|#{1,6}|\d{1,3}[.)])[ \t]+")
_END = re.compile(r"[.!?]+[\"'”’)\]]*(?=\s+[\"'“‘(\[`]*[^\W_a-z])|[。！？]+")
_ABBREVIATION = re.compile(r"(?:\b(?:e\.g|i\.e|etc|vs|cf|approx|no|fig|mr|mrs|dr|st)|\b[A-Z])\.$", re.IGNORECASE)
_LONGEST_ABBREVIATION = 12
_INLINE_CODE = re.compile(r"`[^`\n]*`")


class Sentence(NamedTuple):
    """A sentence of a text, and the paragraph or item of a list that it stands in."""

    start: int
    end: int
    text: str
    block: int


def sentences(text: str) -> list[Sentence]:
    """The sentences of a text in order; code in fences is none."""
    return [
        sentence for number, (start, end) in enumerate(_blocks(text)) for sentence in _within(text, start, end, number)
    ]


def prose(text: str) -> str:
    """The text with all code blanked out, every character in its place."""
    kept = list(" " * len(text))
    for start, end in _blocks(text):
        kept[start:end] = text[start:end]
    return _INLINE_CODE.sub(lambda found: " " * len(found.group()), "".join(kept))


def _blocks(text: str) -> Iterator[tuple[int, int]]:
    """Where paragraphs and items of lists begin and end, without their markers."""
    place, start, end, is_code = 0, -1, -1, False
    for line in text.splitlines(keepends=True):
        here, place = place, place + len(line)
        is_fence = _FENCE.match(line) is not None
        is_new = is_fence or is_code or not line.strip() or _HAS_MARKER.match(line) is not None
        if is_new and start >= 0:
            yield start, end
            start = -1
        if is_fence:
            is_code = not is_code
        elif not is_code and line.strip():
            if start < 0:
                marker = _MARKER.match(line)
                start = here + (marker.end() if marker else 0)
            end = here + len(line.rstrip())
            if line.lstrip().startswith(("#", "|")):
                yield start, end
                start = -1
    if start >= 0:
        yield start, end


def _within(text: str, start: int, end: int, block: int) -> Iterator[Sentence]:
    begin = start
    for found in _END.finditer(text, start, end):
        stop = found.end()
        if _ABBREVIATION.search(text, max(begin, found.start() - _LONGEST_ABBREVIATION), found.start() + 1):
            continue
        yield _sentence(text, begin, stop, block)
        begin = stop
    if text[begin:end].strip():
        yield _sentence(text, begin, end, block)


def _sentence(text: str, start: int, end: int, block: int) -> Sentence:
    whole = text[start:end]
    begin = start + len(whole) - len(whole.lstrip())
    return Sentence(begin, end, text[begin:end], block)
