"""Operations described for whoever can ask over a wire only: short enough to be read before a call."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import orjson

from thoughtbox.domains.calls.models import Described
from thoughtbox.operations import Operation, Part, Table, answer_of, arguments_of

LONGEST = 1_500
"""Characters of a description, as it goes over the wire."""
FEW = 2
"""Names that begin with the same word, and stand by themselves all the same."""

LONGEST_ANSWER = 200
"""Characters of what is said of an answer."""

MORE = "Send a name from here to read more: an operation, a family, or a room."
ENVELOPE = 30
"""Characters of a list around its rooms."""

_WIDE = re.compile(r" (\d+) to \d{7,}")


def of_one(operation: Operation) -> Described:
    """An operation in full. Where that is too long, what is said of the arguments that may be left out goes first."""
    parts = sorted(arguments_of(operation), key=lambda part: not part.required)
    example, refusal = operation.example, operation.example.fails_with
    found = Described(
        operation=operation.name,
        does=operation.summary,
        needs=operation.guard.says.removeprefix("needs ") if operation.guard is not None else None,
        arguments={part.name: _argument(part, part.description) for part in parts},
        answers=_fields(operation),
        example={"operation": operation.name, **example.arguments},
        before=[name for name, _ in example.given] or None,
        refused_with=refusal.code if refusal is not None else None,
        errors=sorted({error.code for error in operation.errors}),
    )
    for part in reversed(parts):
        if _size(found) <= LONGEST or part.required:
            break
        found.arguments = {**(found.arguments or {}), part.name: _argument(part, "")}
    return found


def of_several(table: Table, names: Sequence[str]) -> Described:
    """Operations and what each is for, in a sentence; where that is too long in a few words, or by their names."""
    among = [table.known[name] for name in names]
    for said in ({each.name: each.summary for each in among}, {each.name: each.title for each in among}):
        if _size(found := Described(operations=said)) <= LONGEST:
            return found
    if _size(found := Described(operations=_folded(names))) <= LONGEST:
        return found
    return Described(operations=_folded_by_words(names))


def of_all(table: Table) -> Described:
    """All operations by their rooms. A room that there is no space for is only counted."""
    listed = [known for known in table.known.values() if not known.hidden and known.gateway is None]
    own = {room: [operation.name for operation in listed if operation.room == room] for room in table.rooms}
    rooms = {room: ", ".join(_folded(names)) for room, names in own.items() if names}
    for room in sorted(rooms, key=lambda room: len(rooms[room]), reverse=True):
        if len(str(rooms)) + len(MORE) + ENVELOPE <= LONGEST:
            break
        rooms[room] = f"{len(own[room])} operations"
    return Described(rooms=rooms, message=MORE)


def _folded(names: Iterable[str]) -> list[str]:
    """Names in their order, those of a family together: `session.{get, list}`."""
    families: dict[str, list[str]] = {}
    for name in names:
        family, _, sub = name.rpartition(".")
        families.setdefault(family or name, []).extend([sub] if family else [])
    return [f"{family}.{{{', '.join(subs)}}}" if subs else family for family, subs in families.items()]


def _folded_by_words(names: Iterable[str]) -> list[str]:
    """The same, of a room with very many: those that begin with the same word together, `graph_{apply, query}`."""
    words: dict[str, list[str]] = {}
    for name in names:
        words.setdefault(name.partition("_")[0], []).append(name)
    return [
        f"{word}_{{{', '.join(name.removeprefix(f'{word}_') for name in several)}}}" if len(several) > FEW else name
        for word, several in words.items()
        for name in (several if len(several) <= FEW else [""])
    ]


def _argument(part: Part, text: str) -> str:
    kind = _WIDE.sub(r" from \1", part.type).replace('"', "")
    default = "" if part.default in (None, False, []) else f", {part.when_left_out}".replace('"', "")
    return f"{kind}{', needed' if part.required else default}{f': {text}' if text else ''}"


def _fields(operation: Operation) -> str:
    """The names of what it answers with, the outermost ones."""
    names = [part.name for part in answer_of(operation) if "." not in part.name]
    said = ", ".join(names)
    while len(said) > LONGEST_ANSWER:
        names.pop()
        said = f"{', '.join(names)} …"
    return said or "what the operation answers"


def _size(found: Described) -> int:
    return len(orjson.dumps(found.answer()).decode())
