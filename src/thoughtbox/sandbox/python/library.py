"""The library that a snippet finds: the prelude, and the line that says what `tb` holds this time.

Every name below `tb` has to be there before the snippet runs. Of some hundred operations it may ask for, it gets those
whose names stand in its source, word by word: so that `t = tb.thoughts; t.thought(…)` finds them too.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from functools import cache, lru_cache
from keyword import iskeyword
from pathlib import Path

from thoughtbox.sandbox.protocol import Snippet

ASK = "_tb_ask"
"""What the prelude calls, and nobody has defined: the way out to the host."""
END = "_tb_end"
FRAME = "\0tb:"
"""Printed before what is said to the host."""

HOST_ONLY = ("tool_call", "tool_result", "hub_event", "checkpoint")
"""Kinds of records that the host alone writes: they are asked for, and so refused with a reason."""

_OPEN = "_tb_open"
_CATALOG = "_tb_catalog"
_WORDS = re.compile(r"\w+")
_PATHS = re.compile(r"\btb\s*\.\s*([^\W\d_]\w*(?:\s*\.\s*[^\W\d_]\w*)*)")
_BLANK = re.compile(r"\s+")

_MOST_PATHS, _DEEPEST_PATH, _MOST_WORDS = 300, 4, 1_000
"""Enough for every snippet that means it."""


@cache
def prelude() -> str:
    """Without comments, which the engine would read each time."""
    source = (Path(__file__).parent / "prelude.monty").read_text(encoding="utf-8")
    return "".join(line for line in source.splitlines(keepends=True) if line.strip() and line.lstrip()[0] != "#")


def opening(snippet: Snippet, base: int = 0) -> tuple[str, dict[str, str]]:
    """The line after the prelude, and the values that it needs.

    `words` are for objects of the snippet's own classes: their attributes are found by name.
    """
    words = list(dict.fromkeys(_WORDS.findall(snippet.code)))
    own = words[:_MOST_WORDS] if "class" in words else []
    seen = "; isinstance = _tb_isinstance" if "isinstance" in words else ""
    if snippet.catalog is not None:
        load = f"import json as _tb_json; catalog = _tb_json.loads({_CATALOG}); {_CATALOG} = None"
        return f"_tb = {_OPEN}({{}}, [], [], [], {own}, 0){seen}; {load}", {_CATALOG: snippet.catalog.decode()}
    builders = {kind: list(references) for kind, references in snippet.builders.items()}
    operations = known(snippet.operations, set(words))
    others = named(snippet.code, {*builders, *HOST_ONLY, "vars", "Error"})
    return f"tb = {_OPEN}({builders}, {list(HOST_ONLY)}, {operations}, {others}, {own}, {base}){seen}", {}


def known(operations: Collection[str], words: set[str]) -> list[str]:
    """The operations whose parts are all among the words, as Python can write them."""
    rooms = _by_room(operations if isinstance(operations, frozenset | tuple) else tuple(operations))
    return [
        operation
        for room, operations_there in rooms.items()
        if room in words
        for operation, parts in operations_there
        if all(part in words for part in parts)
    ]


@lru_cache(maxsize=8)
def _by_room(operations: Iterable[str]) -> dict[str, list[tuple[str, list[str]]]]:
    rooms: dict[str, list[tuple[str, list[str]]]] = {}
    for operation in operations:
        room, *parts = [f"{part}_" if iskeyword(part) else part for part in operation.split(".")]
        rooms.setdefault(room, []).append((".".join([room, *parts]), parts))
    return rooms


def meant(name: str) -> str:
    """An operation or argument by its own name: `import_` and `from_` are how Python writes words of its own."""
    return ".".join(part[:-1] if part.endswith("_") and iskeyword(part[:-1]) else part for part in name.split("."))


def named(code: str, taken: set[str]) -> list[str]:
    """What the source names below `tb`, whether there is such a thing or not."""
    paths: dict[str, None] = {}
    for found in _PATHS.finditer(code):
        parts = _BLANK.sub("", found[1]).split(".")[:_DEEPEST_PATH]
        if parts[0] not in taken:
            paths[".".join(parts)] = None
        if len(paths) == _MOST_PATHS:
            break
    return list(paths)
