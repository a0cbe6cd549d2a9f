"""Words: what a text is made of, for whoever looks for it.

Both engines are given words that were made here, so that they find the same. A word is
a run of letters and digits, without regard to case and accents. In scripts that put no
spaces between words, every character is a word of its own, and a word that somebody
looks for is a sequence of them. The index holds what words come down to: see `english.py`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import NamedTuple
from unicodedata import category, normalize

from thoughtbox.search.english import stem

LONGEST_WORD = 100
"""Characters of a word that count; what is longer is the same as what begins like it."""

IN_ORDER = 16_000
"""Words at the beginning of a text whose order is known. PostgreSQL counts to 16,383."""

MOST_BYTES = 800_000
"""What the words of one text may take in the index. PostgreSQL refuses more than 1,048,575."""

_PER_WORD, _PER_PLACE = 6, 2
"""Bytes that PostgreSQL spends on a word beside its letters, and on each further place it stands at."""

# Thai and Lao, Burmese, Khmer, kana, Han.
_ALONE = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
_ACCENT = re.compile("[\u0300-\u036f]")
_ASCII_WORD = re.compile("[a-z0-9]+")


class Word(NamedTuple):
    """A word, and where it stands in the text."""

    folded: str
    start: int
    end: int


class Indexed(NamedTuple):
    """The words of a text that go into the index: their stems."""

    said: list[str]
    """As they were said, one after the other."""
    rest: list[str]
    """Those that come up only in what follows, once each: found as words, not as part of a phrase."""
    forms: dict[str, list[str]]
    """By stem: how it was written, as far as it was `said`."""


def words(text: str) -> list[str]:
    """The words of a text, in order. They hold a to z, 0 to 9, and characters beyond ASCII."""
    if text.isascii():
        return [word[:LONGEST_WORD] for word in _ASCII_WORD.findall(text.lower())]
    return [folded for found in _word().findall(text) for folded in _fold(found)]


def places(text: str, start: int = 0) -> Iterator[Word]:
    """The words of a text from a place in it on, each with its own."""
    for found in _word().finditer(text, start):
        for folded in _fold(found[0]):
            yield Word(folded, found.start(), found.end())


def stands_alone(word: str) -> bool:
    """Whether a word is a character of a script that puts no spaces between words."""
    return _standing_alone().match(word) is not None


def indexed(text: str) -> Indexed:
    """The words of a text as far as an index can hold them: all of them, unless it is very long."""
    written = words(text)
    found = list(map(stem, written))
    if len(found) <= IN_ORDER and 4 * sum(map(len, found)) + _PER_WORD * len(found) <= MOST_BYTES:
        return Indexed(found, [], _forms(found, written))
    said: list[str] = []
    rest: list[str] = []
    known: set[str] = set()
    room = MOST_BYTES
    for word in found:
        is_said = len(said) < IN_ORDER
        if word in known:
            if not is_said:
                continue
            room -= _PER_PLACE
        else:
            room -= len(word.encode()) + _PER_WORD
        if room < 0:
            break
        known.add(word)
        (said if is_said else rest).append(word)
    return Indexed(said, rest, _forms(said, written))


def _forms(stems: list[str], written: list[str]) -> dict[str, list[str]]:
    forms: dict[str, list[str]] = {}
    for found, form in dict.fromkeys(zip(stems, written, strict=False)):
        forms.setdefault(found, []).append(form)
    return forms


def _fold(word: str) -> tuple[str, ...]:
    """The word without regard to case and accents. A few characters stand for several words."""
    return (word[:LONGEST_WORD].lower(),) if word.isascii() else _fold_unicode(word)


@lru_cache(maxsize=8192)
def _fold_unicode(word: str) -> tuple[str, ...]:
    plain = _ACCENT.sub("", normalize("NFKD", word)).casefold()
    return tuple(part[:LONGEST_WORD] for part in _word().findall(normalize("NFC", plain)))


@cache
def _word() -> re.Pattern[str]:
    """A character that stands alone, or a run of others; with the marks that belong to them."""
    marks = "".join(character for character in map(chr, range(0x300, 0xFE30)) if category(character)[0] == "M")
    return re.compile(rf"(?![\W_])[{_ALONE}][{marks}]*|[^\W_{_ALONE}]+(?:[{marks}]+[^\W_{_ALONE}]*)*")


@cache
def _standing_alone() -> re.Pattern[str]:
    return re.compile(f"[{_ALONE}]")
