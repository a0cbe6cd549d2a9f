"""Texts as they are shown: short enough, and without what would disturb a terminal or mislead a reader."""

from __future__ import annotations

import re
from collections.abc import Callable

LONGEST_SECRET = 4096
"""Characters around a snippet in which a secret that it would cut into is still recognised."""

_UNSAFE = re.compile(
    "\x1b\\[[0-9;:?]*[ -/]*[@-~]"  # colours and cursor movements
    "|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]"  # controls; what turns the direction of text
)


def plain(text: str) -> str:
    """A text without control sequences; its lines stay."""
    return _UNSAFE.sub("", text)


def one_line(text: str) -> str:
    """A text with all white space collapsed."""
    return " ".join(_UNSAFE.sub(" ", text).split())


def snippet(text: str, query: str, longest: int, redact: Callable[[str], str]) -> str:
    """What stands around the first place of the query, on one line of at most `longest` characters."""
    found = text.index(query)
    begin = max(0, found - longest - LONGEST_SECRET)
    around = one_line(redact(text[begin : found + len(query) + longest + LONGEST_SECRET]))
    wanted = one_line(query)[:longest]
    at = around.find(wanted) if wanted else -1
    if at < 0:  # it is white space, or part of what was taken out
        at, wanted = min(len(one_line(text[begin:found])), len(around)), ""
    start = max(0, min(at - (longest - len(wanted)) // 2, len(around) - longest))
    return _excerpt(around, start, longest, at, at + len(wanted))


def _excerpt(text: str, start: int, longest: int, at: int, until: int) -> str:
    """Part of a text, with an ellipsis where it goes on, unless that would cover what was looked for."""
    shown = text[start : start + longest]
    if start > 0 and at > start:
        shown = "…" + shown[1:]
    if start + longest < len(text) and until < start + longest:
        shown = shown[:-1] + "…"
    return shown


def cut(text: str, most_bytes: int) -> str:
    """The beginning of a text in at most so many bytes of UTF-8, with an ellipsis if that is not all."""
    raw = text.encode("utf-8")
    if len(raw) <= most_bytes:
        return text
    return raw[: most_bytes - len("…".encode())].decode("utf-8", "ignore") + "…"
