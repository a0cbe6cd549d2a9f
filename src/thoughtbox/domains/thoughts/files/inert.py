"""Stored text inside Markdown: shown as it was written, neither run nor fetched, and kept to its place."""

from __future__ import annotations

import re

_LINE_END = re.compile(r"\r\n|\r|\n")
"""The line ends of CommonMark."""

_HTML = re.compile(r"<(?=[A-Za-z/!?])")
"""What begins a tag, a comment, or an address in angle brackets in CommonMark."""

_IMAGE = re.compile(r"!(\\*)\[")
_REFERENCE = re.compile(r"&(?=(?:amp;)*lt;)")
"""What would look as if it had been made of these."""

_ENDS_STRIKING = re.compile(r"[\\`~]")
"""What could keep the end of struck text from being one."""


def quoted(text: str) -> str:
    """As a quote, line by line: whatever Markdown stands in it stays inside."""
    return "> " + _LINE_END.sub(r"\g<0>> ", inert(text))


def struck(text: str) -> str:
    """One line of text, struck through."""
    escaped = _ENDS_STRIKING.sub(r"\\\g<0>", text.strip())
    return f"~~{inert(escaped)}~~"


def inert(text: str) -> str:
    """Text in which Markdown finds neither HTML nor images, and from which what was written can be had again.

    No backslash goes before what it would escape: one that stands there already would escape the backslash.
    """
    return _IMAGE.sub(r"!\1\\[", _HTML.sub("&lt;", _REFERENCE.sub("&amp;", text)))


def one_line(text: str) -> str:
    return " ".join(text.split())
