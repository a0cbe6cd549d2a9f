"""Telling clients what has changed, in both protocol eras.

Clients with a handshake get notifications on their connection; stateless ones get
them on the stream they opened with `subscriptions/listen`. Two things change by
themselves: a new session is a new resource, and a session that grows is a resource
that was updated. It may be another process that wrote. The list of tools changes when a
client comes to another stage, for that client alone.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import AsyncGenerator, Container, Iterable
from contextlib import asynccontextmanager, suppress
from weakref import WeakKeyDictionary

from mcp.server.connection import Connection
from mcp.server.subscriptions import (
    InMemorySubscriptionBus,
    ListenHandler,
    ResourcesListChanged,
    ResourceUpdated,
    ToolsListChanged,
)
from mcp_types import (
    EmptyResult,
    NotificationParams,
    SubscribeRequestParams,
    SubscriptionsListenRequestParams,
    SubscriptionsListenResult,
    UnsubscribeRequestParams,
)

from tests.support.sdk_door import resources
from tests.support.sdk_door.context import Context, connection_of, is_stateless
from tests.support.sdk_door.principal import must_reach, reaches
from thoughtbox.app import Thoughtbox
from thoughtbox.engine.protocol import Sql
from thoughtbox.errors import InvalidPayload, ThoughtboxError
from thoughtbox.ledger.feed import Follower, Stretch

logger = logging.getLogger(__name__)

MOST_SUBSCRIPTIONS = 1_000

TELL_SECONDS = 1.0
"""How long one client may take to be told before the next round is no longer held up by it."""


class Notifications:
    """Follows the store while the server runs, and tells every client that wants to know."""

    def __init__(self, box: Thoughtbox) -> None:
        self._box = box
        self._table = box.dispatcher.table
        self._bus = InMemorySubscriptionBus()
        self._streams = ListenHandler(self._bus)
        self._watched: Counter[str] = Counter()
        self._connections: WeakKeyDictionary[Connection, set[str]] = WeakKeyDictionary()
        self._telling: set[asyncio.Task[None]] = set()

    async def remember(self, ctx: Context, params: NotificationParams) -> None:
        """A client has shaken hands: it is to hear of changes on its connection, if it may know of them."""
        if reaches(ctx, self._box.settings.project):
            self._addresses_of(ctx)

    async def subscribe(self, ctx: Context, params: SubscribeRequestParams) -> EmptyResult:
        resources.match(self._table, str(params.uri))
        must_reach(ctx, self._box.settings.project)
        addresses = self._addresses_of(ctx)
        if len(addresses) >= MOST_SUBSCRIPTIONS:
            raise InvalidPayload(
                f"a client can subscribe to {MOST_SUBSCRIPTIONS} resources at most",
                recovery="Unsubscribe from some, or watch thoughtbox://ledger/status.",
            )
        addresses.add(str(params.uri))
        return EmptyResult()

    async def unsubscribe(self, ctx: Context, params: UnsubscribeRequestParams) -> EmptyResult:
        self._addresses_of(ctx).discard(str(params.uri))
        return EmptyResult()

    async def listen(self, ctx: Context, params: SubscriptionsListenRequestParams) -> SubscriptionsListenResult:
        """Serve a stateless client's stream until it goes away, or the server does."""
        wanted = params.notifications
        addresses = wanted.resource_subscriptions or []
        if addresses or wanted.resources_list_changed:
            must_reach(ctx, self._box.settings.project)
        self._watched.update(addresses)
        try:
            return await self._streams(ctx, params)
        finally:
            self._watched.subtract(addresses)
            self._watched += Counter()  # without those that nobody watches any more

    def tell_of_tools(self, ctx: Context) -> None:
        """Have a client told that it would now be shown other tools. The answer under way goes out before that."""
        telling = asyncio.create_task(self._tell_of_tools(connection_of(ctx), everybody=is_stateless(ctx)))
        self._telling.add(telling)
        telling.add_done_callback(self._telling.discard)

    def end(self) -> None:
        """Tell those who listen that nothing more will come."""
        self._streams.close()

    @asynccontextmanager
    async def followed(self) -> AsyncGenerator[None]:
        """Tell of all that is written from here on, until the block ends."""
        loop = asyncio.get_running_loop()
        stirred = asyncio.Event()
        follower = self._box.feed.follow(
            lambda: loop.call_soon_threadsafe(stirred.set), workspaces=[self._box.settings.project]
        )
        following = asyncio.create_task(self._follow(follower, stirred))
        try:
            yield
        finally:
            follower.close()
            following.cancel()

    async def _follow(self, follower: Follower, stirred: asyncio.Event) -> None:
        while True:
            await stirred.wait()
            stirred.clear()
            for stretch in follower.unseen():
                await self._look(follower, stretch)

    async def _look(self, follower: Follower, stretch: Stretch) -> None:
        try:
            grown = await asyncio.wrap_future(self._box.engine.read(lambda sql: _grown(sql, stretch)))
        except ThoughtboxError as error:
            logger.warning("changes could not be looked for: %s", error)
            return
        follower.pass_over(stretch)
        await self._tell(grown)

    async def _tell(self, grown: dict[str, bool]) -> None:
        is_listed_anew = any(new and resources.is_listed(self._table, stream) for stream, new in grown.items())
        if is_listed_anew:
            await self._bus.publish(ResourcesListChanged())
        for address in self._updated(self._watched, grown):
            await self._bus.publish(ResourceUpdated(uri=address))
        await asyncio.gather(
            *(
                self._tell_one(connection, self._updated(addresses, grown), is_listed_anew=is_listed_anew)
                for connection, addresses in list(self._connections.items())
            )
        )

    async def _tell_one(self, connection: Connection, updated: list[str], *, is_listed_anew: bool) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(TELL_SECONDS):
                if is_listed_anew:
                    await connection.send_resource_list_changed()
                for address in updated:
                    await connection.send_resource_updated(address)

    async def _tell_of_tools(self, connection: Connection, *, everybody: bool) -> None:
        """Streams of stateless clients do not say whose they are: there, everybody hears of it."""
        if everybody:
            await self._bus.publish(ToolsListChanged())
            return
        with suppress(TimeoutError):
            async with asyncio.timeout(TELL_SECONDS):
                await connection.send_tool_list_changed()

    def _updated(self, addresses: Iterable[str], grown: Container[str]) -> list[str]:
        return [address for address in addresses if resources.is_concerned(self._table, address, grown)]

    def _addresses_of(self, ctx: Context) -> set[str]:
        """What this client subscribed to."""
        return self._connections.setdefault(connection_of(ctx), set())


def _grown(sql: Sql, stretch: Stretch) -> dict[str, bool]:
    """The streams that were written to, and whether each of them is new."""
    rows = sql.rows(
        "SELECT stream, MIN(stream_index) FROM records WHERE workspace = ? AND seq > ? AND seq <= ? GROUP BY stream",
        stretch,
    )
    return {stream: first == 0 for stream, first in rows}
