"""Telling clients that a list has changed, in both protocol eras.

Clients with a handshake get a notification on their connection; stateless ones get
it on the stream they opened with `subscriptions/listen`. The list that changes by
itself is that of resources: a new session is a new one. It may be another process
that wrote it.
"""

from __future__ import annotations

import asyncio
import logging
import weakref
from typing import Any

from mcp.server.connection import Connection
from mcp.server.context import ServerRequestContext
from mcp.server.subscriptions import ResourcesListChanged, SubscriptionBus
from mcp_types import NotificationParams

from thoughtbox.app import Thoughtbox

logger = logging.getLogger(__name__)

Context = ServerRequestContext[Any, Any]

SETTLE_SECONDS = 0.1
"""Changes that come together are told once."""


class Changes:
    """Follows the store while the server runs, and tells every client that listens."""

    def __init__(self, box: Thoughtbox, bus: SubscriptionBus) -> None:
        self._box = box
        self._bus = bus
        self._connections: weakref.WeakSet[Connection] = weakref.WeakSet()
        self._streams = 0

    async def remember(self, ctx: Context, params: NotificationParams) -> None:
        """A client has shaken hands: it is to hear of changes on its connection."""
        # The SDK hands out a session per request and keeps the connection behind it to itself.
        self._connections.add(ctx.session._connection)

    async def follow(self) -> None:
        """Run until cancelled."""
        loop = asyncio.get_running_loop()
        stirred = asyncio.Event()
        self._streams = await self._count()
        unwatch = self._box.engine.watch(lambda: loop.call_soon_threadsafe(stirred.set))
        try:
            while True:
                await stirred.wait()
                await asyncio.sleep(SETTLE_SECONDS)
                stirred.clear()
                streams = await self._count()
                if streams != self._streams:
                    self._streams = streams
                    await self._tell()
        finally:
            unwatch()

    async def _count(self) -> int:
        project = self._box.settings.project
        future = self._box.engine.read(
            lambda sql: sql.row("SELECT COUNT(*) FROM streams WHERE workspace = ?", (project,))
        )
        row = await asyncio.wrap_future(future)
        return row[0] if row else 0

    async def _tell(self) -> None:
        await self._bus.publish(ResourcesListChanged())
        for connection in list(self._connections):
            try:
                await connection.send_resource_list_changed()
            except Exception:
                logger.debug("a client could not be told of a change", exc_info=True)
