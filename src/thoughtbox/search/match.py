"""What is looked for in the words of each engine. It is always bound as a parameter, and its words hold no syntax."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from thoughtbox.search.query import Term
from thoughtbox.search.words import Indexed

REST_PLACE = 16_383
"""Where PostgreSQL is told that words without order stand: behind all others, and next to none."""

MOST_PLACES = 255
"""How many places of one word PostgreSQL remembers."""


class Sought(NamedTuple):
    """A term as the index has it: stems that follow each other, and what else may stand in the place of the last."""

    stems: tuple[str, ...]
    prefix: bool = False
    others: tuple[str, ...] = ()
    """Stems of words that begin as they should, although they themselves do not: `decis` for `decisi*`."""

    @classmethod
    def of(cls, term: Term, others: tuple[str, ...] = ()) -> Sought:
        return cls(term.stems, term.prefix, others)

    def ends_with(self, word: str) -> bool:
        """Whether the stem may stand in the last place."""
        if word in self.others:
            return True
        return word.startswith(self.stems[-1]) if self.prefix else word == self.stems[-1]


class Match(NamedTuple):
    """One of each group, and none of the excluded."""

    groups: tuple[tuple[Sought, ...], ...]
    excluded: tuple[Sought, ...] = ()


def for_sqlite(match: Match) -> str:
    """The match as FTS5 takes it."""
    wanted = " AND ".join(f"({' OR '.join(map(_fts5, group))})" for group in match.groups)
    if not match.excluded:
        return wanted
    return f"({wanted}) NOT ({' OR '.join(map(_fts5, match.excluded))})"


def for_postgres(match: Match) -> str:
    """The match as a tsquery."""
    groups = (f"({' | '.join(f'({_tsquery(sought)})' for sought in group)})" for group in match.groups)
    return " & ".join([*groups, *(f"!({_tsquery(sought)})" for sought in match.excluded)])


def tsvector(text: Indexed, marks: Iterable[str] = ()) -> str:
    """The words of a text, and the marks that it has, as a tsvector."""
    found: dict[str, list[str]] = {}
    for place, word in enumerate(text.said, start=1):
        found.setdefault(word, []).append(str(place))
    said = [f"'{word}':{','.join(places[:MOST_PLACES])}" for word, places in found.items()]
    return " ".join([*said, *(f"'{word}':{REST_PLACE}" for word in (*text.rest, *marks))])


def _fts5(sought: Sought) -> str:
    *before, last = sought.stems
    # The words of a phrase stand in order in one column only.
    column = "said : " if before else ""
    phrase = " ".join([*before, ""])
    endings = [f'"{phrase}{last}"{" *" if sought.prefix else ""}', *(f'"{phrase}{each}"' for each in sought.others)]
    return " OR ".join(f"{column}{ending}" for ending in endings)


def _tsquery(sought: Sought) -> str:
    *before, last = sought.stems
    endings = " | ".join([f"'{last}'{':*' if sought.prefix else ''}", *(f"'{each}'" for each in sought.others)])
    return " <-> ".join([*(f"'{word}'" for word in before), f"({endings})" if sought.others else endings])
