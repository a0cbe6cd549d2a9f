"""Changing a JSON file as a careful hand would: what is not meant stays as it was, byte for byte."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple

_SPACE = re.compile(r"[ \t\n\r]*")
_SCALAR = re.compile(r"[^\s,\]}]+")
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_INDENT = re.compile(r"\{[ \t]*\r?\n([ \t]+)\"")


class _Part(NamedTuple):
    """A member of an object or an item of a list, and where it stands: a member from its name on."""

    name: str | None
    start: int
    value: _Value

    @property
    def end(self) -> int:
        return self.value.end


class _Value(NamedTuple):
    """A value, and where it stands in the text."""

    kind: Literal["object", "list", "scalar"]
    start: int
    end: int
    parts: list[_Part]

    def member(self, name: str) -> _Part | None:
        """The last of this name, as every reader takes it."""
        return next((part for part in reversed(self.parts) if part.name == name), None)


def parsed(text: str) -> dict[str, Any]:
    """The object in a text; raises `ValueError` when there is none."""
    try:
        found = json.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    if not isinstance(found, dict):
        raise ValueError("it is no JSON object")
    return found


def with_member(text: str, path: Sequence[str], value: Any) -> str:
    """The text with this value at the end of a path of names. What leads there is made; what is there, replaced."""
    *above, name = path
    holder, missing = _walked(text, above)
    if missing:
        return _added(text, holder, missing[0], _nested([*missing[1:], name], value), len(above) - len(missing))
    if (there := holder.member(name)) is not None:
        shown = _written(value, len(path), text)
        return text[: there.value.start] + shown + text[there.end :]
    return _added(text, holder, name, value, len(above))


def with_item(text: str, path: Sequence[str], item: Any) -> str:
    """The text with one more item in the list at the end of a path of names."""
    found, missing = _walked(text, path[:-1])
    there = None if missing else found.member(path[-1])
    if there is None:
        return with_member(text, path, [item])
    if there.value.kind != "list":
        raise ValueError(f"`{'.'.join(path)}` is no list")
    return _added(text, there.value, None, item, len(path))


def without_items(text: str, path: Sequence[str], is_meant: Callable[[Any], bool]) -> str:
    """The text without the items of a list that are meant; a list that has none left goes as well."""
    found = _found(text, path)
    if found is None or found.kind != "list":
        return text
    kept = text
    for number in reversed(range(len(found.parts))):
        part = found.parts[number]
        if is_meant(json.loads(text[part.value.start : part.end])):
            kept = _cut(kept, _found(kept, path), number)
    left = _found(kept, path)
    return kept if kept == text or left is None or left.parts else without_member(kept, path)


def without_member(text: str, path: Sequence[str]) -> str:
    """The text without what stands at the end of a path of names, and without an object that it leaves empty."""
    *above, name = path
    holder = _found(text, above)
    if holder is None or holder.member(name) is None:
        return text
    number = next(place for place in reversed(range(len(holder.parts))) if holder.parts[place].name == name)
    kept = _cut(text, holder, number)
    return kept if not above or len(holder.parts) > 1 else without_member(kept, above)


def _walked(text: str, path: Sequence[str]) -> tuple[_Value, list[str]]:
    """The object that a path leads to, or the last one on the way, and which names are not there."""
    at = _value(text, _space(text, 0))
    for depth, name in enumerate(path):
        there = at.member(name)
        if there is None:
            return at, list(path[depth:])
        if there.value.kind != "object":
            raise ValueError(f"`{'.'.join(path[: depth + 1])}` is no object")
        at = there.value
    return at, []


def _found(text: str, path: Sequence[str]) -> _Value | None:
    at = _value(text, _space(text, 0))
    for name in path:
        there = at.member(name) if at.kind == "object" else None
        if there is None:
            return None
        at = there.value
    return at


def _added(text: str, holder: _Value, name: str | None, value: Any, depth: int) -> str:
    """The text with one more part at the end of an object or a list that stands this deep."""
    line = _line_end(text) + _indent(text) * (depth + 1)
    shown = _written(value, depth + 1, text)
    piece = shown if name is None else f"{json.dumps(name, ensure_ascii=False)}: {shown}"
    if holder.parts:
        end = holder.parts[-1].end
        return f"{text[:end]},{line}{piece}{text[end:]}"
    closing = _line_end(text) + _indent(text) * depth
    return f"{text[: holder.start + 1]}{line}{piece}{closing}{text[holder.end - 1 :]}"


def _cut(text: str, holder: _Value | None, number: int) -> str:
    """The text without one part, and without the comma that it leaves over."""
    assert holder is not None
    parts = holder.parts
    if number:
        return text[: parts[number - 1].end] + text[parts[number].end :]
    if len(parts) > 1:
        return text[: parts[0].start] + text[parts[1].start :]
    return text[: holder.start + 1] + text[holder.end - 1 :]


def _written(value: Any, depth: int, text: str) -> str:
    """A value as it looks this deep in a text, in that text's own indent and line ends."""
    lines = json.dumps(value, indent=_indent(text), ensure_ascii=False).split("\n")
    return (_line_end(text) + _indent(text) * depth).join(lines)


def _nested(path: Sequence[str], value: Any) -> Any:
    for name in reversed(path):
        value = {name: value}
    return value


def _indent(text: str) -> str:
    found = _INDENT.match(text.lstrip())
    return found.group(1) if found else "  "


def _line_end(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _value(text: str, start: int) -> _Value:
    """The value that begins here. The text is known to be JSON."""
    if text[start] == "{":
        return _members(text, start)
    if text[start] == "[":
        return _items(text, start)
    return _Value("scalar", start, _past(_STRING if text[start] == '"' else _SCALAR, text, start), [])


def _members(text: str, start: int) -> _Value:
    parts: list[_Part] = []
    at = _space(text, start + 1)
    while text[at] != "}":
        end = _past(_STRING, text, at)
        value = _value(text, _space(text, _space(text, end) + 1))
        parts.append(_Part(json.loads(text[at:end]), at, value))
        at = _next(text, value.end)
    return _Value("object", start, at + 1, parts)


def _items(text: str, start: int) -> _Value:
    parts: list[_Part] = []
    at = _space(text, start + 1)
    while text[at] != "]":
        value = _value(text, at)
        parts.append(_Part(None, at, value))
        at = _next(text, value.end)
    return _Value("list", start, at + 1, parts)


def _next(text: str, end: int) -> int:
    """Where the part behind this one begins, or the bracket that closes."""
    at = _space(text, end)
    return _space(text, at + 1) if text[at] == "," else at


def _space(text: str, at: int) -> int:
    return _past(_SPACE, text, at)


def _past(pattern: re.Pattern[str], text: str, at: int) -> int:
    """Where what begins here ends."""
    found = pattern.match(text, at)
    assert found is not None
    return found.end()
