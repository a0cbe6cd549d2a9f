"""Values that came in another form than asked for, taken as what they mean: `"3"` for 3, `"true"` for true.

Looked at only where a value was refused for its type, so text stays text wherever text is taken. Nothing is guessed:
a value is taken when it means one thing only and nothing of it is lost, and is otherwise refused as it came.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NoReturn

from pydantic_core import ErrorDetails

Location = tuple[int | str, ...]

EXACT_UP_TO = 2**53
"""Whole numbers that come as fractions (`3.0`) are exact so far."""
_UNCLEAR = object()
_WHOLE = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.0+)?", re.ASCII)


def as_meant(arguments: Mapping[str, Any], faults: Iterable[ErrorDetails]) -> dict[str, Any] | None:
    """The arguments with every value that was refused for its type as what it means; None when that changes nothing."""
    mended: dict[str, Any] | None = None
    for fault in faults:
        read = _READERS.get(fault["type"])
        if read is None or (meant := read(fault["input"])) is _UNCLEAR:
            continue
        replaced = _replaced(mended if mended is not None else arguments, fault["loc"], fault["input"], meant)
        mended = mended if replaced is _UNCLEAR else replaced
    return mended


def located(fault: ErrorDetails, arguments: Mapping[str, Any]) -> ErrorDetails:
    """The fault, by where it is in the arguments: of a value that may be of several types, without the type's name."""
    *outer, last = fault["loc"]
    value: Any = arguments
    for place, key in enumerate(outer):
        try:
            value = value[key]
        except (LookupError, TypeError):
            if fault["type"] == "missing":  # of an object that may also be something else
                fault["loc"] = (*outer[:place], *outer[place + 1 :], last)
            return fault
    if outer and value is fault["input"] and fault["type"] != "missing":
        fault["loc"] = tuple(outer)
    return fault


def _replaced(value: Any, location: Location, before: Any, after: Any) -> Any:
    """The value with another one at a place in it; unclear when what was there before is not there."""
    if not location:
        return after if value is before else _UNCLEAR
    key, *rest = location
    if isinstance(value, dict | Mapping) and key in value:
        inner = _replaced(value[key], tuple(rest), before, after)
        return _UNCLEAR if inner is _UNCLEAR else {**value, key: inner}
    if isinstance(value, list) and isinstance(key, int) and key < len(value):
        inner = _replaced(value[key], tuple(rest), before, after)
        return _UNCLEAR if inner is _UNCLEAR else [*value[:key], inner, *value[key + 1 :]]
    return _UNCLEAR


def _whole_number(value: Any) -> Any:
    if isinstance(value, str) and _WHOLE.fullmatch(text := value.strip()) and len(text) <= len(str(EXACT_UP_TO)):
        return int(text.partition(".")[0])
    if isinstance(value, float) and value.is_integer() and abs(value) <= EXACT_UP_TO:
        return int(value)
    return _UNCLEAR


def _number(value: Any) -> Any:
    found = _json(value)
    return found if isinstance(found, int | float) and not isinstance(found, bool) else _UNCLEAR


def _truth(value: Any) -> Any:
    return {"true": True, "false": False}.get(value.strip().lower(), _UNCLEAR) if isinstance(value, str) else _UNCLEAR


def _of_type(kind: type) -> Callable[[Any], Any]:
    def read(value: Any) -> Any:
        found = _json(value)
        return found if isinstance(found, kind) else _UNCLEAR

    return read


def _json(value: Any) -> Any:
    """What a text says in JSON, if it says it clearly."""
    if not isinstance(value, str):
        return _UNCLEAR
    try:
        return json.loads(value, object_pairs_hook=_once_each, parse_constant=_no_number)
    except (ValueError, RecursionError):
        return _UNCLEAR


def _once_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name is given twice")
    return found


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number")


_READERS: Mapping[str, Callable[[Any], Any]] = {
    "int_type": _whole_number,
    "float_type": _number,
    "bool_type": _truth,
    "list_type": _of_type(list),
    "dict_type": _of_type(dict),
    "model_type": _of_type(dict),
}
"""By the fault that a value of another type is."""
