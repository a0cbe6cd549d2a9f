"""Sessions over HTTP, which clients with a handshake have: whose they are, and which makes room when there are many.

A session is a connection of the core, found by a handle of 256 random bits together with the token that began it. What
has to be known of it stands in a file, so that any process of the server goes on with it, and the next server, too.
What is under way stays in the process where it began: others pass on what a client says of it.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping
from secrets import token_urlsafe
from typing import Any

import orjson

from thoughtbox.doors.http.principal import Principal
from thoughtbox.doors.mcp import jsonrpc
from thoughtbox.doors.mcp.connection import Connection
from thoughtbox.doors.mcp.jsonrpc import Incoming, Malformed, Reply
from thoughtbox.doors.mcp.request import Place
from thoughtbox.doors.mcp.server import McpServer
from thoughtbox.doors.mcp.transports.exchange import Exchange
from thoughtbox.doors.mcp.transports.session_files import STREAM, TURN, SessionFiles, Version
from thoughtbox.operations.shared_log import SharedLog

logger = logging.getLogger(__name__)

MOST_SESSIONS = 2_000
"""Open at once."""

IDLE_SECONDS = 1_800.0
"""A session without a request and without a stream for so long is ended."""

TOUCH_SECONDS = 60.0
"""How often it is written down that a session is in use."""

SWEEP_SECONDS = 600.0
"""How often files are looked for that no process has used for long."""

HEAR_SECONDS = 0.02
"""How often it is looked for what other processes tell, while anything is under way."""

TRY_AGAIN_SECONDS = 0.002
"""Between two looks at whether another process has done with a client's call."""

# What processes tell each other of a session.
_SAID, _CHANGED, _ENDED = "said", "changed", "ended"


class Session:
    """One client from its handshake to its end."""

    def __init__(
        self, all_of_them: Sessions, server: McpServer, place: Place, principal: Principal | None, handle: bytes
    ) -> None:
        self.handle = handle
        self.key = all_of_them.files.key_of(handle)
        self.owner = principal.id if principal is not None else None
        self.stream: Exchange | None = None
        """Where the client hears what belongs to no request, if it has opened one here."""
        self.connection: Connection = server.connect(place, self, principal)
        self.requests = 0
        """Under way, open streams included."""
        self.rests_since = self.touched_at = time.monotonic()
        self.version: Version | None = None
        """Of its file, as it is known here; None where it could not be kept."""
        self._all = all_of_them
        self._files = all_of_them.files
        self._place = place
        self._agreed: tuple[Any, ...] = ()
        self.connection.client.turn.lock = self

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

    # It is the lock of its client's turn: calls run one after the other, in whichever process.

    def take(self) -> bool:
        if not self._all.is_shared:
            return True
        if not self._files.lock(self.key, TURN):
            return False
        self.catch_up()
        return True

    def give_back(self) -> None:
        self.save()
        if self._all.is_shared:
            self._files.unlock(self.key, TURN)

    def hold(self) -> None:
        """Others are to come: a call that runs here keeps them off."""
        if self.connection.client.turn.is_taken:
            self._files.lock(self.key, TURN)

    def try_again(self, step: Callable[[], None]) -> None:
        self._place.later(TRY_AGAIN_SECONDS, step)

    def keep(self) -> None:
        """Write down all of it, for the first time."""
        state = self.connection.state()
        fields = {**state, "peer": jsonrpc.writable(state["peer"]), "owner": self.owner}
        self.version = self._files.change(self.key, fields, is_new=True)
        self._agreed = self._agreement()

    def save(self) -> None:
        """Write down what has changed here, before its client is answered."""
        agreed, client = self._agreement(), self.connection.client
        if agreed == self._agreed and not client.has_moved:
            return
        state = self.connection.state()
        changed = {"client": state["client"]} if client.has_moved else {}
        if agreed != self._agreed:
            changed |= {"log_level": state["log_level"], "subscriptions": state["subscriptions"]}
        self._agreed, client.has_moved = agreed, False
        if self.version is not None:
            self.version = self._files.change(self.key, changed) or self.version
            self._all.tell_of_change(self)

    def resume(self, fields: Mapping[str, Any], version: Version) -> None:
        """Go on from what another process has written."""
        self.connection.resume(fields)
        self.version, self._agreed = version, self._agreement()

    def catch_up(self) -> None:
        """Take in what another process has written since, if it has."""
        now = self._files.version(self.key)
        if now is not None and now != self.version and self.version is not None:
            self.save()
            if (found := self._files.read(self.key)) is not None:
                self.resume(*found)

    def touch(self, now: float) -> None:
        """Have others know that it is in use, now and then."""
        if now - self.touched_at >= TOUCH_SECONDS:
            self.touched_at = now
            self._files.touch(self.key)

    def end(self) -> None:
        self.connection.close()
        if self.stream is not None:
            self.stream.end()

    def _agreement(self) -> tuple[Any, ...]:
        return self.connection.log_level, self.connection.subscriptions


