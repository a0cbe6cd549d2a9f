"""A few words around what was found, with «marks», made from the text itself: the same on both engines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from thoughtbox.search.english import stem
from thoughtbox.search.query import Term
from thoughtbox.search.words import Word, places

LENGTH = 160
"""Characters of the text that are shown, more or less: words are not cut, unless they are very long."""

BEFORE = 48
"""How many of them come before the first match."""

LONGEST_CUT = 24
"""How far a cut may move to fall between two words."""


class _Match(NamedTuple):
    start: int
    end: int


def snippet(text: str, terms: Sequence[Term]) -> str:
    """The part of a text around the first match, on one line; its beginning when nothing matches."""
    first = next(_matches(text, terms), _Match(0, 0))
    start = _between_words(text, max(0, first.start - BEFORE))
    end = _between_words(text, min(len(text), max(start + LENGTH, first.end)))
    shown = _marked(text[start:end], terms)
    return f"{'…' if start else ''}{shown}{'…' if end < len(text) else ''}"


def _marked(part: str, terms: Sequence[Term]) -> str:
    marked = []
    done = 0
    for match in _matches(part, terms):
        marked += [part[done : match.start], "«", part[match.start : match.end], "»"]
        done = match.end
    return " ".join("".join([*marked, part[done:]]).split())


def _between_words(text: str, place: int) -> int:
    """The nearest place behind this one where a word has ended or begins, if there is one near."""
    if place in (0, len(text)):
        return place
    for nearer in range(place, min(place + LONGEST_CUT, len(text))):
        if text[nearer].isspace() or text[nearer - 1].isspace():
            return nearer
    return place


def _matches(text: str, terms: Sequence[Term]) -> Iterator[_Match]:
    """Where the terms stand in a text, from its beginning on; those that overlap are one."""
    ordered = sorted(terms, key=lambda term: -len(term.words))
    first_stems = {term.stems[0] for term in terms}
    beginnings = tuple(term.words[0] for term in terms if term.prefix and len(term.words) == 1)
    found: _Match | None = None
    for word in places(text):
        if stem(word.folded) not in first_stems and not _goes_on(word.folded, beginnings):
            continue
        match = _match_at(text, word.start, ordered)
        if match is None:
            continue
        if found is not None and match.start < found.end:
            found = _Match(found.start, max(found.end, match.end))
            continue
        if found is not None:
            yield found
        found = match
    if found is not None:
        yield found


def _match_at(text: str, start: int, terms: Sequence[Term]) -> _Match | None:
    """Of those that begin here, the longest."""
    ahead = list(islice(places(text, start), len(terms[0].words)))
    for term in terms:
        if _begins(ahead, term):
            return _Match(start, ahead[len(term.words) - 1].end)
    return None


def _begins(ahead: Sequence[Word], term: Term) -> bool:
    if len(ahead) < len(term.words):
        return False
    *others, last = term.stems
    if any(stem(word.folded) != wanted for word, wanted in zip(ahead, others, strict=False)):
        return False
    found = ahead[len(others)].folded
    return _goes_on(found, (last,)) if term.prefix else stem(found) == last


def _goes_on(word: str, beginnings: tuple[str, ...]) -> bool:
    return word.startswith(beginnings) or stem(word).startswith(beginnings)
