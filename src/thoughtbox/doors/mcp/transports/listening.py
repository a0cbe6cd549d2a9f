"""The address that MCP is spoken at."""

from __future__ import annotations

import socket
from typing import Final

from thoughtbox.doors.http.listening import base_of, listen_at
from thoughtbox.settings import Settings

PATH: Final = "/mcp"


def address_of(listening: socket.socket) -> str:
    return f"{base_of(listening)}{PATH}"


def listen(settings: Settings) -> socket.socket:
    return listen_at(settings.host, settings.port, variable="THOUGHTBOX_PORT")