class Sessions:
    """All sessions of a server, as far as this process knows them."""

    def __init__(self, server: McpServer, place: Place, files: SessionFiles) -> None:
        self.files = files
        self._server = server
        self._place = place
        self._others: SharedLog | None = None
        """What the processes of one server tell each other."""
        self._sessions: dict[bytes, Session] = {}
        """By handle; the one that was used last is the last."""
        self._by_key: dict[str, Session] = {}
        self._swept_at = -SWEEP_SECONDS
        self._requests = 0
        """Under way, open streams included: another process may have word for any of them."""
        self._is_hearing = False

    @property
    def is_shared(self) -> bool:
        """Whether other processes have them, too."""
        return self._others is not None

    def share(self, others: SharedLog) -> None:
        """From now on other processes have the same sessions, or will have them in a moment."""
        self._others = others
        for session in self._sessions.values():
            session.hold()
        self._hear_in_a_while()

    def begin(self, principal: Principal | None) -> Session | None:
        """A new one, which is not known before it is kept; None when there are too many, and all of them busy."""
        if len(self._sessions) >= MOST_SESSIONS and not self._end_idlest():
            return None
        return Session(self, self._server, self._place, principal, token_urlsafe(32).encode())

    def keep(self, session: Session) -> None:
        session.keep()
        self._know(session)

    def find(self, handle: bytes, principal: Principal | None) -> Session | None:
        """The session of that handle; to anybody but its owner it is not there."""
        session = self._sessions.get(handle) or self._kept(handle, principal)
        if session is None or session.owner != (principal.id if principal is not None else None):
            return None
        if self.is_shared and session.version is not None and self.files.version(session.key) is None:
            self._forget(session)  # it was ended elsewhere
            return None
        return session

    def enter(self, session: Session) -> None:
        """A request of it begins."""
        session.requests += 1
        self._requests += 1
        self._hear_in_a_while()

    def leave(self, session: Session) -> None:
        """A request of it has ended."""
        session.requests -= 1
        self._requests -= 1
        session.rests_since = time.monotonic()
        session.touch(session.rests_since)
        if self._sessions.pop(session.handle, None) is not None:
            self._sessions[session.handle] = session

    def open_stream(self, session: Session) -> Exchange | None:
        """A stream, if the session has none: there is one, in whichever process."""
        if session.stream is not None or not self.files.lock(session.key, STREAM):
            return None
        session.stream = Exchange()
        return session.stream

    def stream_over(self, session: Session) -> None:
        session.stream = None
        self.files.unlock(session.key, STREAM)

    def listening(self) -> list[Session]:
        """Those that have a stream here."""
        return [session for session in self._sessions.values() if session.stream is not None]

    def end(self, session: Session) -> None:
        self.files.remove(session.key)
        self._forget(session)
        self._tell_others(_ENDED, session)

    def end_idle(self, now: float) -> None:
        """End those that nobody has used for long, in any process."""
        for session in list(self._sessions.values()):
            if session.requests:
                session.touch(now)
            elif now - session.rests_since >= IDLE_SECONDS:
                if time.time() - self.files.used_at(session.key) < IDLE_SECONDS:
                    self._forget(session)  # it is in use elsewhere
                else:
                    self.end(session)
        if now - self._swept_at >= SWEEP_SECONDS:
            self._swept_at = now
            self.files.remove_unused(IDLE_SECONDS + 2 * TOUCH_SECONDS)

    def receive(self, session: Session, message: Incoming | Reply) -> None:
        """Take in what is no request: what it is about may be under way in another process."""
        if not session.connection.receive(message, session):
            self._tell_others(_SAID, session, _plain(message))

    def tell_of_change(self, session: Session) -> None:
        """It has changed here, and its client may listen elsewhere."""
        if session.stream is None:
            self._tell_others(_CHANGED, session)

    def _hear_in_a_while(self) -> None:
        if self._others is not None and self._requests and not self._is_hearing:
            self._is_hearing = True
            self._place.later(HEAR_SECONDS, self._hear_others)

    def _hear_others(self) -> None:
        """Take in what other processes have told."""
        self._is_hearing = False
        assert self._others is not None
        if self._others.has_news:
            with self._others.alone():
                news = self._others.news()
            self._take(news)
        self._hear_in_a_while()

    def _tell_others(self, kind: str, session: Session, said: Any = None) -> None:
        if self._others is None:
            return
        with self._others.alone():
            news = self._others.news()
            try:
                self._others.append((kind, session.key, said))
            except (TypeError, ValueError) as error:
                logger.warning("what a client has said cannot be passed on: %s", error)
        self._take(news)

    def _take(self, news: list[Any]) -> None:
        for kind, key, said in news:
            session = self._by_key.get(key)
            if session is None:
                continue
            if kind == _ENDED:
                self._forget(session)
            elif kind == _SAID:
                message = jsonrpc.read(orjson.dumps(said))
                if not isinstance(message, Malformed):
                    session.connection.receive(message, session)
            elif session.stream is not None:
                session.catch_up()
                self._server.tell_of_tools(session.connection)

    def _kept(self, handle: bytes, principal: Principal | None) -> Session | None:
        """The session of a handle that this process has not met yet."""
        found = self.files.read(self.files.key_of(handle))
        if found is None or found[0].get("owner") != (principal.id if principal is not None else None):
            return None
        session = Session(self, self._server, self._place, principal, handle)
        session.resume(*found)
        self._know(session)
        return session

    def _know(self, session: Session) -> None:
        self._sessions[session.handle] = self._by_key[session.key] = session

    def _forget(self, session: Session) -> None:
        self._sessions.pop(session.handle, None)
        self._by_key.pop(session.key, None)
        session.end()

    def _end_idlest(self) -> bool:
        idlest = next((session for session in self._sessions.values() if not session.requests), None)
        if idlest is not None:
            self.end(idlest)
        return idlest is not None


def _plain(message: Incoming | Reply) -> dict[str, Any]:
    """A message as it came, but for what is not passed on: none of these is a request."""
    if isinstance(message, Incoming):
        return {"jsonrpc": "2.0", "method": message.method, "params": message.params}
    told = {"error": message.error} if message.result is None else {"result": message.result}
    return {"jsonrpc": "2.0", "id": message.id, **told}
