"""What the gateway's schema says of the operations behind it: the names and arguments that rooms want to be seen.

Any other name is as good, and any other argument: which ones an operation takes is looked at once it is known.
"""

from __future__ import annotations

from typing import Any

from thoughtbox.domains.calls.gateway_route import ARGUMENTS, OPERATION, SUB_OPERATION
from thoughtbox.operations import Table, arguments_of


def properties(table: Table) -> dict[str, Any]:
    """The schemas of the gateway's own arguments, as short as they can be, and of the others that are typed here."""
    rooms = table.rooms.values()
    names = [name for room in rooms for name in room.gateway_names]
    typed = {
        part.name: {"type": part.kind}
        for room in rooms
        for operation, wanted in room.gateway_arguments.items()
        for part in arguments_of(table.operations[operation])
        if part.name in wanted
    }
    return {
        OPERATION: {"anyOf": [{"enum": names}, {"type": "string"}]},
        SUB_OPERATION: {"type": "string"},
        ARGUMENTS: {"type": "object"},
        **typed,
    }
