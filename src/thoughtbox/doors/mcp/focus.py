"""What is remembered of a client between its calls: where it stands, in every workspace it works in.

A process that serves over stdio has one client, whatever revision of the protocol that one speaks; over HTTP a client
with a handshake is remembered as long as its session. Of a stateless request over HTTP nothing is remembered.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from contextlib import suppress
from functools import cache, partial
from typing import TYPE_CHECKING, Any, Protocol

from thoughtbox.app import Thoughtbox
from thoughtbox.operations.caller import Focus, Memory

if TYPE_CHECKING:
    from thoughtbox.operations.table import Table

MOST_WORKSPACES = 100
"""In more of them than this a client is forgotten where it has not been for longest."""


class Lock(Protocol):
    """What keeps other processes from a client while a call of it runs here."""

    def take(self) -> bool:
        """Whether nobody else has it; then nobody will, until it is given back."""
        ...

    def give_back(self) -> None: ...

    def try_again(self, step: Callable[[], None]) -> None:
        """Do this in a moment, when others may have given it back."""
        ...


class Turn:
    """Whose turn it is: calls of one client run in the order in which they came."""

    def __init__(self) -> None:
        self.lock: Lock | None = None
        """Set where several processes may have calls of the client."""
        self.is_taken = False
        self._is_tried = False
        self._waiting: deque[Future[None]] = deque()

    def enter(self) -> Future[None] | None:
        """Want it: what is done when it has come, or None when it has. Whoever has wanted it leaves it, in any case."""
        if not self.is_taken and not self._waiting and self._take():
            return None
        ticket: Future[None] = Future()
        self._waiting.append(ticket)
        self._give_to_next()
        return ticket

    def leave(self, ticket: Future[None] | None) -> None:
        """Let the next one have it, or want it no more."""
        if ticket is not None and (ticket.cancelled() or not ticket.done()):
            self._waiting.remove(ticket)  # it was given up before its turn had come
            return
        self.is_taken = False
        if self.lock is not None:
            self.lock.give_back()
        self._give_to_next()

    def _take(self) -> bool:
        self.is_taken = self.lock is None or self.lock.take()
        return self.is_taken

    def _give_to_next(self) -> None:
        if self.is_taken or self._is_tried or not self._waiting:
            return
        if self._take():
            self._waiting.popleft().set_result(None)
        else:
            assert self.lock is not None
            self._is_tried = True
            self.lock.try_again(self._try_again)

    def _try_again(self) -> None:
        self._is_tried = False
        self._give_to_next()


class Client:
    """One client: its turn, and its focus in every workspace."""

    def __init__(self, first_focus: Callable[[], Focus]) -> None:
        self.turn = Turn()
        self._first_focus_of = first_focus
        self._first: Focus | None = None
        self._focus: dict[str, Focus] = {}
        self._told: dict[str, Focus] = {}
        self.has_moved = False
        """Whether it stands elsewhere than when this was last set to false."""

    @property
    def _first_focus(self) -> Focus:
        if self._first is None:
            self._first = self._first_focus_of()
        return self._first

    def focus(self, workspace: str) -> Focus:
        return self._focus.get(workspace) or self._first_focus

    def move(self, workspace: str, focus: Focus) -> None:
        """Remember where a call has left the client."""
        if not focus.lasts:
            return
        if focus is not self._focus.pop(workspace, self._first_focus):
            self.has_moved = True
        self._focus[workspace] = focus  # the last one in the dictionary is the one used last
        if len(self._focus) > MOST_WORKSPACES:
            del self._focus[next(iter(self._focus))]

    def state(self, table: Table) -> dict[str, Any]:
        """What is remembered, in plain values, for another process to go on from."""
        return {
            "focus": {workspace: _plain(focus, table) for workspace, focus in self._focus.items()},
            "told": {workspace: _plain(focus, table) for workspace, focus in self._told.items()},
        }

    def resume(self, table: Table, state: Mapping[str, Any]) -> None:
        """Go on from where another process has left the client. What it was told here is still so."""
        is_new = not self._focus and not self._told
        self._focus = {name: self._moved(values, table) for name, values in state["focus"].items()}
        for name, values in state["told"].items() if is_new else ():
            same = self._focus.get(name)
            told = self._moved(values, table)
            self._told[name] = same if same is not None and told == same else told

    def _moved(self, values: Mapping[str, Mapping[str, Any]], table: Table) -> Focus:
        focus = self._first_focus
        for name, value in values.items():
            room = table.rooms.get(name)
            if room is not None and (kind := room.remembers) is not None:
                with suppress(TypeError):  # another release may remember other things
                    focus = focus.on(kind(**value))
        return focus

    @property
    def workspaces(self) -> list[str]:
        """Those that it has been in."""
        return list(self._focus)

    def has_news(self, workspace: str, described: Callable[[Focus], str]) -> bool:
        """Whether the tools are described as this client was not told before; from now on it counts as told."""
        # Not a matter of before and after one call: of calls sent without waiting, many see the same change.
        told, focus = self._told.get(workspace), self._focus.get(workspace)
        if told is focus:
            return False
        told, focus = told or self._first_focus, focus or self._first_focus
        self._told[workspace] = focus
        if len(self._told) > MOST_WORKSPACES:
            del self._told[next(iter(self._told))]
        return described(told) != described(focus)


class Clients:
    """The clients of one server. No two of them share anything."""

    def __init__(self, box: Thoughtbox, transport: str) -> None:
        self._first_focus: Callable[[Memory], Focus] = cache(box.first_focus)  # it never changes, and all may share it
        self._only = self._new("connection") if transport == "stdio" else None

    def met(self) -> Client:
        """A client on a connection of its own."""
        return self._only or self._new("connection")

    def passing(self) -> Client:
        """A client that is gone with its request."""
        return self._only or self._new("none")

    def _new(self, memory: Memory) -> Client:
        return Client(partial(self._first_focus, memory))


def _plain(focus: Focus, table: Table) -> dict[str, Any]:
    from dataclasses import asdict  # a start has no time for it

    return {room.name: asdict(focus.of(kind)) for room in table.rooms.values() if (kind := room.remembers) is not None}
