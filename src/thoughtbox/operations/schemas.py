"""What operations take and answer, as JSON Schema: short enough for a model to read."""

from __future__ import annotations

from typing import Any

import orjson

from thoughtbox.operations.catalog import Schemas
from thoughtbox.operations.forms import FORMAT, SCHEMA, VERSION
from thoughtbox.operations.operation import Operation
from thoughtbox.operations.table import Table

Schema = dict[str, Any]


def schemas_of(table: Table, operation: Operation) -> Schemas:
    """Both schemas, in JSON. What leads to other operations answers as they do."""
    is_told = operation.gateway is None and operation.output.listed
    output = orjson.dumps(output_schema(operation)) if is_told else None
    return Schemas(orjson.dumps(input_schema(table, operation)), output)


def input_schema(table: Table, operation: Operation) -> Schema:
    schema = _tidied(operation.input.model_json_schema(by_alias=True))
    if operation.lists:
        schema.setdefault("properties", {})[FORMAT] = dict(SCHEMA)
    if operation.gateway is not None:
        schema["properties"] |= operation.gateway.properties(table)
    return schema


def output_schema(operation: Operation) -> Schema:
    """What the answer looks like. Under a budget it may leave parts out, and add what it says of that."""
    schema = _tidied(operation.output.model_json_schema(by_alias=True, mode="serialization"))
    _open_up(schema, drop_required=not operation.writes or "max_chars" in operation.input.model_fields)
    if operation.envelope is not None:
        schema = operation.envelope.schema(schema)
    return _in_either_form(schema) if operation.lists else schema


def _in_either_form(schema: Schema) -> Schema:
    """The same, for an answer that may also come as a message of the compact form: all of that is open but its `v`."""
    required = schema.pop("required", None)
    either: Schema = {"anyOf": [{"required": required}, {"required": list(VERSION)}]} if required else {}
    return {**schema, "properties": {**schema["properties"], **VERSION}, **either}


def _tidied(schema: Schema) -> Schema:
    """Without what costs a model tokens and tells it nothing: generated titles, `null` for what may be left out."""
    tidy: Schema = {}
    for name, value in schema.items():
        if name == "title" and isinstance(value, str):
            continue
        if name == "properties":
            tidy[name] = {field: _tidied(part) for field, part in value.items()}
        elif isinstance(value, dict):
            tidy[name] = _tidied(value)
        elif isinstance(value, list):
            tidy[name] = [_tidied(part) if isinstance(part, dict) else part for part in value]
        else:
            tidy[name] = value
    return _without_null(tidy)


def _without_null(schema: Schema) -> Schema:
    choices = schema.get("anyOf")
    if "default" not in schema or schema["default"] is not None or not choices:
        return schema
    real = [choice for choice in choices if choice.get("type") != "null"]
    rest = {name: value for name, value in schema.items() if name not in ("anyOf", "default")}
    return {**rest, **real[0], **rest} if len(real) == 1 else {**rest, "anyOf": real}


def _open_up(schema: Schema, *, drop_required: bool) -> None:
    for part in (schema, *schema.get("$defs", {}).values()):
        for field in part.get("properties", {}).values():
            if "const" in field:  # neither a type nor a default says more
                field.pop("type", None)
                field.pop("default", None)
        if part.get("additionalProperties") is False:
            del part["additionalProperties"]
        if drop_required:
            part.pop("required", None)
