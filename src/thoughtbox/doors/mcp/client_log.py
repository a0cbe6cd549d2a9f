"""What a client is told beside its answers, if it asks: which writes were made, and what went wrong inside.

Clients with a handshake ask once, with `logging/setLevel`; stateless ones with every request.
"""

from __future__ import annotations

from typing import Any

from thoughtbox.doors.mcp.params import LEVELS
from thoughtbox.doors.mcp.request import Request
from thoughtbox.doors.mcp.revisions import LOG_LEVEL


def set_level(request: Request) -> dict[str, Any]:
    request.connection.log_level = request.params["level"]
    return {}


def tell(request: Request, level: str, text: str) -> None:
    """Send one entry, on the stream of the request it belongs to."""
    wanted = request.meta.get(LOG_LEVEL) if request.is_stateless else request.connection.log_level
    if wanted is not None and LEVELS.index(level) >= LEVELS.index(wanted):
        request.notify("notifications/message", {"level": level, "logger": "thoughtbox", "data": text})
