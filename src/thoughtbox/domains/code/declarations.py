"""Declarations of all that a snippet can use, made once: a `.d.ts` to be read, a `.pyi` that Python is held against."""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import lru_cache
from typing import TYPE_CHECKING

from thoughtbox.domains.code.pyi import python_declarations

if TYPE_CHECKING:
    from thoughtbox.operations import Table

MOST_KEPT = 16
"""Texts of each language."""

_HANDED_OVER_WHOLE = re.compile(r"[(,]\s*\*\*")


def typescript(table: Table, names: Collection[str] | None = None) -> str:
    """A `.d.ts`: of everything, or of what is named so or stands below that (`thoughts`, `thoughts.session.get`)."""
    return _typescript(table, len(table.known), _key(names))


def python(table: Table, names: Collection[str] | None = None) -> str:
    """A `.pyi`, likewise."""
    return _python(table, len(table.known), _key(names))


def can_be_checked(code: str) -> bool:
    """Whether Python can be held against its declarations without false alarms.

    Where arguments come out of a dictionary (`**these`), a checker takes each of its values for any of the arguments.
    """
    return _HANDED_OVER_WHOLE.search(code) is None


def _key(names: Collection[str] | None) -> frozenset[str] | None:
    return None if names is None else frozenset(names)


@lru_cache(maxsize=MOST_KEPT)
def _typescript(table: Table, operations: int, names: frozenset[str] | None) -> str:
    from thoughtbox.domains.code.typescript import typescript_declarations  # a snippet that is run needs none

    return typescript_declarations(table, names)


@lru_cache(maxsize=MOST_KEPT)
def _python(table: Table, operations: int, names: frozenset[str] | None) -> str:
    return python_declarations(table, names)
