"""What a sentence says, as far as words tell: the words that carry it, and whether it says so or the opposite."""

from __future__ import annotations

import re
import tomllib
from functools import cache, lru_cache
from typing import NamedTuple

from thoughtbox import content

_WORD = re.compile(r"\w+(?:[.'+/-]\w+)*%?")
_CLAUSE = re.compile(r"[,;:()]|\s[–—-]\s|\b(?:but|while|whereas|although|though|however)\b", re.IGNORECASE)
_CONDITION = re.compile(r"\s*(?:if|when|whenever|unless|in case|should|suppose|assuming)\b", re.IGNORECASE)
_NUMBER = re.compile(r"\d")
_ENDINGS = (
    ("ments", ""), ("ment", ""), ("ations", "at"), ("ation", "at"), ("ingly", ""), ("edly", ""), ("ings", ""),
    ("ing", ""), ("ies", "y"), ("ied", "y"), ("ed", ""), ("es", ""), ("ly", ""), ("s", ""), ("e", ""),
)  # fmt: skip
_DOUBLING = ("ing", "ings", "ed")
"""Endings before which a consonant may stand twice: running, stopped."""
_SHORTEST_DOUBLE = 3
_VOWELS = frozenset("aeiouy")
_LONGEST_WORD = 64


class Words(NamedTuple):
    """The words of the comparison, as data."""

    empty: frozenset[str]
    negations: frozenset[str]
    opposites: dict[str, str]
    light: frozenset[str]
    leaving_out: frozenset[str]


@cache
def words() -> Words:
    told = tomllib.loads(content.text("memory/meaning.toml"))
    return Words(
        frozenset(told["empty"].split()),
        frozenset(told["negations"].split()),
        told["opposites"],
        frozenset(map(stem, told["light"]["verbs"].split())),
        frozenset(told["light"]["leaving_out"].split()),
    )


class Clause(NamedTuple):
    """A part of a sentence that is affirmed or negated as one."""

    stems: frozenset[str]
    negated: bool
    condition: bool
    """Whether it only says under what circumstances."""
    leaves_out: bool
    """Whether it says that something is not done at all."""


class Meaning(NamedTuple):
    """What a sentence says."""

    clauses: tuple[Clause, ...]
    stems: frozenset[str]
    numbers: frozenset[str]
    is_question: bool

    @property
    def asserted(self) -> Meaning:
        """The same without the circumstances."""
        return _of(tuple(clause for clause in self.clauses if not clause.condition), self.is_question)

    def negates(self, stems: frozenset[str]) -> bool:
        """Whether a clause that speaks of these is negated."""
        return any(clause.negated for clause in self.clauses if clause.stems & stems)


def meaning(sentence: str) -> Meaning:
    clauses = map(_clause, _parts(sentence))
    return _of(tuple(clause for clause in clauses if clause.stems or clause.negated), _asks(sentence))


def _of(clauses: tuple[Clause, ...], is_question: bool) -> Meaning:
    stems = frozenset().union(*(clause.stems for clause in clauses))
    return Meaning(clauses, stems, frozenset(stem for stem in stems if _NUMBER.search(stem)), is_question)


def _asks(text: str) -> bool:
    return text.rstrip("\"'”’)]* ").endswith("?")


def _parts(text: str) -> list[str]:
    return [part for part in _CLAUSE.split(_spelled_out(text)) if part.strip()]


def _spelled_out(text: str) -> str:
    text = text.replace("’", "'")
    text = re.sub(r"\bcan't\b", "can not", text, flags=re.IGNORECASE)
    text = re.sub(r"\bwon't\b", "will not", text, flags=re.IGNORECASE)
    text = re.sub(r"n't\b", " not", text, flags=re.IGNORECASE)
    text = re.sub(r"\b(?:instead of|rather than|other than)\b", " without ", text, flags=re.IGNORECASE)
    return re.sub(r"\bno longer\b", " not ", text, flags=re.IGNORECASE)


def _clause(part: str) -> Clause:
    known = words()
    found = [word.lower().removesuffix("'s")[:_LONGEST_WORD] for word in _WORD.findall(part)]
    negations = sum(word in known.negations or word in known.opposites for word in found)
    said = (known.opposites.get(word, word) for word in found if word not in known.empty | known.negations)
    return Clause(
        frozenset(map(stem, said)),
        negations % 2 == 1,
        _CONDITION.match(part) is not None,
        any(word in known.leaving_out for word in found),
    )


@lru_cache(maxsize=4096)
def stem(word: str) -> str:
    """What the forms of an English word have in common, roughly; the same for the same word is all that matters."""
    if _NUMBER.search(word):
        return word
    for ending, instead in _ENDINGS:
        rest = word[: len(word) - len(ending)] + instead
        if word.endswith(ending) and _is_a_form(word, ending, rest):
            return _without_double_end(rest) if ending in _DOUBLING else rest
    return word


def _is_a_form(word: str, ending: str, rest: str) -> bool:
    """Whether a word is another one with this ending, rather than one that happens to end so: speed, sing, class."""
    if ending in _DOUBLING:
        return not word.endswith("eed") and len(rest) >= 2 and not _VOWELS.isdisjoint(rest)
    return len(rest) >= (2 if ending in ("e", "es") else 3) and not (ending == "s" and word.endswith("ss"))


def _without_double_end(rest: str) -> str:
    is_double = len(rest) > _SHORTEST_DOUBLE and rest[-1] == rest[-2] and rest[-1] not in "lsz"
    return rest[:-1] if is_double else rest
