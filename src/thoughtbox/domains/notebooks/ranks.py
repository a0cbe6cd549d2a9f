"""Places in an order, as texts: between any two there is another, so that putting a cell somewhere moves no other."""

from __future__ import annotations

from typing import Final

_DIGITS: Final = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_MIDDLE: Final = len(_DIGITS) // 2


def between(before: str, after: str) -> str:
    """A place behind one and before another; an empty text stands for the beginning, or for the end.

    No place ends in the lowest digit, so that there is always one before it.
    """
    common = ""
    while True:
        at = len(common)
        low = _DIGITS.index(before[at]) if at < len(before) else 0
        high = _DIGITS.index(after[at]) if at < len(after) else len(_DIGITS)
        if high - low > 1:
            return common + _DIGITS[(low + high) // 2]
        common += _DIGITS[low]
        if high - low == 1:
            after = ""  # whatever follows is before it already


def appended(before: str) -> str:
    """A place behind all others, as short as can be: most cells are added at the end."""
    for at in range(len(before) - 1, -1, -1):
        digit = _DIGITS.index(before[at])
        if digit < len(_DIGITS) - 1:
            return before[:at] + _DIGITS[digit + 1]
    return before + _DIGITS[_MIDDLE]
