"""One connection of a client: what was agreed on it, what is under way on it, and what its client was asked.

Without input or output of its own: messages come in by `receive`, and go out by an `Outlet`. All of it is touched in
one place only, one thing after the other (see `Place`).
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from thoughtbox.doors.http.principal import Principal
from thoughtbox.doors.mcp import jsonrpc
from thoughtbox.doors.mcp.envelope import Peer, is_enveloped, sender
from thoughtbox.doors.mcp.jsonrpc import (
    CONNECTION_CLOSED,
    INTERNAL_ERROR,
    INVALID_REQUEST,
    REQUEST_TIMEOUT,
    UNSUPPORTED_PROTOCOL_VERSION,
    Id,
    Incoming,
    ProtocolError,
    Reply,
    same_id,
)
from thoughtbox.doors.mcp.notifications import Telling
from thoughtbox.doors.mcp.request import Outlet, Place, Request
from thoughtbox.doors.mcp.revisions import NEWEST_HANDSHAKE, STATELESS

if TYPE_CHECKING:
    from thoughtbox.doors.mcp.focus import Client
    from thoughtbox.doors.mcp.server import McpServer

logger = logging.getLogger(__name__)

CANCELLED: Final = "notifications/cancelled"
INITIALIZED: Final = "notifications/initialized"

NOBODY_YET: Final = Peer(NEWEST_HANDSHAKE)
"""The other side of a connection on which nothing was agreed."""


class Connection:
    """From the first message to the hang-up; of a stateless request over HTTP, for that request alone."""

    def __init__(
        self, server: McpServer, place: Place, outlet: Outlet, client: Client, *, principal: Principal | None = None
    ) -> None:
        """`outlet` takes what belongs to no request. `client` is what is remembered of whoever is on the other side."""
        self.server = server
        self.place = place
        self.outlet = outlet
        self.client = client
        self.principal = principal
        self.peer = NOBODY_YET
        self.is_agreed = False
        """Whether the handshake was made."""
        self.log_level: str | None = None
        """What a client with a handshake wants to hear of, and everything above it."""
        self.subscriptions: frozenset[str] = frozenset()
        """The resources that a client with a handshake wants to hear of."""
        self._is_stateless: bool | None = None
        """Which era the first request has shown the client to be of."""
        self._open: set[Request] = set()
        self._by_id: dict[Id, Request] = {}
        """Of several under one id, the last."""
        self._questions: dict[Id, Future[Mapping[str, Any]]] = {}
        self._last_question = 0
        self._telling = Telling(outlet)

    @property
    def open(self) -> int:
        """How many requests are under way."""
        return len(self._open)

    @property
    def asks(self) -> int:
        """How many questions wait for the client."""
        return len(self._questions)

    def receive(self, message: Incoming | Reply, outlet: Outlet, *, here: bool = False) -> bool:
        """Take in one message; what belongs to it goes to `outlet`. Whether what it is about is known here."""
        if isinstance(message, Reply):
            return self._take_reply(message)
        if message.id is None:
            return self._take_notification(message)
        self._take_request(message, outlet, here)
        return True

    def answer(self, message: Incoming, peer: Peer, outlet: Outlet, *, here: bool = False) -> None:
        """Answer a request of which it is known who sends it."""
        assert message.id is not None
        request = Request(self, message.id, message.method, message.params, peer, outlet, here=here)
        self._open.add(request)
        self._by_id[same_id(message.id)] = request
        try:
            answer = self.server.handle(request)
        except ProtocolError as error:
            request.fail(error.code, error.message, error.data)
        except Exception:
            logger.exception("%s could not be answered", message.method)
            request.fail(INTERNAL_ERROR, "Internal server error")
        else:
            if isinstance(answer, dict):
                request.finish(answer)
            else:
                request.run(answer)

    def agree(self, peer: Peer) -> None:
        """The handshake was made."""
        self.peer = peer
        self.is_agreed = True

    def settled(self, request: Request) -> None:
        """A request is answered, or given up."""
        self._open.discard(request)
        key = same_id(request.id)
        if self._by_id.get(key) is request:
            del self._by_id[key]

    def tell(self, method: str, params: Mapping[str, Any] | None = None) -> None:
        """Tell the client something that belongs to no request."""
        self._telling.tell(method, params)

    def ask(
        self, outlet: Outlet, method: str, params: Mapping[str, Any] | None, seconds: float
    ) -> Future[Mapping[str, Any]]:
        """Ask the client something, and wait for its answer so long."""
        self._last_question += 1
        id = self._last_question
        waiting: Future[Mapping[str, Any]] = Future()
        self._questions[id] = waiting
        recall = self.place.later(seconds, partial(self._give_up, id, outlet, method, seconds))
        waiting.add_done_callback(partial(self._question_ends, id, outlet, recall))
        outlet.send(jsonrpc.request(id, method, params))
        return waiting

    def close(self) -> None:
        """It ends: what is under way is given up, and no answers will come to what was asked."""
        for request in list(self._open):
            request.drop()
        for waiting in list(self._questions.values()):
            waiting.set_exception(ProtocolError(CONNECTION_CLOSED, "Connection closed"))
        self.server.notifications.forget(self)

    def state(self) -> dict[str, Any]:
        """What was agreed, in plain values, for another process to go on from."""
        return {
            "peer": list(self.peer),
            "log_level": self.log_level,
            "subscriptions": sorted(self.subscriptions),
            "client": self.client.state(self.server.table),
        }

    def resume(self, state: Mapping[str, Any]) -> None:
        """Go on from where another process has left it. What is under way here goes on, too."""
        if not self.is_agreed:
            from secrets import randbelow  # a start has no time for it

            # Its client may be asked things by several processes: none of their numbers is another's.
            self._last_question = randbelow(1 << 31) << 20
        self.peer = Peer(*state["peer"])
        self.is_agreed = True
        self.log_level = state["log_level"]
        self.subscriptions = frozenset(state["subscriptions"])
        self._is_stateless = False
        self.client.resume(self.server.table, state["client"])

    def _take_request(self, message: Incoming, outlet: Outlet, here: bool) -> None:
        enveloped = message.method != "initialize" and is_enveloped(message.params)
        if self._is_stateless is None:
            self._is_stateless = enveloped
        peer = self.peer
        try:
            if self._is_stateless:
                peer = self._stateless_peer(message)
            elif enveloped:
                raise _wrong_era()
        except ProtocolError as error:
            outlet.answer(jsonrpc.error(message.id, error.code, error.message, error.data), error.code)
            return
        self.answer(message, peer, outlet, here=here)

    def _stateless_peer(self, message: Incoming) -> Peer:
        if message.method == "initialize":
            requested = (message.params or {}).get("protocolVersion")
            raise ProtocolError(
                UNSUPPORTED_PROTOCOL_VERSION,
                "connection is serving the 2026-07-28 protocol; the initialize handshake is not accepted",
                {"supported": list(STATELESS), **({"requested": requested} if isinstance(requested, str) else {})},
            )
        return sender(message)

    def _take_notification(self, message: Incoming) -> bool:
        if message.method == CANCELLED:
            id = (message.params or {}).get("requestId")
            request = self._by_id.get(same_id(id)) if isinstance(id, str | int) else None
            if request is None:
                return False
            request.cancel()
        elif message.method == INITIALIZED and not self._is_stateless:
            self.server.notifications.remember(self)
        return True

    def _take_reply(self, reply: Reply) -> bool:
        waiting = self._questions.get(same_id(reply.id)) if reply.id is not None else None
        if waiting is None:
            logger.debug("an answer came to nothing that is asked (%r)", reply.id)
            return False
        if reply.result is not None:
            waiting.set_result(reply.result)
        elif reply.error is not None:
            waiting.set_exception(ProtocolError(reply.error["code"], reply.error["message"], reply.error.get("data")))
        return True

    def _give_up(self, id: int, outlet: Outlet, method: str, seconds: float) -> None:
        waiting = self._questions.get(id)
        if waiting is not None:
            outlet.send(jsonrpc.notification(CANCELLED, {"requestId": id, "reason": f"timed out after {seconds}s"}))
            waiting.set_exception(ProtocolError(REQUEST_TIMEOUT, f"Request {method!r} timed out"))

    def _question_ends(self, id: int, outlet: Outlet, recall: Callable[[], None], asked: Future[Any]) -> None:
        self._questions.pop(id, None)
        recall()
        if asked.cancelled():  # nobody wants to know any more
            outlet.send(jsonrpc.notification(CANCELLED, {"requestId": id, "reason": "caller cancelled"}))


def _wrong_era() -> ProtocolError:
    return ProtocolError(
        INVALID_REQUEST,
        "this connection serves the handshake protocol era; requests carrying the 2026-07-28 envelope are"
        " not accepted on it",
    )
