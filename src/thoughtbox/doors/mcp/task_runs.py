"""A tool call that goes on without its request: it is answered into the ledger, and asks its client by way of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import Future
from typing import Any, Protocol, TypeAlias

from thoughtbox.doors.mcp.jsonrpc import INTERNAL_ERROR, METHOD_NOT_FOUND, REQUEST_TIMEOUT, ProtocolError
from thoughtbox.doors.mcp.request import Request
from thoughtbox.errors import ThoughtboxError
from thoughtbox.ledger.leases import Lease
from thoughtbox.operations.caller import Caller
from thoughtbox.operations.task_records import Outcome, TaskState

Question: TypeAlias = Mapping[str, Any]

LONGEST_ANSWER = 1_000_000
"""Characters of an answer that are kept: ten times what an answer has that asks for no more."""


class _Silence:
    """Where the answer of a request goes that was answered already, with a task."""

    is_clear = True

    def when_clear(self, step: Callable[[], None]) -> None:
        step()

    def send(self, message: bytes) -> None: ...

    def answer(self, message: bytes, error: int | None = None) -> None: ...

    def unanswered(self) -> None: ...


class Keeper(Protocol):
    """Writes down what becomes of a task."""

    def keep(self, run: TaskRun, outcome: Outcome) -> None: ...

    def put_question(self, run: TaskRun, key: str, question: Question) -> Future[None]: ...


class TaskRun(Request):
    """A tool call on its own way: it does what the plain call does.

    At first its client waits for it. Once it is a task (`begun`), the client has got a handle in place of the answer.
    """

    __slots__ = (
        "_keeper",
        "_open",
        "_put",
        "_questions",
        "caller",
        "done",
        "holder",
        "note",
        "seen",
        "stream",
        "waited",
        "workspace",
    )

    def __init__(self, request: Request, keeper: Keeper, workspace: str, caller: Caller, holder: str) -> None:
        super().__init__(request.connection, request.id, request.method, request.params, request.peer, _Silence())
        self._keeper = keeper
        self._open: Request | None = request
        """The request that its client waits with."""
        self._questions: dict[str, Question] = {}
        self._put: dict[str, Future[Mapping[str, Any]]] = {}
        self.workspace = workspace
        self.stream = ""
        self.caller = caller
        self.holder = holder
        self.note = ""
        """How far it has come."""
        self.seen = 0
        """The newest record of it that is known here."""
        self.waited: Future[None] = Future()
        """Done when its client need not wait any longer: there is an answer, or there will be none for a while."""
        self.done: Future[dict[str, Any]] = Future()
        """The answer."""

    @property
    def can_ask(self) -> bool:
        return True

    @property
    def lease(self) -> Lease:
        return Lease(self.workspace, self.stream, self.holder, self.note)

    def begun(self, task: TaskState) -> None:
        """From here on it is a task."""
        self._open = None
        self.stream, self.seen = task.stream, task.last_seq
        for key, question in self._questions.items():
            self._put_question(key, question)
        if self.done.done():
            self._keeper.keep(self, _outcome(self.done))

    def cannot_begin(self) -> None:
        """It will not be a task: its client waits for the answer, and cannot be asked anything meanwhile."""
        for waiting in self._put.values():
            _fail(waiting, METHOD_NOT_FOUND, "its client cannot be asked now")

    def hasten(self) -> None:
        """Do not let the client wait any longer."""
        if not self.waited.done():
            self.waited.set_result(None)

    def notify(self, method: str, params: Mapping[str, Any]) -> None:
        if self._open is not None:
            self._open.notify(method, params)

    def report(self, done: int, total: int, message: str) -> None:
        self.note = message
        if self._open is not None:
            self._open.report(done, total, message)

    def ask(self, method: str, params: Mapping[str, Any] | None, seconds: float) -> Future[Mapping[str, Any]]:
        """Ask the client something, for it to find when it looks how the task stands, and wait so long."""
        key = f"asked-{len(self._put) + 1}"
        waiting: Future[Mapping[str, Any]] = Future()
        self._put[key] = waiting
        recall = self.connection.place.later(seconds, lambda: _fail(waiting, REQUEST_TIMEOUT, "it took too long"))
        waiting.add_done_callback(lambda _: recall())
        question: Question = {"method": method, **({} if params is None else {"params": params})}
        if self.stream:
            self._put_question(key, question)
        else:
            self._questions[key] = question
            self.hasten()
        return waiting

    def hear(self, task: TaskState) -> None:
        """Take in what others have written about the task."""
        self.seen = task.last_seq
        for key, response in task.told.items():
            waiting = self._put.get(key)
            if waiting is not None and not waiting.done():
                waiting.set_result(response)

    def finish(self, result: Any) -> None:
        if not self._is_over:
            self._settle()
            self.done.set_result(result)
            self._has_ended()

    def fail(self, code: int, message: str, data: Any = None) -> None:
        if not self._is_over:
            self._settle()
            self.done.set_exception(ProtocolError(code, message, data))
            self._has_ended()

    def _has_ended(self) -> None:
        self.hasten()
        if self.stream:
            self._keeper.keep(self, _outcome(self.done))

    def _put_question(self, key: str, question: Question) -> None:
        written = self._keeper.put_question(self, key, question)
        written.add_done_callback(lambda done: self._was_put(done, self._put[key]))

    def _was_put(self, done: Future[None], waiting: Future[Mapping[str, Any]]) -> None:
        """Runs in the thread that has written it."""
        if not done.cancelled() and isinstance(error := done.exception(), ThoughtboxError):
            self.connection.place.post(lambda: _fail(waiting, INTERNAL_ERROR, error.message))


def _outcome(done: Future[dict[str, Any]]) -> Outcome:
    """What a task has come to, as it is kept."""
    if isinstance(error := done.exception(), ProtocolError):
        return Outcome("failed", error={"code": error.code, "message": error.message})
    result = done.result()
    answer: str = result["content"][0]["text"]
    if len(answer) <= LONGEST_ANSWER:
        return Outcome("completed", answer, result["isError"])
    said = (
        f"the answer has {len(answer)} characters, and of a task {LONGEST_ANSWER} are kept; what the call wrote stays"
        " written. Ask for less, or call without the tasks extension"
    )
    return Outcome("failed", error={"code": INTERNAL_ERROR, "message": said})


def _fail(waiting: Future[Mapping[str, Any]], code: int, message: str) -> None:
    if not waiting.done():
        waiting.set_exception(ProtocolError(code, message))
