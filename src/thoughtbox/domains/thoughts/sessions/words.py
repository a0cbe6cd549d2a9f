"""The words of a text that carry meaning, and how much two texts say the same."""

from __future__ import annotations

import re

from thoughtbox.domains.thoughts.cipher import notation
from thoughtbox.search.english import stem

LONGEST_READ = 10_000
"""Characters of a thought that are searched for words."""

_COMMON = """
    a about after all also an and any are as at be because been but by can could did do does for from had has have if
    in into is it its just may more most must of on only or our over should so some such than that the their them then
    there these they this those to too under up us use used using very was we were what when where which while who why
    will with would you your
"""
STOP_WORDS = frozenset(_COMMON.split())
WORD = re.compile(r"\w+(?:[./:-]\w+)*")

_FIGURE = re.compile(r"(?<![\w.,])(\d[\d,.]*)\s?(%|[^\W\d_]{1,20}+(?:/[^\W\d_]{1,10}+)?)")


def overlap(one: str, other: str) -> float:
    """How much two texts say the same: the words they share, over all words of both (0 to 1)."""
    own, others = words_of(one), words_of(other)
    return jaccard(len(own & others), len(own), len(others))


def said_in(text: str) -> str:
    """What a text says, without what is cipher about it; the beginning of it, when it is very long."""
    return notation.said_in(text[:LONGEST_READ])


def words_of(text: str) -> set[str]:
    """The words of a text that carry meaning, in lower case."""
    return {word.casefold() for word in WORD.findall(said_in(text))} - STOP_WORDS


def figures_in(text: str) -> set[str]:
    """The figures of a text, with their unit or the word behind them: `12 ms`, `26,000 rows`."""
    return {f"{number.rstrip('.,')} {unit}" for number, unit in _FIGURE.findall(said_in(text))}


def jaccard(shared: int, one: int, other: int) -> float:
    together = one + other - shared
    return shared / together if together else 0.0


def stems_of(text: str) -> set[str]:
    """What is left of the words of a text without their endings. The text is one that `said_in` gave."""
    return {stem(word.casefold()) for word in WORD.findall(text) if word.casefold() not in STOP_WORDS}
