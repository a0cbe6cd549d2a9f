"""Operations as MCP tools: what `tools/list` shows of a toolset, in JSON, derived from the table and its catalog."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from thoughtbox.doors.mcp import apps
from thoughtbox.errors import ConfigurationError
from thoughtbox.operations.catalog import KnownOperation
from thoughtbox.operations.table import Table

if TYPE_CHECKING:
    import orjson

    from thoughtbox.operations.caller import Focus

MOST_LISTS = 32
"""Lists of tools that are kept, each made for another description."""


class Tools:
    """What `tools/list` shows of one toolset, and which operation each name means. No room is imported for it.

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
        self._lists: dict[str, orjson.Fragment] = {}

    def find(self, name: str, arguments: Collection[str]) -> KnownOperation:
        """The operation that a tool's name means: as this toolset calls it, or as any does."""
        return self._shown.get(name) or self._table.look_up(name, arguments)

    def described(self, focus: Focus) -> str:
        """All that is described differently to callers who stand elsewhere."""
        return "\n".join(self._description(operation, focus) for operation in self._gateways)

    def listed(self, focus: Focus) -> orjson.Fragment:
        """The tools as a client who stands there is shown them: a JSON array."""
        described = self.described(focus)
        if described not in self._lists:
            if len(self._lists) >= MOST_LISTS:
                self._lists.clear()
            import orjson  # a start has no time for it

            tools = (self._tool(name, one, self._description(one, focus)) for name, one in self._shown.items())
            self._lists[described] = orjson.Fragment(b"[%s]" % b",".join(tools))
        return self._lists[described]

    def _description(self, operation: KnownOperation, focus: Focus) -> str:
        gateway = operation.gateway
        return gateway.described(self._table, focus) if gateway is not None else operation.description

    def _tool(self, name: str, operation: KnownOperation, description: str) -> bytes:
        import orjson

        schemas = self._table.schemas(operation.name)
        annotations = {
            "readOnlyHint": not operation.writes,
            "destructiveHint": operation.destructive,
            "idempotentHint": not operation.writes or operation.idempotent,
            "openWorldHint": False,
        }
        parts = {
            "name": orjson.dumps(name),
            "title": orjson.dumps(operation.title),
            "description": orjson.dumps(description),
            "inputSchema": schemas.input,
            "outputSchema": schemas.output,
            "annotations": orjson.dumps(annotations),
            "_meta": orjson.dumps(apps.link(operation.app)) if operation.app is not None else None,
        }
        return b"{%s}" % b",".join(b'"%s":%s' % (part.encode(), text) for part, text in parts.items() if text)
