"""Revisions of the protocol, the two eras they belong to, and what the newest one says in `_meta`."""

from __future__ import annotations

from typing import Final

from thoughtbox import __version__

HANDSHAKE = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
"""Revisions in which a connection begins with `initialize`, and remembers what was said there."""

STATELESS = ("2026-07-28",)
"""Revisions in which every request stands for itself, and says in its `_meta` who sends it."""

NEWEST_HANDSHAKE = HANDSHAKE[-1]
NEWEST = STATELESS[-1]

PROTOCOL_VERSION = "io.modelcontextprotocol/protocolVersion"
CLIENT_INFO = "io.modelcontextprotocol/clientInfo"
CLIENT_CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
LOG_LEVEL = "io.modelcontextprotocol/logLevel"
SERVER_INFO = "io.modelcontextprotocol/serverInfo"
TASKS = "io.modelcontextprotocol/tasks"
APPS = "io.modelcontextprotocol/ui"
SUBSCRIPTION_ID = "io.modelcontextprotocol/subscriptionId"

IDENTITY: Final = {"name": "thoughtbox", "title": "Thoughtbox", "version": __version__}
STAMP: Final = {SERVER_INFO: IDENTITY}
"""What the newest revision wants to see in the `_meta` of every result."""
