"""Operations in words: what goes in and what comes out, read from their schemas."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import orjson

from thoughtbox.operations.forms import FORMAT, JSON, SCHEMA
from thoughtbox.operations.operation import Operation

Schema = Mapping[str, Any]


class Part(NamedTuple):
    """An argument, or a field of an answer. One inside another is `outer.inner`, one in a list `outer[].inner`."""

    name: str
    kind: str
    """Its type as JSON has it: `integer`, `array`; `any` where there are several."""
    type: str
    """Its type in words: `integer from 1`, `list of strings`."""
    required: bool
    default: Any
    description: str

    @property
    def when_left_out(self) -> str:
        if self.required:
            return "required"
        return "" if self.default is None else f"default {orjson.dumps(self.default).decode()}"


def arguments_of(operation: Operation) -> list[Part]:
    schema = operation.input.model_json_schema(by_alias=True)
    parts = [_part(name, part, schema) for name, part in schema.get("properties", {}).items()]
    if operation.lists:
        parts.append(_part(FORMAT, {**SCHEMA, "default": JSON}, schema))
    return parts


def answer_of(operation: Operation) -> list[Part]:
    schema = operation.output.model_json_schema(by_alias=True, mode="serialization")
    return list(_flattened(schema, schema, ""))


def takes_text(operation: Operation, argument: str) -> bool:
    """Whether what is typed for this argument is meant as it stands, not as JSON."""
    schema = operation.input.model_json_schema(by_alias=True)
    part = schema.get("properties", {}).get(argument)
    return part is None or any(_resolved(choice, schema).get("type") == "string" for choice in _choices(part))


def _flattened(schema: Schema, root: Schema, prefix: str) -> Iterator[Part]:
    for name, part in schema.get("properties", {}).items():
        yield _part(prefix + name, part, root, required=name in schema.get("required", ()))
        for choice in _choices(part):
            inner, path = _resolved(choice, root), prefix + name
            while inner.get("type") == "array":
                inner, path = _resolved(inner.get("items", {}), root), f"{path}[]"
            yield from _flattened(inner, root, f"{path}.")


def _part(name: str, schema: Schema, root: Schema, *, required: bool | None = None) -> Part:
    if required is None:
        required = name in root.get("required", ())
    kinds = {str(_resolved(choice, root).get("type", "any")) for choice in _choices(schema)}
    kind = kinds.pop() if len(kinds) == 1 else "any"
    return Part(name, kind, _type(schema, root), required, schema.get("default"), schema.get("description", ""))


def _type(schema: Schema, root: Schema) -> str:
    choices = [_resolved(choice, root) for choice in _choices(schema)]
    return " or ".join(_one_type(choice, root) for choice in choices)


def _one_type(schema: Schema, root: Schema) -> str:
    if "const" in schema:
        return orjson.dumps(schema["const"]).decode()
    if "enum" in schema:
        return " or ".join(orjson.dumps(value).decode() for value in schema["enum"])
    kind: str = schema.get("type", "any")
    if kind == "array":
        return f"list of {_plural(_type(schema.get('items', {}), root))}"
    if kind in ("integer", "number"):
        return kind + _range(schema)
    return kind


def _plural(noun: str) -> str:
    """`strings`, but `lists of objects`."""
    first, space, rest = noun.partition(" ")
    return "anything" if noun == "any" else f"{first}s{space}{rest}"


def _range(schema: Schema) -> str:
    low, high = schema.get("minimum"), schema.get("maximum")
    if low is None and high is None:
        return ""
    if high is None:
        return f" from {low}"
    return f" up to {high}" if low is None else f" {low} to {high}"


def _choices(schema: Schema) -> list[Schema]:
    """What a value may be, without `null` where that only means that it was left out."""
    choices: list[Schema] = schema.get("anyOf", [schema])
    if "default" in schema and schema["default"] is None:
        return [choice for choice in choices if choice.get("type") != "null"]
    return choices


def _resolved(schema: Schema, root: Schema) -> Schema:
    reference = schema.get("$ref")
    return root["$defs"][reference.rpartition("/")[2]] if reference else schema
