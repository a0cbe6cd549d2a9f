"""Plain words over the catalog, for those who will not write code: what fits a query best comes first.

An entry is found by the words of its name, title, summary, description and arguments, which count in this order; a rare
word says more than a frequent one (BM25, over weighted mentions). Words count by their stems. One that is nowhere in
the catalog stands for those that it begins, or that begin it, or else for those that it may be a misspelling of.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from math import log
from typing import Any, NamedTuple

from thoughtbox.domains.code.catalog import Catalog
from thoughtbox.search.english import is_stop_word, stem
from thoughtbox.search.spelling import distance
from thoughtbox.search.words import words

NAME, TITLE, SUMMARY, DESCRIPTION, ARGUMENT, ROOM = 3.0, 2.0, 2.0, 0.5, 0.25, 0.25
"""What a mention counts, by where it stands."""

SATURATION = 1.5
"""How soon further mentions of a word stop to matter."""

LENGTH_MATTERS = 0.5
"""How much: between not at all (0) and in full (1)."""

BEGUN, MISSPELT, GLUE = 0.9, 0.6, 0.1
"""What a word says of another that it is a part of, or a misspelling; or that only holds a sentence together. In a name
such a word may say something: the `get` of `get_thought`."""

MEANT_BY_NAME = 100.0
"""Added to what was called by its name, as nobody does by chance."""

SHORTEST_BEGUN, SHORTEST_BEGINNING, SHORTEST_MISSPELT, LONG = 3, 5, 5, 8
"""Letters of a word that may be begun only, that may be the beginning of another, that may be misspelt, and that may
be so in two places."""

MOST_IS_THERE = 0.6
"""Of a word that was begun, if it is not the last of the query: that one may still be typed."""

MOST_LOOKED_AT = 30
"""Words of a query; it is a query, not a text."""

_GLUE = frozenset(["two", "three", "four", "five", "several", "many", "few", "down", "out", "away"])
"""Words that only hold a sentence together, beside those that texts are searched without."""

_IN_SENTENCE = "~"
"""Stands before such a word where it is no name. They are looked for when there is nothing else to look for."""

_HUMP = re.compile("(?<=[a-z0-9])(?=[A-Z])")
"""Where a word ends in a name such as `sessionId`."""

_UN = "un-"
"""Stands for what undoes something: the beginning of `undelete` and `uninstall`, and of `undo`."""

Texts = Iterable[tuple[float, str]]


class Found(NamedTuple):
    """Something that fits a query."""

    what: str
    """`operation`, `kind`, `relation`, `prompt` or `resource`."""
    name: str
    """As it is called or fetched: below `tb`, or by its address."""
    summary: str
    score: float
    entry: Mapping[str, Any]
    """All that the catalog says of it."""


class _Entry(NamedTuple):
    found: Found
    mentions: Mapping[str, float]
    """By stem: how often it is mentioned, as far as that counts."""
    length: float


class Ranking:
    """A catalog that was read, and can be asked."""

    def __init__(self, catalog: Catalog) -> None:
        self._entries = [_read(found, texts) for found, texts in _entries(catalog)]
        self._average = sum(entry.length for entry in self._entries) / max(len(self._entries), 1)
        self._where: dict[str, list[int]] = defaultdict(list)
        self._named: dict[tuple[str, ...], list[int]] = defaultdict(list)
        for place, entry in enumerate(self._entries):
            for word in entry.mentions:
                self._where[word].append(place)
            for name in _names(entry.found.name):
                self._named[name].append(place)
        self._letters = {word: frozenset(word) for word in self._where}

    def ranked(self, query: str) -> list[Found]:
        """What fits, the best first; the same query always gives the same."""
        scores: dict[int, float] = defaultdict(float)
        for meant in self._meant(query):
            best: dict[int, float] = {}
            for word, share in meant.items():
                weight = share * self._weight(word)
                for place in self._where[word]:
                    best[place] = max(best.get(place, 0.0), weight * self._said(place, word))
            for place, said in best.items():
                scores[place] += said
        for place in self._named.get(tuple(_words(query)), ()):
            scores[place] += MEANT_BY_NAME
        found = sorted(scores.items(), key=lambda each: (-each[1], each[0]))
        return [self._entries[place].found._replace(score=round(score, 4)) for place, score in found]

    def _weight(self, word: str) -> float:
        """What a word says, by how many entries have it."""
        having = len(self._where[word])
        return log(1 + (len(self._entries) - having + 0.5) / (having + 0.5))

    def _said(self, place: int, word: str) -> float:
        entry = self._entries[place]
        mentions = entry.mentions[word]
        norm = SATURATION * (1 - LENGTH_MATTERS + LENGTH_MATTERS * entry.length / self._average)
        return mentions * (SATURATION + 1) / (mentions + norm)

    def _meant(self, query: str) -> Iterator[dict[str, float]]:
        """Each word of the query as the words of the catalog that it may stand for, and how surely."""
        said = list(dict.fromkeys(_words(query)))[:MOST_LOOKED_AT]
        if all(map(_is_glue, said)):
            yield from ({word: 1.0} for word in map(_in_sentence, said) if word in self._where)
        for one, other in pairwise(said):
            if (joined := f"{stem(one)}{stem(other)}") in self._where:
                yield {joined: 1.0}
        for word in said:
            root = stem(word)
            if root in self._where:
                yield {root: GLUE} if _is_glue(word) else {**self._shorter(root), root: 1.0}
            elif not _is_glue(word):
                yield from self._undone(word) or self._guessed(root, is_last=word == said[-1])

    def _undone(self, word: str) -> list[dict[str, float]]:
        """For a word such as `undo`: what undoes something, and what is undone, if that is known."""
        opposite = _opposite(word)
        if opposite is None or not (is_stop_word(opposite) or stem(opposite) in self._where):
            return []
        return [{each: 1.0} for each in (_UN, stem(opposite)) if each in self._where]

    def _guessed(self, root: str, *, is_last: bool) -> list[dict[str, float]]:
        guessed = {**self._longer(root, is_last=is_last), **self._shorter(root)} or self._misspelt(root)
        return [guessed] if guessed else []

    def _longer(self, root: str, *, is_last: bool) -> dict[str, float]:
        """Words that begin with this one: the less is missing, the surer."""
        if len(root) < SHORTEST_BEGUN:
            return {}
        shares = {word: len(root) / len(word) for word in self._where if word.startswith(root)}
        return {word: BEGUN * share for word, share in shares.items() if is_last or share >= MOST_IS_THERE}

    def _shorter(self, root: str) -> dict[str, float]:
        """Words that this one begins with."""
        begun = (root[:end] for end in range(SHORTEST_BEGINNING, len(root)))
        return {word: BEGUN * len(word) / len(root) for word in begun if word in self._where}

    def _misspelt(self, root: str) -> dict[str, float]:
        if len(root) < SHORTEST_MISSPELT:
            return {}
        farthest = 1 if len(root) < LONG else 2
        letters = set(root)
        alike = [word for word, own in self._letters.items() if len(own ^ letters) <= 2 * farthest]
        costs = {word: distance(root, word, farthest) for word in alike}
        least = min(costs.values(), default=farthest + 1)
        return {word: MISSPELT for word, cost in costs.items() if cost == least} if least <= farthest else {}


_kept: list[tuple[Catalog, Ranking]] = []


def ranked(query: str, catalog: Catalog) -> list[Found]:
    """What in the catalog fits the query, the best first. A catalog is read once."""
    if not _kept or _kept[0][0] is not catalog:
        _kept[:] = [(catalog, Ranking(catalog))]
    return _kept[0][1].ranked(query)


def _entries(catalog: Catalog) -> Iterator[tuple[Found, Texts]]:
    """Everything in the catalog, with its texts and what they count."""
    for each in catalog["operations"]:
        summary = each["summary"]
        texts = [(ROOM, each["room"]), (NAME, each["name"].partition(".")[2]), (TITLE, each["title"])]
        texts += [(SUMMARY, summary), (DESCRIPTION, each["description"].removeprefix(summary))]
        texts += [(ARGUMENT, name) for name in each["input"].get("properties", {})]
        yield Found("operation", each["name"], summary, 0.0, each), texts
    for each in catalog["kinds"]:
        title = f"record a {each['name']}" if each["authored"] else ""
        texts = [(NAME, each["name"]), (TITLE, title), (SUMMARY, each["summary"])]
        texts += [(ARGUMENT, name) for name in each["attrs"]]
        yield Found("kind", each["name"], each["summary"], 0.0, each), texts
    for each in catalog["relations"]:
        texts = [(NAME, each["name"]), (SUMMARY, each["summary"])]
        yield Found("relation", each["name"], each["summary"], 0.0, each), texts
    for each in catalog["prompts"]:
        texts = [(NAME, each["name"]), (TITLE, each["title"]), (SUMMARY, each["description"])]
        texts += [(ARGUMENT, argument["name"]) for argument in each["arguments"]]
        yield Found("prompt", each["name"], each["description"], 0.0, each), texts
    for each in catalog["resources"]:
        texts = [(NAME, each["name"]), (TITLE, each["title"]), (SUMMARY, each["description"])]
        texts += [(ARGUMENT, name) for name in each["arguments"]]
        yield Found("resource", each["uri"], each["description"], 0.0, each), texts


def _read(found: Found, texts: Texts) -> _Entry:
    mentions: dict[str, float] = defaultdict(float)
    held: dict[str, float] = defaultdict(float)
    for weight, text in texts:
        for word in _words(text):
            if weight != NAME and _is_glue(word):
                held[_in_sentence(word)] += weight
                continue
            mentions[stem(word)] += weight
            if weight == NAME and _opposite(word) is not None:
                mentions[_UN] += weight
    return _Entry(found, {**mentions, **held}, sum(mentions.values()))


def _names(name: str) -> Iterator[tuple[str, ...]]:
    """What a thing may be called by whoever knows it: its name, or the end of it behind a dot or a slash."""
    parts = name.replace("://", ".").replace("/", ".").split(".")
    for start in range(len(parts)):
        yield tuple(_words(" ".join(parts[start:])))


def _in_sentence(word: str) -> str:
    return f"{_IN_SENTENCE}{stem(word)}"


def _is_glue(word: str) -> bool:
    return word in _GLUE or is_stop_word(word)


def _opposite(word: str) -> str | None:
    """What a word may undo; None when it is none that does."""
    return word[2:] if word.startswith("un") and len(word) > 3 else None


def _words(text: str) -> list[str]:
    """The words of a text; a name in it is as many as it is made of, and `tb` before one says nothing."""
    return [word for word in words(_HUMP.sub(" ", text)) if word != "tb"]
