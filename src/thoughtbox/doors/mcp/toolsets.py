"""Toolsets decide what `tools/list` shows, never what may be called."""

from __future__ import annotations

from collections.abc import Mapping

from thoughtbox.errors import ConfigurationError
from thoughtbox.operations.registry import Operation, Table

GATEWAY = "gateway"
"""Stands for the one tool that leads to all others. It belongs to no room here, whichever declares it."""

TOOLSETS: Mapping[str, tuple[str, ...]] = {
    "default": (GATEWAY,),
    "thoughts": ("thoughts",),
    "trail": ("trail",),
    "ledger": ("ledger",),
    "all": (GATEWAY, "thoughts", "trail", "ledger"),
}
"""By name: the rooms whose operations are shown."""


def shown(table: Table, toolset: str) -> list[Operation]:
    """The operations that a toolset shows, in the order they were declared."""
    rooms = TOOLSETS.get(toolset)
    if rooms is None:
        raise ConfigurationError(
            f"there is no toolset `{toolset}`", recovery=f"The toolsets are {', '.join(TOOLSETS)}."
        )
    return [operation for room in rooms for operation in table if _room(operation) == room and not operation.hidden]


def _room(operation: Operation) -> str:
    return GATEWAY if operation.route is not None else operation.room
