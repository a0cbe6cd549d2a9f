"""Operations as MCP tools: schemas and true annotations, derived from the table."""

from __future__ import annotations

from typing import Any

from mcp_types import Tool, ToolAnnotations

from thoughtbox.operations.registry import Operation, tool_name

Schema = dict[str, Any]


def tool(operation: Operation, stage: int | None) -> Tool:
    """The operation as a client at this stage is shown it; None is for one without a connection."""
    return Tool(
        name=tool_name(operation.name),
        title=operation.title,
        description=(operation.described or {}).get(stage, operation.description),
        input_schema=input_schema(operation),
        # What leads to other operations answers as they do.
        output_schema=output_schema(operation) if operation.route is None else None,
        annotations=ToolAnnotations(
            read_only_hint=not operation.writes,
            destructive_hint=False,  # the ledger only grows
            idempotent_hint=not operation.writes or operation.idempotent,
            open_world_hint=False,
        ),
    )


def input_schema(operation: Operation) -> Schema:
    return _tidied(operation.input.model_json_schema(by_alias=True))


def output_schema(operation: Operation) -> Schema:
    """What the answer looks like. A read under a budget may leave parts out and add what it says of that."""
    schema = _tidied(operation.output.model_json_schema(by_alias=True, mode="serialization"))
    _open_up(schema, drop_required=not operation.writes)
    return schema


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
    return {**rest, **real[0]} if len(real) == 1 else {**rest, "anyOf": real}


def _open_up(schema: Schema, *, drop_required: bool) -> None:
    for part in (schema, *schema.get("$defs", {}).values()):
        if part.get("additionalProperties") is False:
            del part["additionalProperties"]
        if drop_required:
            part.pop("required", None)
