"""When two sentences say the opposite of each other: they have the same words, and one of them denies.

Words that only say how much (always, must) do not count, nor do endings. One sentence may say a little more than the
other; it may not say something else instead. What is named by a number, a path or code must be the same in both.
Each sentence is entered under its words, and under its words without one or two of them; so opposites are found by
looking up, however many sentences there are. Two numbers for one thing are opposites as well.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from itertools import combinations
from typing import Generic, NamedTuple, TypeVar

from thoughtbox.domains.memory.episodes.words import words

FEWEST_SHARED = 2
"""Words that two sentences share at the least, where one says more than the other."""
MOST_OPPOSITES = 20
"""Sentences that one is set against at the most, the oldest first."""
_SHORT, _LONG = 4, 10
"""From so many words on a sentence may say two words more than another; beyond so many only one again."""

_WORD = re.compile(r"\w+(?:['’./+#:@-]+\w+)*[+#]*")
_VALUE = re.compile(r"(?P<subject>.{3,120}?) (?:is|are)(?: now)? (?P<value>v?\d[\w.:,/-]*(?: ?[\w%°]+)?)[.!]?")
_NEGATIVE = words("opposites", "negative")
_STOP = words("opposites", "stop")
_ENDINGS = ("ing", "ied", "ies", "ed", "es", "s", "e")


class Meaning(NamedTuple):
    """What a sentence is about, and whether it denies."""

    words: frozenset[str]
    named: frozenset[str]
    """Those of the words that name one thing alone."""
    denies: bool
    subject: frozenset[str] | None = None
    """Of a sentence that gives a value to something (`The port is 8080`): what that is."""
    value: str | None = None


def meaning(sentence: str) -> Meaning:
    found = [word.lower().replace("’", "'") for word in _WORD.findall(sentence)]
    denials = sum(word in _NEGATIVE or word.endswith("n't") for word in found)
    kept = [word for word in found if word not in _STOP and word not in _NEGATIVE and not word.endswith("n't")]
    named = frozenset(word for word in kept if not word.isalpha())
    words, denies = frozenset(map(_stem, kept)), denials % 2 == 1
    given = _VALUE.fullmatch(sentence) if not denies else None
    if given is None:
        return Meaning(words, named, denies)
    return Meaning(words, named, denies, meaning(given["subject"]).words, given["value"].lower().rstrip("."))


def _stem(word: str) -> str:
    if not word.isalpha():
        return word
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word.removesuffix(ending)
    return word


def are_opposite(one: Meaning, other: Meaning) -> bool:
    """Whether one denies what the other says, or gives another value to the same thing."""
    if one.subject and one.subject == other.subject:
        return one.value != other.value
    if one.denies == other.denies or one.named != other.named or not one.words:
        return False
    less, more = sorted((one.words, other.words), key=len)
    if less == more:
        return True
    return less < more and len(less) >= FEWEST_SHARED and len(more) - len(less) <= _slack(len(more))


def _slack(size: int) -> int:
    return 2 if _SHORT < size <= _LONG else 1


T = TypeVar("T")
Group = Hashable


@dataclass(frozen=True, slots=True)
class _Entry(Generic[T]):
    number: int
    meaning: Meaning
    thing: T


class _Entries(Generic[T]):
    """Entries by the sum of their words: one by itself, several in a list, since most are alone."""

    def __init__(self) -> None:
        self._by_sum: dict[int, _Entry[T] | list[_Entry[T]]] = {}

    def add(self, total: int, entry: _Entry[T]) -> None:
        there = self._by_sum.setdefault(total, entry)
        if isinstance(there, list):
            there.append(entry)
        elif there is not entry:
            self._by_sum[total] = [there, entry]

    def opposite_to(self, total: int, own: Meaning) -> list[_Entry[T]]:
        there = self._by_sum.get(total)
        if there is None:
            return []
        entries = there[:MOST_OPPOSITES] if isinstance(there, list) else [there]
        return [other for other in entries if are_opposite(own, other.meaning)]


class Opposites(Generic[T]):
    """Sentences of many groups, found by what says the opposite in the same group.

    A set of words is entered as the sum of its words' numbers: one without some of them costs a subtraction.
    """

    def __init__(self) -> None:
        self._whole: dict[tuple[Group, bool], _Entries[T]] = defaultdict(_Entries)
        self._less: dict[tuple[Group, bool], _Entries[T]] = defaultdict(_Entries)
        self._values: dict[Group, _Entries[T]] = defaultdict(_Entries)
        self._count = 0

    def enter(self, group: Group, sentence: str, thing: T) -> list[T]:
        """The things that say the opposite, the oldest first; from now on this one is among them."""
        own = meaning(sentence)
        if not own.words:
            return []
        self._count += 1
        entry = _Entry(self._count, own, thing)
        numbers = [_number(word) for word in own.words]
        total = sum(numbers)
        others, less = self._whole[group, not own.denies], self._less[group, own.denies]
        found = others.opposite_to(total, own)
        found += self._less[group, not own.denies].opposite_to(total, own)
        for part in _parts(numbers, total):
            found += others.opposite_to(part, own)
            less.add(part, entry)
        self._whole[group, own.denies].add(total, entry)
        if own.subject:
            about = sum(map(_number, own.subject))
            found += self._values[group].opposite_to(about, own)
            self._values[group].add(about, entry)
        by_age = {other.number: other.thing for other in found}
        return [by_age[number] for number in sorted(by_age)[:MOST_OPPOSITES]]


@lru_cache(maxsize=1 << 16)
def _number(word: str) -> int:
    return int.from_bytes(blake2b(word.encode(), digest_size=8).digest(), "big")


def _parts(numbers: list[int], total: int) -> Iterator[int]:
    """The sums without one or two of the numbers, as long as enough are left."""
    for fewer in range(1, min(_slack(len(numbers)), len(numbers) - FEWEST_SHARED) + 1):
        for left_out in combinations(numbers, fewer):
            yield total - sum(left_out)
