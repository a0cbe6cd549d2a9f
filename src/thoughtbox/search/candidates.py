"""Which entries are compared with each other, and in which order they come out.

The index says for each word which entries have it. Those are weighed as if each had it once; then the best of them
are read, and rated by all that is known (see `ranking.py`). Where more match than can be compared, the rarest words
choose, and all of them rate.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from heapq import nlargest
from typing import NamedTuple

from thoughtbox.engine.protocol import Row
from thoughtbox.search.indexes import MOST_MATCHES, Index, Scope, length_of
from thoughtbox.search.match import Match, Sought
from thoughtbox.search.query import Query, Term
from thoughtbox.search.ranking import Aim, Scores, of_one_mention, weight
from thoughtbox.search.vocabulary import NEAREST, Vocabulary

MOST_RANKED = 500
"""Entries that are read and rated, and so the most that are ever listed."""

READ_AT_ONCE = 250

Reading = Callable[[Sequence[int], Scope], list[Row]]
"""Reads entries by number; those that do not stand, or are out of scope, are left out."""


class _Term(NamedTuple):
    """A term of the query, and in how many entries it is, more or less."""

    term: Term
    sought: Sought
    entries: int


class Search:
    """One query, on its way to what it finds."""

    def __init__(self, query: Query, scope: Scope, index: Index, vocabulary: Vocabulary, reading: Reading) -> None:
        self._query = query
        self._scope = scope
        self._index = index
        self._vocabulary = vocabulary
        self._reading = reading
        self._totals = vocabulary.totals()
        self._wanted, self._demanded = self._resolved()
        self.note: str | None = None
        """What to tell whoever asked, once it was found."""

    def found(self) -> list[tuple[Row, float]]:
        """The entries, as they were read, and how well each fits: the best first, of equals the newest."""
        terms = [*self._wanted, *(term for group in self._demanded for term in group)]
        scores = Scores([Aim(term.sought, self._weight(term)) for term in terms], self._totals.average)
        rated = [(scores.of(row[4]), row) for row in self._best_of(self._weighed())]
        if not rated:
            self.note = self._nothing()
        return [(row, score) for score, row in sorted(rated, key=lambda each: (-each[0], -each[1][0]))]

    def in_blocks(self, size: int, most: int) -> Iterator[list[tuple[Row, float]]]:
        """The same, a block at a time, and no more is read than is asked for.

        The blocks are in order of what can be said before entries are read, each is in order of all that is known:
        so the first one does not change with how many are read. Of more than `most` entries that match, those that
        have all words come first, then the newest that have the rarest one.
        """
        terms = self._wanted
        scores = Scores([Aim(term.sought, self._weight(term)) for term in terms], self._totals.average)
        counts = of_one_mention(self._totals.average)
        weighed = self._newest_weighed(most)
        in_order = [(weight * counts[length_of(number)], number) for number, weight in weighed.items()]
        done = 0
        while done < len(in_order):
            if done == 0:
                block = nlargest(size, in_order)
            else:
                if done == size:
                    in_order.sort(reverse=True)
                block = in_order[done : done + size]
            done += size
            rows = self._reading([number for _, number in block], self._scope)
            rated = [(scores.of(row[4]), row) for row in rows]
            yield [(row, score) for score, row in sorted(rated, key=lambda each: (-each[0], -each[1][0]))]

    def nothing(self) -> str:
        """Why nothing was found, for whoever asked."""
        return self._nothing()

    def _newest_weighed(self, most: int) -> dict[int, float]:
        weighed: dict[int, float] = {}
        in_order = sorted(self._wanted, key=lambda term: term.entries)
        if len(in_order) > 1 and sum(term.entries for term in in_order) > most:
            together = Match(tuple((term.sought,) for term in in_order))
            weight = sum(map(self._weight, in_order))
            weighed = dict.fromkeys(self._index.newest(together, self._scope, most), weight)
        room = most
        for term in in_order:
            if room < min(most, term.entries):
                break
            room -= term.entries
            weight = self._weight(term)
            for number in self._index.newest(Match(((term.sought,),)), self._scope, most):
                weighed[number] = weighed.get(number, 0.0) + weight
        return weighed

    def _resolved(self) -> tuple[list[_Term], list[tuple[_Term, ...]]]:
        """The terms that are wanted, each once whatever its form, and those that are demanded."""
        query, vocabulary = self._query, self._vocabulary
        stems = {stem for term in query.terms for stem in term.stems}
        entries = vocabulary.frequencies(stems)

        def resolved(term: Term) -> _Term:
            sought = vocabulary.sought(term)
            counts = [entries.get(stem, 0) for stem in term.stems]
            if term.prefix:
                counts[-1] = vocabulary.beginning_so(term.stems[-1])
            return _Term(term, sought, min(counts))

        once = {term.stems: term for term in reversed(query.wanted)}
        wanted = [resolved(term) for term in query.wanted if once[term.stems] is term]
        return wanted, [tuple(map(resolved, group)) for group in query.demanded]

    def _weight(self, term: _Term) -> float:
        return weight(term.entries, self._totals.entries)

    def _weighed(self) -> dict[int, float]:
        """Entries that match, and what it says that they do, as if they had each word once."""
        demands = tuple(tuple(term.sought for term in group) for group in self._demanded)
        excluded = tuple(map(self._vocabulary.sought, self._query.excluded))
        weighed: dict[int, float] = {}
        if demands:
            matching = self._index.numbers(Match(demands, excluded), self._scope)
            self._say_if_cut(matching)
            weighed = dict.fromkeys(matching, 1.0)
        for term in self._choosing():
            matching = self._index.numbers(Match(((term.sought,), *demands), excluded), self._scope)
            if not demands:
                self._say_if_cut(matching)
            weight = self._weight(term)
            for number in matching:
                weighed[number] = weighed.get(number, 0.0) + weight
        return weighed

    def _choosing(self) -> Iterator[_Term]:
        """The wanted terms that choose: the rarest ones, as long as not too much matches; at least one."""
        room = MOST_MATCHES
        in_order = sorted(self._wanted, key=lambda term: term.entries)
        for place, term in enumerate(in_order):
            room -= term.entries
            if room < 0 and place and in_order[place - 1].entries:
                chosen = ", ".join(str(each.term) for each in in_order[:place])
                self.note = f"Very many records match: those with {chosen} were chosen, and all words rank them."
                return
            yield term

    def _say_if_cut(self, matching: Sequence[int]) -> None:
        if len(matching) == MOST_MATCHES:
            self.note = f"{MOST_MATCHES:,} records or more match: the shortest {MOST_MATCHES:,} of them were ranked."

    def _best_of(self, weighed: dict[int, float]) -> Iterator[Row]:
        """The entries to be rated, as far as they stand: the best as far as can be said before they are read."""
        counts = of_one_mention(self._totals.average)
        in_order = [(weight * counts[length_of(number)], number) for number, weight in weighed.items()]
        room = MOST_RANKED
        asked = MOST_RANKED
        start = 0
        while room > 0 and start < len(in_order):
            best = nlargest(asked, in_order)
            for place in range(start, len(best), READ_AT_ONCE):
                rows = self._reading([number for _, number in best[place : place + READ_AT_ONCE]], self._scope)
                yield from rows[:room]
                room -= len(rows)
                if room <= 0:
                    return
            start, asked = asked, asked * 4

    def _nothing(self) -> str:
        """Why nothing was found, and what is there that was perhaps meant."""
        words = dict.fromkeys(word for term in self._query.terms for word in term.words[: -1 if term.prefix else None])
        unknown = [self._unknown(word) for word in words if not self._is_known(word)]
        if unknown:
            return f"Nothing was found. Not known here: {', '.join(unknown)}."
        return "Nothing was found: each of the words is known here, but no text has all that the query demands."

    def _unknown(self, word: str) -> str:
        near = [known for known in self._vocabulary.near(word) if self._is_known(known)][:NEAREST]
        return f"{word} (near: {', '.join(near)})" if near else word

    def _is_known(self, word: str) -> bool:
        """Whether anything that stands has this word."""
        everywhere = Scope(self._scope.as_of)
        match = Match(((Sought.of(Term((word,))),),))
        if (newest := self._index.newest(match, everywhere, READ_AT_ONCE)) and self._reading(newest, everywhere):
            return True
        numbers = self._index.numbers(match, everywhere)
        for start in range(0, len(numbers), READ_AT_ONCE):
            if self._reading(numbers[start : start + READ_AT_ONCE], everywhere):
                return True
        return False
