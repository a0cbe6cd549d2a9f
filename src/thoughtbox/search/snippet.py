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


class Snippets:
    """Shows texts to whoever looked for these terms."""

    def __init__(self, terms: Sequence[Term]) -> None:
        self._alone = {term.stems[0] for term in terms if len(term.words) == 1 and not term.prefix}
        self._others = sorted(
            ((term.stems, term.prefix) for term in terms if len(term.words) > 1 or term.prefix),
            key=lambda other: -len(other[0]),
        )
        self._first_stems = {stems[0] for stems, _ in self._others}
        self._beginnings = tuple(stems[0] for stems, prefix in self._others if prefix and len(stems) == 1)

    def of(self, text: str) -> str:
        """The part of a text around the first match, on one line; its beginning when nothing matches."""
        first = next(self._matches(text), _Match(0, 0))
        start = _between_words(text, max(0, first.start - BEFORE))
        end = _between_words(text, min(len(text), max(start + LENGTH, first.end)))
        shown = self._marked(text[start:end])
        return f"{'…' if start else ''}{shown}{'…' if end < len(text) else ''}"

    def _marked(self, part: str) -> str:
        marked = []
        done = 0
        for match in self._matches(part):
            marked += [part[done : match.start], "«", part[match.start : match.end], "»"]
            done = match.end
        return " ".join("".join([*marked, part[done:]]).split())

    def _matches(self, text: str) -> Iterator[_Match]:
        """Where the terms stand in a text, from its beginning on; those that overlap are one."""
        found: _Match | None = None
        for word in places(text):
            if found is not None and word.start >= found.end:
                yield found
                found = None
            match = self._match_at(text, word)
            if match is not None:
                found = match if found is None else _Match(found.start, max(found.end, match.end))
        if found is not None:
            yield found

    def _match_at(self, text: str, word: Word) -> _Match | None:
        """Of the terms that begin here, the longest."""
        stemmed = stem(word.folded)
        if stemmed in self._first_stems or (self._beginnings and _goes_on(word.folded, self._beginnings)):
            ahead = list(islice(places(text, word.start), len(self._others[0][0])))
            for stems, prefix in self._others:
                if _begins(ahead, stems, prefix=prefix):
                    return _Match(word.start, ahead[len(stems) - 1].end)
        return _Match(word.start, word.end) if stemmed in self._alone else None


def _between_words(text: str, place: int) -> int:
    """The nearest place behind this one where a word has ended or begins, if there is one near."""
    if place in (0, len(text)):
        return place
    for nearer in range(place, min(place + LONGEST_CUT, len(text))):
        if text[nearer].isspace() or text[nearer - 1].isspace():
            return nearer
    return place


def _begins(ahead: Sequence[Word], stems: tuple[str, ...], *, prefix: bool) -> bool:
    if len(ahead) < len(stems):
        return False
    *others, last = stems
    if any(stem(word.folded) != wanted for word, wanted in zip(ahead, others, strict=False)):
        return False
    found = ahead[len(others)].folded
    return _goes_on(found, (last,)) if prefix else stem(found) == last


def _goes_on(word: str, beginnings: tuple[str, ...]) -> bool:
    return word.startswith(beginnings) or stem(word).startswith(beginnings)
