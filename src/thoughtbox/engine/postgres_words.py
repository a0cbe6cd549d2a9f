"""Statements in PostgreSQL's words.

They are written once, in words that SQLite understands too: `?` for parameters, and
SQLite's types in the definition of a table. What PostgreSQL says differently is
changed here and nowhere else.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import count
from typing import NamedTuple

_TOKEN = re.compile(
    r"""
      (?P<quoted> '(?:[^']|'')*' | "(?:[^"]|"")*" | --[^\n]* | /\*.*?\*/ )
    | (?P<mark>   \? )
    """,
    re.VERBOSE | re.DOTALL,
)
_TABLE = re.compile(r"\s*(?:CREATE(?:\s+TEMP)?|ALTER)\s+TABLE\b", re.IGNORECASE)
_TABLE_OPTIONS = re.compile(r"\)\s*(?:(?:STRICT|WITHOUT\s+ROWID)\s*,?\s*)+$", re.IGNORECASE)
_READS = re.compile(r"\s*SELECT\b", re.IGNORECASE)

# Text sorts by code point, as it does in SQLite; REAL alone would have half of SQLite's precision.
_TYPES = {"BLOB": "BYTEA", "INTEGER": "BIGINT", "REAL": "DOUBLE PRECISION", "TEXT": 'TEXT COLLATE "C"'}
_TYPE = re.compile(
    r"""
      (?P<quoted> '(?:[^']|'')*' | "(?:[^"]|"")*" )
    | \b(?P<cast> AS \s+ )?(?P<type> BLOB | INTEGER | REAL | TEXT )\b
    """,
    re.VERBOSE,  # types are written in capitals: a column may be called `text`
)


class Statement(NamedTuple):
    """A statement as PostgreSQL takes it, and whether it may change anything."""

    text: bytes
    writes: bool


@lru_cache(maxsize=2048)
def in_postgres_words(statement: str) -> Statement:
    text = _define_table(statement) if _TABLE.match(statement) else statement
    numbers = count(1)
    text = _TOKEN.sub(lambda token: f"${next(numbers)}" if token["mark"] else token[0], text)
    return Statement(text.encode(), writes=not _READS.match(statement))


def _define_table(statement: str) -> str:
    return _TYPE.sub(_type, _TABLE_OPTIONS.sub(")", statement.rstrip()))


def _type(found: re.Match[str]) -> str:
    if found["quoted"]:
        return found[0]
    named = _TYPES[found["type"]]
    if not found["cast"]:
        return named
    # A cast names the type alone.
    return "AS " + named.removesuffix(' COLLATE "C"')
