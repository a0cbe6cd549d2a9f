"""Toolsets decide what `tools/list` shows, never what may be called."""

from __future__ import annotations

from collections.abc import Mapping

from thoughtbox.errors import ConfigurationError
from thoughtbox.operations.registry import Operation, Table

TOOLSETS: Mapping[str, tuple[str, ...]] = {
    "default": ("trail",),
    "trail": ("trail",),
    "ledger": ("ledger",),
    "all": ("trail", "ledger"),
}
"""By name: the rooms whose operations are shown."""


def shown(table: Table, toolset: str) -> list[Operation]:
    """The operations that a toolset shows, in the order they were declared."""
    rooms = TOOLSETS.get(toolset)
    if rooms is None:
        raise ConfigurationError(
            f"there is no toolset `{toolset}`", recovery=f"The toolsets are {', '.join(TOOLSETS)}."
        )
    return [operation for room in rooms for operation in table if operation.room == room and not operation.hidden]
