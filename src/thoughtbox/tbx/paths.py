"""Paths: where a field stands in an object, as one text. `e.topic` is the field `topic` of the field `e`.

`links.*.to` is the field `to` of every object in the list `links`.

A name may hold anything, so whatever has a meaning in a path or behind one is written as `~` and a digit.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from thoughtbox.errors import NotTbx, shown

SPECIAL = "~.?=#+*"
"""By place: `~0` is `~`, `~1` a dot, and so on."""

EACH = ".*."
"""Between the path of a list and that of a field of what is in it."""

_TO_ESCAPE = re.compile(r"[~.?=#+*]")
_ESCAPED = re.compile(r"~(.?)", re.DOTALL)


def escaped(name: str) -> str:
    """A name as a piece of a path."""
    return _TO_ESCAPE.sub(lambda found: f"~{SPECIAL.index(found[0])}", name)


def joined(pieces: Iterable[str]) -> str:
    return ".".join(map(escaped, pieces))


def below(path: str | None, name: str) -> str:
    """The path of a field of what stands at a path; at the root there is none yet."""
    piece = escaped(name)
    return piece if path is None else f"{path}.{piece}"


def split(path: str) -> list[str]:
    """The names in a path, the outermost first."""
    if "*" in path:
        raise NotTbx(f"the path `{shown(path)}` leads to many places, and is to lead to one")
    return [_ESCAPED.sub(lambda found: _unescaped(found, path), piece) for piece in path.split(".")]


def _unescaped(found: re.Match[str], path: str) -> str:
    if found[1] == "" or found[1] not in "0123456":
        raise NotTbx(f"the path `{shown(path)}` has a `~` without a digit from 0 to 6 behind it")
    return SPECIAL[int(found[1])]
