"""Parts of statements that many tables need: lists of values of any length, and texts that begin so."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from thoughtbox.engine.protocol import Row, Sql

MOST_AT_ONCE = 500
"""Values that one statement asks for; both engines take many more, and slow down before that."""

LIST = "?*"
"""Where the values stand in a statement: `seq IN (?*)`."""


def rows_among(
    sql: Sql, statement: str, values: Iterable[Any], *, before: Sequence[Any] = (), after: Sequence[Any] = ()
) -> Iterator[Row]:
    """The rows of a statement that asks for many values, each once and in order, as many at a time as is good.

    `before` and `after` are the parameters around the list.
    """
    wanted = sorted(set(values))
    for start in range(0, len(wanted), MOST_AT_ONCE):
        part = wanted[start : start + MOST_AT_ONCE]
        marks = ", ".join("?" * len(part))
        yield from sql.rows(statement.replace(LIST, marks), (*before, *part, *after))


def begins_with(prefix: str) -> tuple[str, str]:
    """The bounds of all texts that begin so: `name >= ? AND name < ?`."""
    return prefix, prefix + "\U0010ffff"
