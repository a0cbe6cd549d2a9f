"""Telling clients what has changed, in both protocol eras.

Clients with a handshake get notifications on their connection; stateless ones get them on the stream they opened with
`subscriptions/listen`. Two things change by themselves: a new session is a new resource, and a session that grows is a
resource that was updated. It may be another process that wrote. The list of tools changes when a client comes to
another stage, for that client alone.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Container, Iterable, Mapping
from concurrent.futures import Future
from contextlib import nullcontext
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from thoughtbox.app import Thoughtbox
from thoughtbox.doors.http.principal import must_reach, reaches
from thoughtbox.doors.mcp import jsonrpc, resources
from thoughtbox.doors.mcp.jsonrpc import INTERNAL_ERROR, ProtocolError
from thoughtbox.doors.mcp.request import Outlet, Place, Request, Steps
from thoughtbox.doors.mcp.revisions import SUBSCRIPTION_ID
from thoughtbox.errors import InvalidPayload, ThoughtboxError

if TYPE_CHECKING:
    from thoughtbox.doors.mcp.connection import Connection
    from thoughtbox.doors.mcp.tasks import Tasks, Watch
    from thoughtbox.engine.protocol import Sql
    from thoughtbox.ledger.feed import Follower, Stretch

logger = logging.getLogger(__name__)

MOST_SUBSCRIPTIONS = 1_000
"""Resources that one client can watch, and tasks that one stream can tell of."""

MOST_MISSED = 10_000
"""Records that are looked through for a client that comes back; what is older, it asks for."""

MOST_STREAMS = 2_000
"""Streams of stateless clients that are open at once."""

RESOURCES: Final = "notifications/resources/list_changed"
RESOURCE: Final = "notifications/resources/updated"
TASK: Final = "notifications/tasks"
TOOLS: Final = "notifications/tools/list_changed"
_WANTED_AS: Final = {RESOURCES: "resourcesListChanged", TOOLS: "toolsListChanged"}


class Telling:
    """Notifications that go one way: at once, or when what was sent before has been taken; of two alike, one."""

    def __init__(self, outlet: Outlet) -> None:
        self._outlet = outlet
        self._owed: dict[tuple[str, str], Mapping[str, Any] | None] = {}

    def tell(self, method: str, params: Mapping[str, Any] | None = None) -> None:
        if self._outlet.is_clear:
            self._outlet.send(jsonrpc.notification(method, params))
            return
        if not self._owed:
            self._outlet.when_clear(self._tell_what_is_owed)
        about = params or {}
        self._owed[(method, str(about.get("uri") or about.get("taskId") or ""))] = params

    def _tell_what_is_owed(self) -> None:
        owed, self._owed = self._owed, {}
        for (method, _), params in owed.items():
            self.tell(method, params)


class _Stream:
    """What a stateless client listens to."""

    def __init__(self, request: Request) -> None:
        wanted = request.params["notifications"]
        self.addresses: list[str] = wanted.get("resourceSubscriptions") or []
        self.wants = {name for name, value in wanted.items() if value is True}
        self.meta = {SUBSCRIPTION_ID: request.id}
        self.tasks: list[Watch] = []
        self.ended: Future[None] = Future()
        self._telling = Telling(request.outlet)

    @property
    def honoured(self) -> dict[str, Any]:
        known = ("toolsListChanged", "promptsListChanged", "resourcesListChanged")
        addresses = {"resourceSubscriptions": self.addresses} if self.addresses else {}
        tasks = {"taskIds": [watch.task_id for watch in self.tasks]} if self.tasks else {}
        return {**{name: True for name in known if name in self.wants}, **addresses, **tasks}

    def tell(self, method: str, **params: Any) -> None:
        if method == RESOURCE or _WANTED_AS[method] in self.wants:
            self._telling.tell(method, {**params, "_meta": self.meta})

    def tell_of_task(self, shown: Mapping[str, Any]) -> None:
        self._telling.tell(TASK, {**shown, "_meta": self.meta})


class Notifications:
    """Follows the store while the server runs, and tells every client that wants to know."""

    def __init__(self, box: Thoughtbox) -> None:
        self._box = box
        self._table = box.table
        self._connections: set[Connection] = set()
        self._streams: set[_Stream] = set()
        self._follower: Follower | None = None
        self._is_over = False
        self.told = 0
        """The number of the last record that those who listen were told of."""

    def remember(self, connection: Connection, *, since: int | None = None) -> None:
        """A client is to hear of changes on its connection, if it may know of them: from now, or behind this record."""
        project = self._box.settings.project
        if not reaches(connection.principal, project):
            return
        self._connections.add(connection)
        if since is not None and since < self.told:
            from thoughtbox.ledger.feed import Stretch

            missed = Stretch(project, max(since, self.told - MOST_MISSED), self.told)
            reading = self._box.engine.read(partial(_grown, missed))
            reading.add_done_callback(lambda read: connection.place.post(partial(self._tell_missed, connection, read)))

    def forget(self, connection: Connection) -> None:
        self._connections.discard(connection)

    def subscribe(self, request: Request) -> dict[str, Any]:
        connection, uri = request.connection, request.params["uri"]
        resources.must_exist(self._table, uri)
        must_reach(connection.principal, self._box.settings.project)
        if len(connection.subscriptions) >= MOST_SUBSCRIPTIONS:
            raise InvalidPayload(
                f"a client can subscribe to {MOST_SUBSCRIPTIONS} resources at most",
                recovery="Unsubscribe from some, or watch thoughtbox://ledger/status.",
            )
        connection.subscriptions |= {uri}
        self.remember(connection)
        self._box.feed.hurry()
        return {}

    def unsubscribe(self, request: Request) -> dict[str, Any]:
        request.connection.subscriptions -= {request.params["uri"]}
        return {}

    def listen(self, request: Request, tasks: Callable[[], Tasks]) -> Steps[dict[str, Any]]:
        """Serve a stateless client's stream until it goes away, or the server does.

        `tasks` brings a lot along: it is called for those who want to hear of tasks.
        """
        stream = _Stream(request)
        if stream.addresses or "resourcesListChanged" in stream.wants:
            must_reach(request.principal, self._box.settings.project)
        if len(self._streams) >= MOST_STREAMS:
            raise ProtocolError(INTERNAL_ERROR, "Subscription limit reached")
        if (ids := request.params["notifications"].get("taskIds")) is not None:
            if len(ids) > MOST_SUBSCRIPTIONS:
                raise InvalidPayload(f"a stream can tell of {MOST_SUBSCRIPTIONS} tasks at most")
            stream.tasks = yield from tasks().wanted(request, ids, stream.tell_of_task)
        self._streams.add(stream)
        if self._is_over:
            stream.ended.set_result(None)
        self._box.feed.hurry()
        try:
            request.notify(
                "notifications/subscriptions/acknowledged", {"notifications": stream.honoured, "_meta": stream.meta}
            )
            with tasks().watched(request, stream.tasks) if stream.tasks else nullcontext():
                yield stream.ended
        finally:
            self._streams.discard(stream)
        return {"_meta": stream.meta}

    def tell_of_tools(self, request: Request) -> None:
        """Have a client told that it would now be shown other tools. The answer under way goes out before that."""
        # Streams of stateless clients do not say whose they are: there, everybody hears of it.
        tell = self._tell_streams_of_tools if request.is_stateless else partial(request.connection.tell, TOOLS)
        request.connection.place.post(tell)

    def end(self) -> None:
        """Tell those who listen that nothing more will come, and follow no more."""
        self._is_over = True
        if self._follower is not None:
            self._follower.close()
        for stream in list(self._streams):
            if not stream.ended.done():
                stream.ended.set_result(None)

    def follow(self, place: Place) -> None:
        """Tell of all that is written since the store was opened."""
        project = self._box.settings.project
        self.told = self._box.newest_at_start
        self._follower = self._box.feed.follow(
            lambda: self._look(place),
            workspaces=[project],
            since={project: self._box.newest_at_start},
            waits=self._are_awaited,
        )

    def _are_awaited(self) -> bool:
        """Whether anybody has asked to hear of changes. That there are new resources is told to others, too."""
        return bool(self._streams) or any(connection.subscriptions for connection in list(self._connections))

    def _look(self, place: Place) -> None:
        """Runs in a thread of the feed, which has nothing else to do for those who are told here."""
        follower = self._follower
        if follower is None:
            return
        for stretch in follower.unseen():
            try:
                grown = self._box.engine.read(partial(_grown, stretch), here=True).result()
            except ThoughtboxError as error:
                logger.warning("changes could not be looked for: %s", error)
                return
            follower.pass_over(stretch)
            place.post(partial(self._tell, grown, stretch.until))

    def _tell(self, grown: dict[str, bool], until: int) -> None:
        self.told = until
        is_longer = self._is_longer(grown)
        for connection in self._connections:
            self._tell_one(connection, grown, is_longer=is_longer)
        for stream in self._streams:
            if is_longer:
                stream.tell(RESOURCES)
            for address in self._updated(stream.addresses, grown):
                stream.tell(RESOURCE, uri=address)

    def _tell_one(self, connection: Connection, grown: dict[str, bool], *, is_longer: bool) -> None:
        if is_longer:
            connection.tell(RESOURCES)
        for address in self._updated(connection.subscriptions, grown):
            connection.tell(RESOURCE, {"uri": address})

    def _tell_missed(self, connection: Connection, read: Future[dict[str, bool]]) -> None:
        if (error := read.exception()) is not None:
            logger.warning("what a client has missed could not be looked for: %s", error)
        elif connection in self._connections:
            self._tell_one(connection, read.result(), is_longer=self._is_longer(read.result()))

    def _is_longer(self, grown: dict[str, bool]) -> bool:
        """Whether there are more resources in the list."""
        return any(new and resources.is_listed(self._table, stream) for stream, new in grown.items())

    def _tell_streams_of_tools(self) -> None:
        for stream in self._streams:
            stream.tell(TOOLS)

    def _updated(self, addresses: Iterable[str], grown: Container[str]) -> list[str]:
        return [address for address in addresses if resources.is_concerned(self._table, address, grown)]


def _grown(stretch: Stretch, sql: Sql) -> dict[str, bool]:
    """The streams that were written to, and whether each of them is new."""
    rows = sql.rows(
        "SELECT stream, MIN(stream_index) FROM records WHERE workspace = ? AND seq > ? AND seq <= ? GROUP BY stream",
        stretch,
    )
    return {stream: first == 0 for stream, first in rows}
