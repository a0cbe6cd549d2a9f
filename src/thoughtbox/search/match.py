"""A query in the words of each engine. It is always bound as a parameter, and its words hold no syntax."""

from __future__ import annotations

from thoughtbox.search.query import Query, Term
from thoughtbox.search.words import Indexed

REST_PLACE = 16_383
"""Where PostgreSQL is told that words without order stand: behind all others, and next to none."""

MOST_PLACES = 255
"""How many places of one word PostgreSQL remembers."""


def for_sqlite(query: Query) -> str:
    """The query as FTS5 takes it."""
    groups = (" OR ".join(map(_fts5, group)) for group in query.wanted)
    wanted = " AND ".join(f"({group})" for group in groups)
    if not query.excluded:
        return wanted
    return f"({wanted}) NOT ({' OR '.join(map(_fts5, query.excluded))})"


def for_postgres(query: Query) -> str:
    """The query as a tsquery."""
    return " & ".join([wanted_in_postgres(query), *(f"!({_tsquery(term)})" for term in query.excluded)])


def wanted_in_postgres(query: Query) -> str:
    """What is wanted alone, to rank by."""
    groups = (" | ".join(f"({_tsquery(term)})" for term in group) for group in query.wanted)
    return " & ".join(f"({group})" for group in groups)


def tsvector(text: Indexed) -> str:
    """The words of a text as a tsvector."""
    found: dict[str, list[str]] = {}
    for place, word in enumerate(text.said, start=1):
        found.setdefault(word, []).append(str(place))
    said = [f"'{word}':{','.join(places[:MOST_PLACES])}" for word, places in found.items()]
    return " ".join([*said, *(f"'{word}':{REST_PLACE}" for word in text.rest)])


def _fts5(term: Term) -> str:
    # The words of a phrase stand in order in one column only.
    column = "said : " if len(term.words) > 1 else ""
    return f'{column}"{" ".join(term.words)}"{" *" if term.prefix else ""}'


def _tsquery(term: Term) -> str:
    return " <-> ".join(f"'{word}'" for word in term.words) + (":*" if term.prefix else "")
