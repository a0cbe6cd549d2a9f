"""The words of a text that carry meaning, and how much two texts say the same."""

from __future__ import annotations

import re

from thoughtbox.domains.thoughts.cipher.notation import Step, parse

LONGEST_READ = 10_000
"""Characters of a thought that are searched for words."""

_COMMON = """
    a about after all also an and any are as at be because been but by can could did do does for from had has have if
    in into is it its just may more most must of on only or our over should so some such than that the their them then
    there these they this those to too under up us use used using very was we were what when where which while who why
    will with would you your
"""
_STOP_WORDS = frozenset(_COMMON.split())
WORD = re.compile(r"\w+(?:[./:-]\w+)*")
_IDENTIFIER = re.compile(r"\d|[_./:]|[a-z][A-Z]")


def overlap(one: str, other: str) -> float:
    """How much two texts say the same: the words they share, over all words of both (0 to 1)."""
    own, others = words_of(one).keys(), words_of(other).keys()
    return jaccard(len(own & others), len(own), len(others))


def said_in(text: str) -> str:
    """A text without the numbers, markers and references of the cipher; the beginning of it, when it is very long."""
    lines = parse(text[:LONGEST_READ]).lines
    return "\n".join(line.statement if isinstance(line, Step) else line.source.strip() for line in lines)


def words_of(text: str) -> dict[str, bool]:
    """The words of a text that carry meaning, each with whether it is an identifier or a number."""
    words: dict[str, bool] = {}
    for word in WORD.findall(said_in(text)):
        folded = word.casefold()
        if folded not in _STOP_WORDS:
            words[folded] = words.get(folded, False) or _IDENTIFIER.search(word) is not None
    return words


def jaccard(shared: int, one: int, other: int) -> float:
    together = one + other - shared
    return shared / together if together else 0.0
