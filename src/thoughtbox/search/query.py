"""What may be asked: a question, or a small language in which nothing is an error.

    why was the cache cold     any of these words; the more, the rarer and the closer together, the better
    +cache                     this word must be there
    "cache write"              these words, one after the other
    cach*                      a word that begins so
    -write                     not this word
    all: cache write           all of these words
    "cold cache" OR +buffer    either; between words that nobody demands, OR means nothing

Everything else is taken as it stands. What holds several words, such as `ledger.py`, asks for them one
after the other where it is demanded or excluded. Words that a question is put together with (`why`, `was`, `the`)
are not looked for, unless there is nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from thoughtbox.search.english import is_stop_word, stem
from thoughtbox.search.words import places, stands_alone

LONGEST_QUERY = 10_000
"""Characters of a query that are looked at."""

MOST_WORDS = 64
"""Words of a query that are looked for."""

_ALL = re.compile(r"\s*all:", re.IGNORECASE)
_PIECE = re.compile(r'(?P<sign>[-+])?(?:"(?P<phrase>[^"]*)"(?P<star>\*)?|(?P<plain>[^\s"]+))')


class Term(NamedTuple):
    """One or more words that stand one after the other; with `prefix`, the last may go on."""

    words: tuple[str, ...]
    prefix: bool = False

    @property
    def stems(self) -> tuple[str, ...]:
        """What the index has for these words; of one that may go on, its beginning."""
        stems = tuple(map(stem, self.words))
        return (*stems[:-1], self.words[-1]) if self.prefix else stems

    def __str__(self) -> str:
        said = self.words[0] if len(self.words) == 1 else f'"{" ".join(self.words)}"'
        return f"{said}*" if self.prefix else said


class Query(NamedTuple):
    """Any of `wanted`, one of each group of `demanded`, and none of `excluded`."""

    wanted: tuple[Term, ...] = ()
    demanded: tuple[tuple[Term, ...], ...] = ()
    excluded: tuple[Term, ...] = ()
    is_cut: bool = False
    """Whether it was too long to be looked at as a whole."""

    @property
    def terms(self) -> list[Term]:
        """All that may be found."""
        return [*self.wanted, *(term for group in self.demanded for term in group)]

    @property
    def note(self) -> str | None:
        """What whoever asked should know."""
        if not self.terms:
            missing = "a word that is wanted, not only excluded ones" if self.excluded else "a word to look for"
            return f"Nothing was looked for: the query needs {missing}."
        if self.is_cut:
            return f"Only the first {MOST_WORDS} words of the query were looked for."
        return None


class _Piece(NamedTuple):
    term: Term
    sign: str = ""
    is_demanded: bool = False
    is_or: bool = False

    @property
    def is_excluded(self) -> bool:
        return self.sign == "-"

    @property
    def may_be_joined(self) -> bool:
        return not self.is_excluded and not self.is_or


def parse(text: str) -> Query:
    """What the text asks for. Every text asks for something, if only for nothing."""
    text, is_short = text[:LONGEST_QUERY], len(text) <= LONGEST_QUERY
    wants_all = _ALL.match(text)
    pieces, is_cut = _within_bounds(_pieces(text[wants_all.end() :] if wants_all else text))
    excluded = tuple(piece.term for piece in pieces if piece.is_excluded)
    groups = [_Group(group, bool(wants_all)) for group in _groups(pieces)]
    telling = [group for group in groups if not group.says_nothing] or groups
    return Query(
        wanted=tuple(dict.fromkeys(term for group in telling if not group.is_demanded for term in group.single_terms)),
        demanded=tuple(dict.fromkeys(group.terms for group in telling if group.is_demanded)),
        excluded=excluded,
        is_cut=is_cut or not is_short,
    )


def any_of(text: str) -> Query:
    """What blanks separate, each as it stands and any of it: here no sign means anything."""
    terms = dict.fromkeys(_term(chunk, prefix=False) for chunk in text[:LONGEST_QUERY].split())
    pieces, is_cut = _within_bounds(_Piece(term) for term in terms if term.words)
    return Query(wanted=tuple(piece.term for piece in pieces), is_cut=is_cut or len(text) > LONGEST_QUERY)


class _Group:
    """Pieces that are joined by OR; mostly one alone."""

    def __init__(self, pieces: Sequence[_Piece], wants_all: bool) -> None:
        self.is_demanded = wants_all or any(piece.is_demanded for piece in pieces)
        self.terms = tuple(piece.term for piece in pieces)
        self._is_signed = any(piece.is_demanded for piece in pieces)

    @property
    def says_nothing(self) -> bool:
        """Whether it is nothing but words that a question is put together with."""
        return not self._is_signed and all(is_stop_word(word) for term in self.terms for word in term.words)

    @property
    def single_terms(self) -> Iterator[Term]:
        """Each of its words by itself; of words without spaces between them, every two that are neighbours."""
        for term in self.terms:
            run: list[str] = []
            for word in (*term.words, ""):
                if stands_alone(word):
                    run.append(word)
                    continue
                yield from (Term(pair) for pair in pairwise(run))
                if len(run) == 1:
                    yield Term((run[0],))
                run = []
                if word:
                    yield Term((word,))


def _groups(pieces: Sequence[_Piece]) -> Iterator[list[_Piece]]:
    """The pieces that are looked for, those with OR between them together."""
    group: list[_Piece] = []
    joins = False
    for before, piece, behind in zip([None, *pieces], pieces, [*pieces[1:], None], strict=False):
        if piece.is_excluded:
            continue
        if piece.is_or and before and before.may_be_joined and behind and behind.may_be_joined:
            joins = True
            continue
        if group and not joins:
            yield group
            group = []
        group.append(piece)
        joins = False
    if group:
        yield group


def _pieces(text: str) -> Iterator[_Piece]:
    was_or = False
    for found in _PIECE.finditer(text):
        if found["plain"] is None:
            term = _term(found["phrase"], prefix=found["star"] is not None)
        else:
            term = _plain_term(found["plain"])
        is_or = found[0] == "OR"
        # OR twice says no more than once.
        if term.words and not (is_or and was_or):
            sign = found["sign"] or ""
            yield _Piece(term, sign, sign == "+" or found["plain"] is None or term.prefix, is_or)
            was_or = is_or


def _plain_term(chunk: str) -> Term:
    beginning = chunk.rstrip("*")
    return _term(beginning, prefix=beginning != chunk)


def _term(text: str, *, prefix: bool) -> Term:
    found = list(places(text))
    # In `src/*` the star is not behind a word, and means nothing.
    return Term(tuple(word.folded for word in found), prefix and bool(found) and found[-1].end == len(text))


def _within_bounds(pieces: Iterator[_Piece]) -> tuple[list[_Piece], bool]:
    """As many pieces as have words enough, the last of them perhaps cut; whether anything was cut."""
    kept: list[_Piece] = []
    room = MOST_WORDS
    for piece in pieces:
        words = piece.term.words
        if len(words) > room:
            if room:
                kept.append(piece._replace(term=Term(words[:room])))
            return kept, True
        kept.append(piece)
        room -= len(words)
    return kept, False
