"""JSON that strangers wrote, and JSON that we write into files. What is read here can be stored, and written again."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable
from typing import Any, Final

DEEPEST: Final = 100
"""Levels of nesting in what is foreign; a record may have twice as many, and this stands some levels deep in it."""
_DEEPEST_FILE: Final = DEEPEST + 20
"""In a file of ours what is foreign stands some levels deeper than where it came from."""

LARGEST_INTEGER: Final = 2**53
"""Above it a browser, and with it JupyterLab, keeps only the nearest number that it can."""

_HALVES = re.compile("[\ud800-\udfff]")


def parsed(text: str) -> Any:
    """The value of a JSON text. `ValueError` says why there is none, in words for whoever sent it.

    Numbers are as a browser has them: large integers are rounded, what is no number or infinite is null. Of a
    repeated key the last value counts.
    """
    try:
        value = json.loads(text, parse_int=_integer, parse_float=_number, parse_constant=lambda _: None)
    except json.JSONDecodeError as error:
        raise ValueError(f"it is not JSON: {error}") from None
    except RecursionError:
        raise ValueError(_TOO_DEEP) from None
    must_be_storable(value, _DEEPEST_FILE)
    return value


def written(value: Any) -> str:
    """The value on lines of its own, as Jupyter writes its files."""
    text = json.dumps(value, indent=1, sort_keys=True, ensure_ascii=False, allow_nan=False)
    return _HALVES.sub(_escaped, text) + "\n"


def on_one_line(value: Any) -> str:
    """The value on one line, in which nothing can end an HTML comment."""
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return _HALVES.sub(_escaped, text).replace("--", r"-\u002d")


_TOO_DEEP: Final = f"it is nested more than {DEEPEST} levels deep"


def must_be_storable(value: Any, deepest: int = DEEPEST) -> None:
    """`ValueError` says why something of the value could not be kept."""
    layer: Iterable[Any] = [value]
    for _ in range(deepest + 1):
        inside: list[Any] = []
        for each in layer:
            if isinstance(each, dict):
                inside += each.keys()
                inside += each.values()
            elif isinstance(each, list):
                inside += each
            elif isinstance(each, str):
                _must_be_text(each)
        if not inside:
            return
        layer = inside
    raise ValueError(_TOO_DEEP)


def _must_be_text(text: str) -> None:
    if "\0" in text:
        raise ValueError("it holds a NUL character")
    if not text.isascii() and _HALVES.search(text):
        raise ValueError("it holds half of a surrogate pair")


def _integer(digits: str) -> int | float | None:
    # No more than 17 characters can be an integer that is kept, and Python refuses to read those of thousands.
    number = int(digits) if len(digits) <= 17 else None
    return number if number is not None and abs(number) <= LARGEST_INTEGER else _number(digits)


def _number(digits: str) -> float | None:
    number = float(digits)
    return number if math.isfinite(number) else None


def _escaped(half: re.Match[str]) -> str:
    return f"\\u{ord(half[0]):04x}"
