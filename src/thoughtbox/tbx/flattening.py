"""Objects as rows of columns: each field by its path, the fields of inner objects among them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from thoughtbox.tbx.paths import below

Row = dict[str, Any]
"""What stands at each path. No object with fields of its own stands at a path, unless it is left as it is."""

DEEPEST = 8
"""Levels of objects that are taken apart."""
FEW_FORMS = 4
"""So many sets of names may always occur among the objects of one place."""
TIMES_NAMED = 2
"""Beyond that, a name has to occur so often on average: one that occurs once is no column, but data."""


def flattened(objects: Sequence[dict[str, Any]]) -> list[Row] | None:
    """The objects as rows; None where hardly two of them have the same fields."""
    if _is_irregular(objects):
        return None
    whole: set[str] = set()
    _find_irregular(None, objects, whole, DEEPEST)
    rows: list[Row] = []
    for each in objects:
        row: Row = {}
        _flatten(each, None, whole, row, DEEPEST)
        rows.append(row)
    return rows


def _flatten(value: dict[str, Any], path: str | None, whole: set[str], row: Row, deep: int) -> None:
    for name, part in value.items():
        here = below(path, name)
        if isinstance(part, dict) and part and deep and here not in whole:
            _flatten(part, here, whole, row, deep - 1)
        else:
            row[here] = part


def _find_irregular(path: str | None, objects: Sequence[dict[str, Any]], whole: set[str], deep: int) -> None:
    """Find the places where objects have names that are themselves data: they stay as they are."""
    inner: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    for each in objects:
        for name, part in each.items():
            if isinstance(part, dict) and part:
                inner[name].append(part)
    for name, parts in inner.items():
        here = below(path, name)
        if _is_irregular(parts):
            whole.add(here)
        elif deep:
            _find_irregular(here, parts, whole, deep - 1)


def _is_irregular(objects: Sequence[dict[str, Any]]) -> bool:
    forms = {frozenset(each) for each in objects}
    if not all(isinstance(name, str) for form in forms for name in form):
        return True
    names = {name for form in forms for name in form}
    return len(forms) > FEW_FORMS and sum(map(len, objects)) < TIMES_NAMED * len(names)
