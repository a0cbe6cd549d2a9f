"""Operations as MCP tools: schemas and true annotations, derived from the table."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from mcp_types import ListToolsResult, Tool, ToolAnnotations

from thoughtbox.errors import ConfigurationError
from thoughtbox.operations.caller import Focus
from thoughtbox.operations.operation import Operation
from thoughtbox.operations.registry import Table

Schema = dict[str, Any]

MOST_LISTS = 32
"""Lists of tools that are kept, each made for another description."""


class Tools:
    """What `tools/list` shows of one toolset, and which operation each name means.

    A toolset decides what is shown, never what may be called. A tool that leads to all others is described as the
    caller needs it where it stands.
    """

    def __init__(self, table: Table, toolset: str) -> None:
        if toolset not in (names := table.toolsets()):
            raise ConfigurationError(
                f"there is no toolset `{toolset}`", recovery=f"The toolsets are {', '.join(names)}."
            )
        self._table = table
        self._shown = table.shown_in(toolset)
        self._gateways = [operation for operation in self._shown.values() if operation.gateway is not None]
        self._lists: dict[str, ListToolsResult] = {}

    def find(self, name: str, arguments: Collection[str]) -> Operation:
        """The operation that a tool's name means: as this toolset calls it, or as any does."""
        return self._shown.get(name) or self._table.find(name, arguments)

    def described(self, focus: Focus) -> str:
        """All that is described differently to callers who stand elsewhere."""
        return "\n".join(self._description(operation, focus) for operation in self._gateways)

    def listed(self, focus: Focus) -> ListToolsResult:
        described = self.described(focus)
        if described not in self._lists:
            if len(self._lists) >= MOST_LISTS:
                self._lists.clear()
            tools = [tool(self._table, name, one, self._description(one, focus)) for name, one in self._shown.items()]
            self._lists[described] = ListToolsResult(tools=tools)
        return self._lists[described]

    def _description(self, operation: Operation, focus: Focus) -> str:
        gateway = operation.gateway
        return gateway.described(self._table, focus) if gateway is not None else operation.description


def tool(table: Table, name: str, operation: Operation, description: str) -> Tool:
    """The operation as a client is shown it."""
    return Tool(
        name=name,
        title=operation.title,
        description=description,
        input_schema=input_schema(table, operation),
        # What leads to other operations answers as they do.
        output_schema=output_schema(operation) if operation.gateway is None else None,
        annotations=ToolAnnotations(
            read_only_hint=not operation.writes,
            destructive_hint=operation.destructive,
            idempotent_hint=not operation.writes or operation.idempotent,
            open_world_hint=False,
        ),
    )


def input_schema(table: Table, operation: Operation) -> Schema:
    schema = _tidied(operation.input.model_json_schema(by_alias=True))
    if operation.gateway is not None:
        schema["properties"] |= operation.gateway.properties(table)
    return schema


def output_schema(operation: Operation) -> Schema:
    """What the answer looks like. Under a budget it may leave parts out, and add what it says of that."""
    schema = _tidied(operation.output.model_json_schema(by_alias=True, mode="serialization"))
    _open_up(schema, drop_required=not operation.writes or "max_chars" in operation.input.model_fields)
    return schema if operation.envelope is None else operation.envelope.schema(schema)


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
