"""How well an entry fits a query, and how well a session does: the same on both engines.

BM25: a rare word says more than a frequent one, a second mention less than the first, and a mention in a long text
less than in a short one. How frequent a word is, and how long texts are, is that of the workspace. On top comes
how near to each other those words stand that are neighbours in the query.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import log
from typing import NamedTuple

from thoughtbox.search.indexes import LENGTHS
from thoughtbox.search.match import Sought

SATURATION = 1.2
"""How soon further mentions of a word stop to matter."""

LENGTH_MATTERS = 0.5
"""How much: between not at all (0) and in full (1). Thoughts are short, and the shortest of them say little."""

NEARNESS = 0.5
"""What two neighbours of the query that are neighbours in a text add, of what the lesser of them says."""

NEAR = 6
"""Words between which two words count as near."""

FURTHER = 0.4
"""What each further record of a session adds, of what the one before it has added."""


class Aim(NamedTuple):
    """Something to look for, and what it says to have found it."""

    sought: Sought
    weight: float


def weight(entries: int, total: int) -> float:
    """What a word says that is in so many of all entries."""
    return log(1 + (max(total - entries, 0) + 0.5) / (entries + 0.5))


def of_one_mention(average: float) -> list[float]:
    """What one mention of a word counts in a text, by which of `LENGTHS` it has."""
    return [
        (SATURATION + 1) / (1 + SATURATION * (1 - LENGTH_MATTERS + LENGTH_MATTERS * length / average))
        for length in LENGTHS
    ]


class Scores:
    """Rates texts by what was looked for."""

    def __init__(self, aims: Sequence[Aim], average: float) -> None:
        self._weights = [aim.weight for aim in aims]
        self._short = SATURATION * (1 - LENGTH_MATTERS)
        self._per_word = SATURATION * LENGTH_MATTERS / average
        self._words: dict[str, int] = {}
        self._longer: list[tuple[int, Sought]] = []
        for place, aim in enumerate(aims):
            if len(aim.sought.stems) == 1 and not aim.sought.prefix:
                self._words.setdefault(aim.sought.stems[0], place)
            else:
                self._longer.append((place, aim.sought))

    def of(self, words: str) -> float:
        """How well a text fits, given its words."""
        said = words.split(" ")
        known = self._words
        places: dict[int, list[int]] = {}
        for word in known.keys() & said:
            places[known[word]] = [place for place, each in enumerate(said) if each == word]
        for aim, sought in self._longer:
            if found := list(_found(sought, said)):
                places[aim] = found
        norm = self._short + self._per_word * len(said)
        score = 0.0
        for aim, at in places.items():
            score += self._weights[aim] * (SATURATION + 1) * len(at) / (len(at) + norm)
            if (neighbour := places.get(aim + 1)) is not None:
                score += NEARNESS * min(self._weights[aim], self._weights[aim + 1]) * _nearness(at, neighbour)
        return score


def _found(sought: Sought, said: Sequence[str]) -> Iterable[int]:
    *before, _ = sought.stems
    for end in range(len(before), len(said)):
        if sought.ends_with(said[end]) and list(said[end - len(before) : end]) == before:
            yield end


def _nearness(some: Sequence[int], others: Sequence[int]) -> float:
    """1 where two words stand beside each other, less where others are between them, 0 where they are not near."""
    nearest = min(abs(one - other) for one in some[:NEAR] for other in others[:NEAR])
    return 1 / max(nearest, 1) if nearest <= NEAR else 0.0


def of_session(scores: Iterable[float]) -> float:
    """How well a session fits, given how well its records do: the best counts in full, each further one less."""
    total, share = 0.0, 1.0
    for score in sorted(scores, reverse=True):
        total += share * score
        share *= FURTHER
    return total
