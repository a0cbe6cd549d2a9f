"""Operations as MCP tools: schemas and true annotations, derived from the table."""

from __future__ import annotations

from collections.abc import Collection

from mcp_types import ListToolsResult, Tool, ToolAnnotations

from thoughtbox import domains
from thoughtbox.errors import ConfigurationError
from thoughtbox.operations.caller import Focus
from thoughtbox.operations.operation import Operation
from thoughtbox.operations.schemas import input_schema, output_schema
from thoughtbox.operations.table import Table

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
        domains.load()  # as this door did when it started
        self._shown = {name: table.operations[each.name] for name, each in table.shown_in(toolset).items()}
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
        output_schema=output_schema(operation) if operation.gateway is None and operation.output.listed else None,
        annotations=ToolAnnotations(
            read_only_hint=not operation.writes,
            destructive_hint=operation.destructive,
            idempotent_hint=not operation.writes or operation.idempotent,
            open_world_hint=False,
        ),
    )
