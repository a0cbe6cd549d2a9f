"""Commands and links that a card carries: in its meta, or as lines `CMD:` and `LINK:` of its text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from thoughtbox.domains.mind.engine.reading import metas, run_of
from thoughtbox.domains.mind.slice import Card
from thoughtbox.domains.mind.stubs import is_stub

QUOTES = "`'\""
MARKERS = re.compile(r"^(?:\s|>|(?:[-*+•]|\d+[.)]|\[[ xX]\])\s)*")
"""What Markdown puts before a line: quotes, bullets, numbers, boxes to tick."""
URL = re.compile(r"(?:https?|file)://\S", re.IGNORECASE)
LINKS = ("link", "url")


def command(card: Card) -> str | None:
    """The command that a test is run by, or that evidence came from."""
    return next((said for said in map(_said, _commands(card)) if said), None)


def link(card: Card) -> str | None:
    """Where the result can be seen."""
    return next((said for said in map(_said, _links(card)) if said), None)


def _commands(card: Card) -> Iterator[Any]:
    for meta in metas(card):
        yield run_of(meta).get("cmd")
        yield meta.get("cmd")
    yield from _after("CMD:", card)


def _links(card: Card) -> Iterator[Any]:
    for meta in metas(card):
        yield from (run_of(meta).get(key) for key in LINKS)
        yield from (meta.get(key) for key in (*LINKS, "artifact"))
    yield from _after("LINK:", card)
    yield from (line for line in _lines(card) if URL.match(line))


def _after(word: str, card: Card) -> Iterator[str]:
    return (line[len(word) :] for line in _lines(card) if line[: len(word)].upper() == word)


def _lines(card: Card) -> Iterator[str]:
    return (_unquoted(MARKERS.sub("", line)) for line in (card.text or "").splitlines())


def _said(value: Any) -> str | None:
    """The value, unless it is blank or still waits to be filled in."""
    if not isinstance(value, str) or is_stub(value):
        return None
    return _unquoted(value) or None


def _unquoted(text: str) -> str:
    """Without the quotes around the whole of it; quotes that are part of a command stay."""
    text = text.strip()
    if len(text) > 1 and text[0] in QUOTES and text.find(text[0], 1) == len(text) - 1:
        return text[1:-1].strip()
    return text
