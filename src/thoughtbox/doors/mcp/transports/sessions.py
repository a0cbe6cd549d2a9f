"""Sessions over HTTP, which clients with a handshake have: whose they are, and which makes room when there are many.

A session is a connection of the core, found by a handle of 256 random bits together with the token that began it. When
there are as many as there may be, the one that was idle for longest is ended.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from secrets import token_urlsafe
from typing import Any

from thoughtbox.doors.http.principal import Principal
from thoughtbox.doors.mcp.connection import Connection
from thoughtbox.doors.mcp.request import Place
from thoughtbox.doors.mcp.server import McpServer
from thoughtbox.doors.mcp.transports.exchange import Exchange

MOST_SESSIONS = 2_000
"""Open at once."""

IDLE_SECONDS = 1_800.0
"""A session without a request and without a stream for so long is ended."""


class Session:
    """One client from its handshake to its end."""

    def __init__(self, server: McpServer, place: Place, principal: Principal | None, handle: bytes) -> None:
        self.handle = handle
        self.owner = principal.id if principal is not None else None
        self.stream: Exchange | None = None
        """Where the client hears what belongs to no request, if it has opened one."""
        self.connection: Connection = server.connect(place, self, principal)
        self.requests = 0
        """Under way, open streams included."""
        self.rests_since = time.monotonic()

    @property
    def is_clear(self) -> bool:
        return self.stream is None or self.stream.is_clear

    def when_clear(self, step: Callable[[], None]) -> None:
        if self.stream is not None:
            self.stream.when_clear(step)

    def send(self, message: bytes) -> None:
        """Who has opened no stream is not told: it will ask."""
        if self.stream is not None:
            self.stream.send(message)

    def answer(self, message: bytes, error: int | None = None) -> None:
        self.send(message)

    def unanswered(self) -> None:
        """There is nothing to be said."""

    @property
    def is_at_rest(self) -> bool:
        """Whether nothing is under way, and nothing is asked."""
        return not self.requests and not self.connection.open and not self.connection.asks

    def state(self) -> dict[str, Any]:
        """All of it, in plain values, for another process to go on from. Only when it is at rest."""
        principal = self.connection.principal
        return {
            "handle": self.handle.decode(),
            "principal": None if principal is None else list(principal),
            "rests_for": time.monotonic() - self.rests_since,
            "connection": self.connection.state(),
        }

    def end(self) -> None:
        self.connection.close()
        if self.stream is not None:
            self.stream.end()


class Sessions:
    """All sessions of a server."""

    def __init__(self, server: McpServer, place: Place, slot: int | None = None) -> None:
        """`slot` tells the workers of one server apart; it stands in their handles."""
        self._server = server
        self._place = place
        self._prefix = "" if slot is None else f"{slot}."
        self._sessions: dict[bytes, Session] = {}
        """By handle; the one that was used last is the last."""

    def begin(self, principal: Principal | None) -> Session | None:
        """A new one, which is not known before it is kept; None when there are too many, and all of them busy."""
        if len(self._sessions) >= MOST_SESSIONS and not self._end_idlest():
            return None
        return Session(self._server, self._place, principal, f"{self._prefix}{token_urlsafe(32)}".encode())

    def resume(self, state: Mapping[str, Any]) -> None:
        """Go on with a session that another process has handed over."""
        principal = state["principal"]
        owner = None if principal is None else Principal(principal[0], principal[1] and tuple(principal[1]))
        session = Session(self._server, self._place, owner, state["handle"].encode())
        session.connection.resume(state["connection"])
        session.rests_since -= state["rests_for"]
        self.keep(session)

    def take_out(self) -> list[dict[str, Any]]:
        """The state of all sessions that are at rest, which are not here any more."""
        resting = [session for session in self._sessions.values() if session.is_at_rest]
        states = [session.state() for session in resting]
        for session in resting:
            self.end(session)
        return states

    def end_streams(self) -> None:
        """Tell clients that nothing more comes on the streams they have opened; they may open others."""
        for session in list(self._sessions.values()):
            if session.stream is not None:
                session.stream.end()

    def __len__(self) -> int:
        return len(self._sessions)

    def keep(self, session: Session) -> None:
        self._sessions[session.handle] = session

    def find(self, handle: bytes, principal: Principal | None) -> Session | None:
        """The session of that handle; to anybody but its owner it is not there."""
        session = self._sessions.get(handle)
        owner = principal.id if principal is not None else None
        return session if session is not None and session.owner == owner else None

    def enter(self, session: Session) -> None:
        """A request of it begins."""
        session.requests += 1

    def leave(self, session: Session) -> None:
        """A request of it has ended."""
        session.requests -= 1
        session.rests_since = time.monotonic()
        if self._sessions.pop(session.handle, None) is not None:
            self._sessions[session.handle] = session

    def end(self, session: Session) -> None:
        self._sessions.pop(session.handle, None)
        session.end()

    def end_idle(self, now: float) -> None:
        """End those that nobody has used for long."""
        for session in list(self._sessions.values()):
            if not session.requests and now - session.rests_since >= IDLE_SECONDS:
                self.end(session)

    def _end_idlest(self) -> bool:
        idlest = next((session for session in self._sessions.values() if not session.requests), None)
        if idlest is not None:
            self.end(idlest)
        return idlest is not None
