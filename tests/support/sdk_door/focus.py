"""What is remembered of a client between its calls: where it stands, in every workspace it works in.

A process that serves over stdio has one client, whatever revision of the protocol that one speaks; over HTTP a client
with a handshake is remembered as long as its connection. Of a stateless request over HTTP nothing is remembered.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from weakref import WeakKeyDictionary

from mcp.server.connection import Connection

from tests.support.sdk_door.context import Context, connection_of, is_stateless
from thoughtbox.app import Thoughtbox
from thoughtbox.operations.caller import Focus, Memory

MOST_WORKSPACES = 100
"""In more of them than this a client is forgotten where it has not been for longest."""


class Client:
    """One client: its turn, and its focus in every workspace. Touched on the event loop only."""

    def __init__(self, first_focus: Focus) -> None:
        self.turn = asyncio.Lock()
        """Held by the call that runs: calls of one client run in the order they came."""
        self._first_focus = first_focus
        self._focus: dict[str, Focus] = {}
        self._told: dict[str, Focus] = {}

    def focus(self, workspace: str) -> Focus:
        return self._focus.get(workspace, self._first_focus)

    def move(self, workspace: str, focus: Focus) -> None:
        """Remember where a call has left the client."""
        if not focus.lasts:
            return
        self._focus.pop(workspace, None)
        self._focus[workspace] = focus  # the last one in the dictionary is the one used last
        if len(self._focus) > MOST_WORKSPACES:
            del self._focus[next(iter(self._focus))]

    def has_news(self, workspace: str, described: Callable[[Focus], str]) -> bool:
        """Whether the tools are described as this client was not told before; from now on it counts as told."""
        # Not a matter of before and after one call: of calls sent without waiting, many see the same change.
        told, focus = self._told.get(workspace, self._first_focus), self.focus(workspace)
        if told is focus:
            return False
        self._told[workspace] = focus
        if len(self._told) > MOST_WORKSPACES:
            del self._told[next(iter(self._told))]
        return described(told) != described(focus)


class Clients:
    """All clients of one server. No two of them share anything."""

    def __init__(self, box: Thoughtbox, transport: str) -> None:
        self._first_focus: Callable[[Memory], Focus] = box.first_focus
        self._only = Client(self._first_focus("connection")) if transport == "stdio" else None
        self._connections: WeakKeyDictionary[Connection, Client] = WeakKeyDictionary()

    def of(self, ctx: Context) -> Client:
        if self._only is not None:
            return self._only
        if is_stateless(ctx):
            return Client(self._first_focus("none"))
        connection = connection_of(ctx)
        client = self._connections.get(connection)
        if client is None:
            client = self._connections[connection] = Client(self._first_focus("connection"))
        return client
