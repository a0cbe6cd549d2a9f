"""What may be asked: a small language in which nothing is an error.

    cache write          both words
    "cache write"        these words, one after the other
    cach*                words that begin so
    cache -write         the first, and not the second
    cache OR buffer      either; OR binds tighter than the space between words

Everything else is taken as it stands. What holds several words, such as `ledger.py`,
asks for them one after the other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from thoughtbox.search.words import places

LONGEST_QUERY = 10_000
"""Characters of a query that are looked at."""

MOST_WORDS = 64
"""Words of a query that are looked for."""

_PIECE = re.compile(r'(?P<minus>-)?(?:"(?P<phrase>[^"]*)"(?P<star>\*)?|(?P<plain>[^\s"]+))')


class Term(NamedTuple):
    """One or more words that stand one after the other; with `prefix`, the last may go on."""

    words: tuple[str, ...]
    prefix: bool = False


class Query(NamedTuple):
    """One term of each group of `wanted`, and none of `excluded`."""

    wanted: tuple[tuple[Term, ...], ...]
    excluded: tuple[Term, ...] = ()
    is_cut: bool = False
    """Whether it was too long to be looked at as a whole."""

    @property
    def terms(self) -> list[Term]:
        """All that may be found."""
        return [term for group in self.wanted for term in group]

    @property
    def note(self) -> str | None:
        """What whoever asked should know."""
        if not self.wanted:
            missing = "a word that is wanted, not only excluded ones" if self.excluded else "a word to look for"
            return f"Nothing was looked for: the query needs {missing}."
        if self.is_cut:
            return f"Only the first {MOST_WORDS} words of the query were looked for."
        return None


class _Piece(NamedTuple):
    term: Term
    is_excluded: bool = False
    is_or: bool = False

    @property
    def is_wanted(self) -> bool:
        return not self.is_excluded and not self.is_or


def parse(text: str) -> Query:
    """What the text asks for. Every text asks for something, if only for nothing."""
    pieces, is_cut = _within_bounds(_pieces(text[:LONGEST_QUERY]))
    wanted: list[tuple[Term, ...]] = []
    joins = False
    for before, piece, behind in zip([None, *pieces], pieces, [*pieces[1:], None], strict=False):
        if piece.is_excluded:
            continue
        if piece.is_or and before and before.is_wanted and behind and behind.is_wanted:
            joins = True
        elif joins:
            wanted[-1] += (piece.term,)
            joins = False
        else:
            wanted.append((piece.term,))
    excluded = tuple(piece.term for piece in pieces if piece.is_excluded)
    return Query(tuple(wanted), excluded, is_cut or len(text) > LONGEST_QUERY)


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
            yield _Piece(term, is_excluded=found["minus"] is not None, is_or=is_or)
            was_or = is_or


def _plain_term(chunk: str) -> Term:
    stem = chunk.rstrip("*")
    return _term(stem, prefix=stem != chunk)


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
