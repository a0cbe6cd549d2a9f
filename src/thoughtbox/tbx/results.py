"""The parts of a result that are written in a form of their own, and the rest of it: taken out, and put back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import copy
from typing import Any

from thoughtbox.errors import NotTbx, shown
from thoughtbox.tbx.paths import below, split

DEEPEST = 24
"""Levels that parts are looked for in."""
MOST_PARTS = 32

Part = dict[str, Any]
Parts = dict[str, Part]
"""By path."""


def taken_apart(value: Any, as_part: Callable[[Any], Part | None]) -> tuple[Any, Parts]:
    """The rest of a result and its parts. `as_part` says whether a value is one. The root itself is not asked about."""
    parts: Parts = {}
    return _rest(value, None, as_part, parts, DEEPEST), parts


def _rest(value: Any, path: str | None, as_part: Callable[[Any], Part | None], parts: Parts, deep: int) -> Any:
    if not deep or not value or not isinstance(value, dict | list):
        return value
    if isinstance(value, dict):
        kept: dict[str, Any] = {}
        for name, each in value.items():
            if not isinstance(name, str):
                return value
            found, rest = _part_or_rest(each, below(path, name), as_part, parts, deep)
            if not found:
                kept[name] = rest
        return kept
    # What leaves a list leaves its place empty.
    return [_part_or_rest(each, below(path, str(number)), as_part, parts, deep)[1] for number, each in enumerate(value)]


def _part_or_rest(
    value: Any, path: str, as_part: Callable[[Any], Part | None], parts: Parts, deep: int
) -> tuple[bool, Any]:
    if not isinstance(value, dict | list):
        return False, value
    part = as_part(value) if len(parts) < MOST_PARTS else None
    if part is None:
        return False, _rest(value, path, as_part, parts, deep - 1)
    parts[path] = part
    return True, None


def put_back(rest: Any, parts: Mapping[str, Any]) -> Any:
    """The result that these values were taken out of. The rest itself is not changed: what is on the way is copied."""
    root = [rest]
    copied = {id(root)}
    values = set(map(id, parts.values()))
    for path, value in parts.items():
        home: Any = root
        place: Any = 0
        for name in split(path):
            home, place = _opened(home, place, copied, path), name
            if id(home) in values:
                raise NotTbx(f"`{shown(path)}` leads into another part")
            if isinstance(home, list):
                place = _number(home, name, path)
            elif not isinstance(home, dict):
                raise NotTbx(f"`j` has nothing that `{shown(path)}` could be in")
        is_taken = place in home if isinstance(home, dict) else home[place] is not None
        if is_taken:
            raise NotTbx(f"at `{shown(path)}` there is something already")
        home[place] = value
        copied.add(id(value))
    return root[0]


def _opened(home: Any, place: Any, copied: set[int], path: str) -> Any:
    """What is at a place, to be changed: a copy of its own, or what was put there."""
    if isinstance(home, dict) and place not in home:
        raise NotTbx(f"`j` has no `{shown(place)}`, which leads to `{shown(path)}`")
    if id(home[place]) not in copied:
        home[place] = copy(home[place])
        copied.add(id(home[place]))
    return home[place]


def _number(home: list[Any], name: str, path: str) -> int:
    """The place in a list that a name is of."""
    is_number = name.isascii() and name.isdigit() and (name == "0" or name[0] != "0") and len(name) < 16
    if not is_number or int(name) >= len(home):
        raise NotTbx(f"`j` has nothing that `{shown(path)}` could be in")
    return int(name)
