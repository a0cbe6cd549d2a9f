"""What a sandbox says, read with distrust: a snippet can print whatever it likes."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

from thoughtbox.sandbox.protocol import Built
from thoughtbox.sandbox.python.library import HOST_ONLY

DEEPEST = 200
LARGEST_INTEGER = 2**53
LONGEST_NAME = 500
LONGEST_TEXT = 20_000

LONGEST_LINE = 200
MOST_CONTAINERS = 200_000
"""Lists and objects in a frame: empty ones take two characters there, and a hundred bytes here."""

_QUEUED = ',"queued":'
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_OF_KIND = {"steps": "plan", "alternativesConsidered": "decision", "context": "observation", "sourceUrl": "evidence"}


class NotAFrame(ValueError):
    """Was not said by the prelude, or not as it says things."""


class TooDeep(ValueError):
    """Nested deeper than what is sent as JSON; what was queued came along all the same."""

    def __init__(self, queued: list[Any]) -> None:
        super().__init__()
        self.queued = queued


class TooMuch(ValueError):
    """More than what the host takes in."""


class Said(NamedTuple):
    """One thing said: a question, or, without a name, the end."""

    name: str | None
    value: Any
    """The arguments, or the result."""
    queued: list[Any]
    length: int
    """Characters of its JSON, what is queued left out."""


def said(frame: str) -> Said:
    try:
        content = _loaded(frame)
    except _Deep:
        raise TooDeep(_queued_in(frame)) from None
    if not isinstance(content, dict):
        raise NotAFrame
    queued = content.get("queued")
    if not isinstance(queued, list):
        raise NotAFrame
    length = frame.rfind(_QUEUED)
    if "result" in content:
        return Said(None, content["result"], queued, length - len('{"result":'))
    name, arguments = content.get("name"), content.get("arguments")
    if not isinstance(name, str) or len(name) > LONGEST_NAME or not isinstance(arguments, dict):
        raise NotAFrame
    return Said(name, arguments, queued, length)


def built(
    queued: Sequence[Any], builders: Mapping[str, Collection[str]], ids: set[str], next_number: int
) -> list[Built]:
    """What was queued, if all of it could have been; adds the ids of the records to `ids`."""
    records: list[Built] = []
    for number, entry in enumerate(queued, next_number):
        if not (isinstance(entry, list) and len(entry) == 3):
            raise NotAFrame
        kind, text, options = entry
        if not (isinstance(kind, str) and kind in builders and kind not in HOST_ONLY):
            raise NotAFrame
        if not (_is_text(text) and isinstance(options, dict)) or (kind == "revision" and "replacesId" not in options):
            raise NotAFrame
        if not all(_is_right(kind, name, value, builders[kind], ids) for name, value in options.items()):
            raise NotAFrame
        ids.add(f"th:{number}")
        records.append(Built(kind, text, options))
    return records


def _is_right(kind: str, option: str, value: Any, references: Collection[str], ids: set[str]) -> bool:
    """What the prelude calls plainly right."""
    if option in references:
        listed = value if isinstance(value, list) and option != "replacesId" else [value]
        return len(listed) <= 100 and all(isinstance(item, str) and item in ids for item in listed)
    if option == "confidence":
        return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1
    if option == "labels":
        return isinstance(value, list) and len(value) <= 50 and all(map(_is_line, value))
    if _OF_KIND.get(option) != kind:
        return False
    if option in {"steps", "alternativesConsidered"}:
        return isinstance(value, list) and len(value) <= 100 and all(map(_is_text, value))
    return _is_line(value) if option == "sourceUrl" else _is_text(value)


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and 0 < len(value) <= LONGEST_TEXT and "\0" not in value and not value.isspace()


def _is_line(value: Any) -> bool:
    return _is_text(value) and len(value) <= LONGEST_LINE and _CONTROL.search(value) is None


class _Deep(Exception):
    pass


def _queued_in(frame: str) -> list[Any]:
    """What was queued, of a frame that cannot be read as a whole: it stands at its end."""
    _, found, queued = frame.rpartition(_QUEUED)
    try:
        entries = _loaded(queued.removesuffix("}"))
    except _Deep:
        raise NotAFrame from None
    if not found or not isinstance(entries, list):
        raise NotAFrame
    return entries


def _loaded(text: str) -> Any:
    containers = text.count("[") + text.count("{")
    if containers > MOST_CONTAINERS:
        raise TooMuch
    try:
        value = json.loads(text, parse_int=_integer, parse_float=_number, parse_constant=lambda constant: None)
    except RecursionError:
        raise _Deep from None
    except ValueError:
        raise NotAFrame from None
    if containers > DEEPEST and _depth(value) > DEEPEST + 2:
        raise _Deep
    return value


def _integer(digits: str) -> int | str:
    """Beyond what every JSON reader keeps exactly, the digits themselves."""
    if len(digits) > 4_000:
        return digits
    value = int(digits)
    return value if -LARGEST_INTEGER <= value <= LARGEST_INTEGER else digits


def _number(digits: str) -> float:
    """`4 / 2` is 2, as in every other language: JSON has one kind of number."""
    value = float(digits)
    return int(value) if value.is_integer() and abs(value) <= LARGEST_INTEGER else value


def _depth(value: Any) -> int:
    depth, level = 0, [value]
    while level:
        depth += 1
        level = [
            item
            for one in level
            for item in (one.values() if isinstance(one, dict) else one if isinstance(one, list) else ())
        ]
    return depth
