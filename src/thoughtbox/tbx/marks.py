"""Which marks columns get: what of their cells can be written in another way that is shorter."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from thoughtbox.tbx.columns import LATER, NUMBERED, SAME
from thoughtbox.tbx.dictionaries import texts_in
from thoughtbox.tbx.flattening import Row
from thoughtbox.tbx.times import milliseconds
from thoughtbox.tbx.weights import KEY, MARKED, weight

Mark = tuple[str, str]
"""The mark, and what stands behind it."""

OFTEN = 3
"""A text that occurs so often in a column will have a short key."""
SHORTEST_SAME = 2
"""Characters of a text that it may be worth to refer to."""

_NUMBERED = re.compile(r"(|.*[^0-9])(0|[1-9][0-9]{0,14})", re.DOTALL)


def marks(rows: Sequence[Row], columns: Mapping[str, Sequence[Any]]) -> dict[str, Mark]:
    """The marks of columns, by path. `columns` are the values of each, in order of the rows."""
    found: dict[str, Mark] = {path: (LATER, "") for path, values in columns.items() if _are_times(values)}
    gains = {path: weights(values) for path, values in columns.items() if path not in found}
    for path, (other, gain) in _sames(rows, gains).items():
        if other not in found and gain > _gain_of_numbering(columns[path]):
            found[path] = (SAME, other)
    for path, values in columns.items():
        if path not in found and _gain_of_numbering(values) > 0:
            found[path] = (NUMBERED, prefix_of(values) or "")
    return found


def weights(values: Sequence[Any]) -> dict[Any, int]:
    """What each text or number of a column costs; a column of one value costs next to nothing, and has none."""
    counts = Counter(value for value in values if isinstance(value, str) or type(value) is int)
    if len(counts) <= 1:
        return {}
    return {
        value: KEY if count >= OFTEN and isinstance(value, str) else weight(value) for value, count in counts.items()
    }


def numbered(text: str) -> tuple[str, int] | None:
    """A text that ends in a number, as what stands before it and the number."""
    found = _NUMBERED.fullmatch(text)
    return (found[1], int(found[2])) if found is not None else None


def prefix_of(values: Iterable[Any]) -> str | None:
    """What all texts of a column have before a number; None where one has not, or where there are numbers already."""
    prefix: str | None = None
    for value in values:
        items = value if isinstance(value, list) else [value]
        if not all(isinstance(item, str) for item in items):
            return None
        for text in items:
            parts = numbered(text)
            if parts is None or parts[0] != (prefix if prefix is not None else parts[0]):
                return None
            prefix = parts[0]
    return prefix


def _gain_of_numbering(values: Sequence[Any]) -> int:
    prefix = prefix_of(values)
    if prefix is None:
        return 0
    texts = [text for value in values for text in texts_in(value)]
    plain = sum((KEY if count >= OFTEN else weight(text)) * count for text, count in Counter(texts).items())
    return plain - KEY * len(texts) - weight(prefix)


def _are_times(values: Sequence[Any]) -> bool:
    return len(values) > 1 and all(isinstance(value, str) and milliseconds(value) is not None for value in values)


def _sames(rows: Sequence[Row], known: Mapping[str, Mapping[Any, int]]) -> dict[str, tuple[str, int]]:
    """For columns that often hold what another one does: the one, and what is gained by saying so."""
    gains: dict[str, Counter[str]] = {}
    has_true = {path for row in rows for path, value in row.items() if value is True}
    for row in rows:
        first: dict[tuple[type, Any], str] = {}
        for path, value in row.items():
            if path not in known or not can_be_referred_to(value):
                continue
            other = first.setdefault((type(value), value), path)
            if other != path and path not in has_true:
                gains.setdefault(path, Counter())[other] += known[path].get(value, MARKED) - MARKED
    best: dict[str, tuple[str, int]] = {}
    for path, others in gains.items():
        # One hop at the most: what is referred to stands there itself.
        other, gain = max(
            ((other, gain) for other, gain in others.items() if other not in best),
            default=("", 0),
            key=lambda found: found[1],
        )
        if gain > 2 * weight(other) and not any(path == target for target, _ in best.values()):
            best[path] = (other, gain)
    return best


def can_be_referred_to(value: Any) -> bool:
    return type(value) is int or (isinstance(value, str) and len(value) >= SHORTEST_SAME)
