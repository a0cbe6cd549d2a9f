"""What a request comes with: which protocol era its client belongs to, and the connection it came on."""

from __future__ import annotations

from typing import Any

from mcp.server.connection import Connection
from mcp.server.context import ServerRequestContext
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

Context = ServerRequestContext[Any, Any]


def is_stateless(ctx: Context) -> bool:
    """Whether the client's revision knows no connection: every request stands for itself."""
    return ctx.protocol_version in MODERN_PROTOCOL_VERSIONS


def connection_of(ctx: Context) -> Connection:
    """One object from handshake to hang-up; for a stateless client, another one with every request."""
    # The SDK hands out a session per request and keeps the connection behind it to itself.
    return ctx.session._connection
