"""Which rows share a layout: rows of one form do, and others where that is shorter.

A layout is written once and names its columns, so that a field which only some rows have costs the others a null, or
else a layout of its own. Both are weighed, and the pair of layouts that gains most by being one is made one, until
none gains.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from thoughtbox.tbx.weights import MARKED, weight

MOST_FORMS = 400
"""Rows of more forms than that are not worth the work."""
MOST_COMPARED = 48
"""Of so many, each is held against each; what is rarer goes to the one that it is most like."""

LAYOUT, ROW = 6, 2
"""What a layout and a row cost beside their columns and cells."""
MANY = object()


class Cell(NamedTuple):
    """What is known of a value before it is written."""

    weight: int
    same: Any
    """Equal for values whose JSON is the same, and different for others."""


class _Column(NamedTuple):
    head: int
    """What its path costs."""
    count: int
    weight: int
    only: Any
    """What all its cells are; MANY where they differ."""
    has_null: bool


class _Group:
    """Rows that will have one layout.

    Where a field is missing in one of them, none of the others may have a null there: it would be taken for missing.
    """

    def __init__(self, rows: list[int], columns: dict[str, _Column]) -> None:
        self.rows = rows
        self.columns = columns
        self.cost = LAYOUT + ROW * len(rows)
        self.can_be = True
        for head, count, cells, only, has_null in columns.values():
            if missing := len(rows) - count:
                self.cost += head + cells + (missing + 1) * MARKED
                self.can_be = self.can_be and not has_null
            else:
                self.cost += head + (cells if only is MANY else cells // count)

    def with_all_of(self, other: _Group) -> _Group:
        columns = dict(self.columns)
        for path, column in other.columns.items():
            own = columns.get(path)
            columns[path] = column if own is None else _together(own, column)
        return _Group(self.rows + other.rows, columns)


def grouped(rows: Sequence[Mapping[str, Cell]]) -> list[list[int]] | None:
    """The numbers of the rows that share a layout, the layouts by their first row; None for too many forms."""
    by_form: dict[frozenset[str], list[int]] = {}
    for number, row in enumerate(rows):
        by_form.setdefault(frozenset(row), []).append(number)
    if len(by_form) > MOST_FORMS:
        return None
    groups = [_group(numbers, rows) for numbers in by_form.values()]
    groups.sort(key=lambda group: (-len(group.rows), group.rows[0]))
    groups = _without_the_rarest(groups)
    if len(groups) > 2 * MOST_COMPARED:
        return None
    groups = _merged(groups)
    return sorted(sorted(group.rows) for group in groups)


def _group(numbers: list[int], rows: Sequence[Mapping[str, Cell]]) -> _Group:
    columns: dict[str, _Column] = {}
    for number in numbers:
        for path, cell in rows[number].items():
            head = columns[path].head if path in columns else weight(path)
            one = _Column(head, 1, cell.weight, cell.same, cell.same is None)
            columns[path] = _together(columns[path], one) if path in columns else one
    return _Group(numbers, columns)


def _together(one: _Column, other: _Column) -> _Column:
    head, count, cells, only, has_null = one
    is_same = only is not MANY and other.only is not MANY and only == other.only
    return _Column(
        head, count + other.count, cells + other.weight, only if is_same else MANY, has_null or other.has_null
    )


def _without_the_rarest(groups: list[_Group]) -> list[_Group]:
    kept = groups[:MOST_COMPARED]
    for rare in groups[MOST_COMPARED:]:
        form = rare.columns.keys()
        near = min(range(MOST_COMPARED), key=lambda place: len(kept[place].columns.keys() ^ form))
        both = kept[near].with_all_of(rare)
        if both.can_be:
            kept[near] = both
        else:
            kept.append(rare)
    return kept


def _merged(groups: list[_Group]) -> list[_Group]:
    alive = dict(enumerate(groups))
    gains: dict[tuple[int, int], tuple[int, _Group]] = {}

    def weigh(one: int, other: int) -> None:
        both = alive[one].with_all_of(alive[other])
        gain = alive[one].cost + alive[other].cost - both.cost
        if gain > 0 and both.can_be:
            gains[one, other] = (gain, both)

    for other in alive:
        for one in range(other):
            weigh(one, other)
    while gains:
        pair = max(gains, key=lambda pair: (gains[pair][0], -pair[0], -pair[1]))
        kept, gone = pair
        alive[kept] = gains[pair][1]
        del alive[gone]
        for known in [known for known in gains if kept in known or gone in known]:
            del gains[known]
        for number in alive:
            if number != kept:
                weigh(min(number, kept), max(number, kept))
    return list(alive.values())
