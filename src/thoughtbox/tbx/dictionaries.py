"""Which columns get a dictionary: those where texts repeat so often that short keys and a list of texts are shorter.

Columns that hold the same texts may share one: what is a hash of its own in one record is the one before in the next.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import Any

from thoughtbox.tbx.weights import ENTRY, KEY, weight

LONG = 10
"""Characters of a text that is worth sharing."""
MOST_SHARING = 8
"""Columns that one text is looked for in."""

Dictionary = dict[str, str]
"""From a text to its short key."""


class _Shared:
    """Columns that share a dictionary, or that have none."""

    def __init__(self, columns: tuple[str, ...], texts: Counter[str]) -> None:
        self.columns = columns
        self.texts = texts
        entries = sum(weight(text) + ENTRY for text in texts)
        self.plain = sum(weight(text) * count for text, count in texts.items())
        self.coded = entries + KEY * texts.total() + ENTRY * len(columns) + sum(map(weight, columns))

    @property
    def cost(self) -> int:
        return min(self.plain, self.coded)


def texts_in(cell: Any) -> Iterator[str]:
    """The texts of a cell that a dictionary is for: itself, or what stands in it if it is a list."""
    if isinstance(cell, str):
        yield cell
    elif isinstance(cell, list):
        yield from (item for item in cell if isinstance(item, str))


def dictionaries(columns: Mapping[str, Counter[str]]) -> list[tuple[tuple[str, ...], Dictionary]]:
    """For those columns that gain by it: who shares a dictionary, the first one by name, and what is in it."""
    return [
        (shared.columns, {text: key(number) for number, text in enumerate(shared.texts)})
        for shared in _shared(columns)
        if shared.coded < shared.plain
    ]


def key(number: int) -> str:
    """a to z, then aa, ab and so on."""
    letters = ""
    number += 1
    while number:
        number, letter = divmod(number - 1, 26)
        letters = chr(ord("a") + letter) + letters
    return letters


def _shared(columns: Mapping[str, Counter[str]]) -> list[_Shared]:
    home = {path: _Shared((path,), texts) for path, texts in columns.items()}
    order = {path: place for place, path in enumerate(columns)}
    for one, other in _pairs(columns):
        first, second = home[one], home[other]
        if first is second:
            continue
        paths = tuple(sorted(first.columns + second.columns, key=order.__getitem__))
        both = _Shared(paths, first.texts + second.texts)
        if both.coded < first.cost + second.cost:
            home |= dict.fromkeys(paths, both)
    return list(dict.fromkeys(home.values()))


def _pairs(columns: Mapping[str, Counter[str]]) -> list[tuple[str, str]]:
    """Columns that have long texts in common, those with most of them first."""
    holders: dict[str, list[str]] = {}
    for path, texts in columns.items():
        for text in texts:
            if len(text) >= LONG:
                holders.setdefault(text, []).append(path)
    common: Counter[tuple[str, str]] = Counter()
    for text, paths in holders.items():
        for pair in combinations(paths[:MOST_SHARING], 2):
            common[pair] += weight(text)
    return [pair for pair, _ in sorted(common.items(), key=lambda found: -found[1])]
