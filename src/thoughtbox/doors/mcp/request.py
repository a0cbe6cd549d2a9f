"""A request from its coming to its answer.

What answers it is a row of steps: it yields what it waits for (a call on the store, a question to its client) and is
sent what came of it. No thread waits meanwhile, and nothing here knows of sockets or pipes: a transport says where
messages go (`Outlet`), and where work is done (`Place`).
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Generator, Mapping
from concurrent.futures import CancelledError, Future
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeVar

from thoughtbox.doors.http.principal import Principal
from thoughtbox.doors.mcp import jsonrpc
from thoughtbox.doors.mcp.envelope import Peer
from thoughtbox.doors.mcp.jsonrpc import CONNECTION_CLOSED, INTERNAL_ERROR, Id, Params, ProtocolError

if TYPE_CHECKING:
    from thoughtbox.doors.mcp.connection import Connection

logger = logging.getLogger(__name__)

T = TypeVar("T")
Steps: TypeAlias = Generator[Future[Any], Any, T]

Result: TypeAlias = dict[str, Any]
Handler: TypeAlias = "Callable[[Request], Result | Steps[Result]]"
"""Answers a request: at once, or in steps. Raises `ProtocolError`."""

_NOTHING: Mapping[str, Any] = {}


class Outlet(Protocol):
    """Where what belongs to one request goes, or to one connection."""

    @property
    def is_clear(self) -> bool:
        """Whether all that was sent has been taken."""
        ...

    def when_clear(self, step: Callable[[], None]) -> None:
        """Do this as soon as all that was sent has been taken, in the place of the connection."""
        ...

    def send(self, message: bytes) -> None:
        """Send a notification, or a question to the client."""
        ...

    def answer(self, message: bytes, error: int | None = None) -> None:
        """Send the answer, which is the last; `error` is its code if it is one."""
        ...

    def unanswered(self) -> None:
        """The request was taken back: there will be no answer."""
        ...


class Place(Protocol):
    """Where the work of a connection is done: one thing after the other, in the order in which it was posted."""

    def post(self, step: Callable[[], object]) -> None: ...

    def later(self, seconds: float, step: Callable[[], None]) -> Callable[[], None]:
        """Post it after some time; what is returned takes that back."""
        ...


class Request:
    """One request of a client."""

    __slots__ = (
        "_is_over",
        "_steps",
        "_waiting",
        "connection",
        "here",
        "id",
        "is_stateless",
        "meta",
        "method",
        "outlet",
        "params",
        "peer",
    )

    def __init__(
        self,
        connection: Connection,
        id: Id,
        method: str,
        params: Params | None,
        peer: Peer,
        outlet: Outlet,
        *,
        here: bool = False,
    ) -> None:
        """`here` says that nothing else is under way: what it asks of the store may be done in this thread."""
        self.connection = connection
        self.id = id
        self.method = method
        self.params: Params = params if params is not None else _NOTHING
        self.peer = peer
        self.is_stateless = peer.is_stateless
        self.outlet = outlet
        self.here = here
        meta = self.params.get("_meta")
        self.meta: Mapping[str, Any] = meta if type(meta) is dict else _NOTHING
        self._steps: Steps[Any] | None = None
        self._waiting: Future[Any] | None = None
        self._is_over = False

    @property
    def principal(self) -> Principal | None:
        return self.connection.principal

    @property
    def can_ask(self) -> bool:
        """Whether its client can be asked something while it waits; a stateless one is asked by the answer."""
        return not self.is_stateless

    def notify(self, method: str, params: Mapping[str, Any]) -> None:
        """Tell the client something that belongs to this request."""
        if not self._is_over:
            self.outlet.send(jsonrpc.notification(method, params))

    def report(self, done: int, total: int, message: str) -> None:
        """Tell how far the work has come, if the client wants to know and takes what it is sent."""
        token = self.meta.get("progressToken")
        if type(token) in (str, int) and self.outlet.is_clear:
            told = {"progressToken": token, "progress": done, "total": total, "message": message}
            self.notify("notifications/progress", told)

    def ask(self, method: str, params: Mapping[str, Any] | None, seconds: float) -> Future[Mapping[str, Any]]:
        """Ask the client something, on this request's own stream; fails with a `ProtocolError`."""
        return self.connection.ask(self.outlet, method, params, seconds)

    def run(self, steps: Steps[Any]) -> None:
        """Go through the steps, and answer with what they come to."""
        self._steps = steps
        self._go_on(None)

    def cancel(self) -> None:
        """Give it up. What has been written stays written; nobody is told."""
        if not self._is_over:
            self._stop()
            self.outlet.unanswered()

    def drop(self) -> None:
        """Give it up, because the connection ends."""
        if not self._is_over:
            self._stop()
            closed = jsonrpc.error(self.id, CONNECTION_CLOSED, "Connection closed")
            self.outlet.answer(closed, CONNECTION_CLOSED)

    def _stop(self) -> None:
        steps = self._steps
        self._settle()
        if self._waiting is not None:
            self._waiting.cancel()
        if steps is not None:
            steps.close()

    def finish(self, result: Any) -> None:
        if not self._is_over:
            self._settle()
            self.outlet.answer(jsonrpc.result(self.id, result))

    def fail(self, code: int, message: str, data: Any = None) -> None:
        if not self._is_over:
            self._settle()
            self.outlet.answer(jsonrpc.error(self.id, code, message, data), code)

    def _settle(self) -> None:
        self._is_over = True
        self._steps = None
        self.connection.settled(self)

    def _go_on(self, done: Future[Any] | None) -> None:
        self._waiting = None  # it holds on to this, too, and only a look for garbage would part the two
        while (steps := self._steps) is not None:
            try:
                waiting = next(steps) if done is None else _after(steps, done)
            except StopIteration as end:
                self.finish(end.value)
                return
            except ProtocolError as error:
                self.fail(error.code, error.message, error.data)
                return
            except BaseException:
                logger.exception("%s could not be answered", self.method)
                self.fail(INTERNAL_ERROR, "Internal server error")
                return
            if not waiting.done():
                self._waiting = waiting
                waiting.add_done_callback(self._arrived)
                return
            done = waiting

    def _arrived(self, done: Future[Any]) -> None:
        """Runs in the thread that has the result."""
        self.connection.place.post(partial(self._go_on, done))


def _after(steps: Steps[Any], done: Future[Any]) -> Future[Any]:
    """The step that follows."""
    try:
        result = done.result()
    except BaseException as error:
        # What would end a generator, a task or the process fails this request only.
        if isinstance(error, Exception) and not isinstance(error, StopIteration | CancelledError):
            return _thrown(steps, error)
        wrapped = RuntimeError(f"an operation raised {type(error).__name__}")
        wrapped.__cause__ = error
        return steps.throw(wrapped)
    return steps.send(result)


def _thrown(steps: Steps[Any], error: Exception) -> Future[Any]:
    """The step that follows an error. One that was answered lets go of what it went through."""
    try:
        step = steps.throw(error)
    except (StopIteration, ProtocolError):
        _drop_tracebacks(error)
        raise
    _drop_tracebacks(error)
    return step


def _drop_tracebacks(error: BaseException | None) -> None:
    """The frames in them hold what the client has sent, and the future that holds the error: garbage of megabytes."""
    while error is not None and error.__traceback__ is not None:  # causes may lead back to where they began
        error.__traceback__ = None
        error = error.__cause__ or error.__context__
