"""The list of tools in the SDK's own types."""

from __future__ import annotations

import orjson
from mcp_types import ListToolsResult

from thoughtbox.doors.mcp.tool_list import ToolList
from thoughtbox.operations.caller import Focus
from thoughtbox.operations.table import Table


class Tools(ToolList):
    """What `tools/list` answers."""

    def __init__(self, table: Table, toolset: str) -> None:
        super().__init__(table, toolset)
        self._results: dict[bytes, ListToolsResult] = {}

    def listed(self, focus: Focus) -> ListToolsResult:
        tools = self.json(focus)
        if tools not in self._results:
            self._results = {tools: ListToolsResult.model_validate({"tools": orjson.loads(tools)})}
        return self._results[tools]
