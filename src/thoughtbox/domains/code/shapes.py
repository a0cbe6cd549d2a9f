"""JSON Schemas as far as types are made from them: what stands in an object, and what a value may be."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from json import dumps
from typing import Any, NamedTuple

Schema = Mapping[str, Any]

_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+")
_OF_IDS = frozenset({"id", "ids", "ref", "refs"})


class Field(NamedTuple):
    """An argument, or a field of an answer."""

    name: str
    schema: Schema
    required: bool
    nullable: bool
    """Whether null may stand in its place: whoever leaves a value out has nothing else to say either."""

    @property
    def says(self) -> str:
        return self.schema.get("description", "")


COMPACT = {"const": "tbx-c1"}
"""Says that an answer may come in the compact form, which a snippet has no use for."""


def fields(schema: Schema) -> Iterator[Field]:
    """What stands in an object, in its order."""
    needed = schema.get("required", ())
    for name, part in schema.get("properties", {}).items():
        if part == COMPACT:
            continue
        yield Field(name, part, name in needed, name not in needed and "default" not in part)


def resolved(schema: Schema, root: Schema) -> Schema:
    """A schema itself, where it only says which one is meant."""
    reference = schema.get("$ref")
    return resolved(root["$defs"][definition(reference)], root) if reference else schema


def definition(reference: str) -> str:
    """The name of the definition that is referred to."""
    return reference.rpartition("/")[2]


def options(schema: Schema) -> Sequence[Schema]:
    """What a value may be, one by one."""
    several = schema.get("anyOf") or schema.get("oneOf")
    if several:
        return several
    kinds = schema.get("type")
    return [{**schema, "type": kind} for kind in kinds] if isinstance(kinds, list) else [schema]


def literals(schema: Schema) -> list[str]:
    """The values that there are, in JSON, where they are all named."""
    values = [schema["const"]] if "const" in schema else schema.get("enum", [])
    return [dumps(value, ensure_ascii=False) for value in values]


def words(name: str) -> list[str]:
    """The words of a name, however they are joined: `session_id`, `sessionId`."""
    return [word.lower() for word in _WORDS.findall(name)]


def names_something(name: str) -> bool:
    """Whether an argument of this name holds ids, so that a handle will do."""
    return bool(parts := words(name)) and parts[-1] in _OF_IDS
