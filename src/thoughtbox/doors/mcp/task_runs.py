"""A tool call that goes on without its request: it is answered into the ledger, and asks its client by way of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import Future
from typing import Any, Protocol

from thoughtbox.doors.mcp.jsonrpc import INTERNAL_ERROR, REQUEST_TIMEOUT, ProtocolError
from thoughtbox.doors.mcp.request import Request, Steps
from thoughtbox.errors import ThoughtboxError
from thoughtbox.ledger.leases import Lease
from thoughtbox.operations.caller import Caller
from thoughtbox.operations.task_records import Outcome, TaskState

LONGEST_ANSWER = 1_000_000
"""Characters of an answer that are kept: ten times what an answer has that asks for no more."""


class _Silence:
    """Where the messages of a request go that was answered already."""

    is_clear = True

    def when_clear(self, step: Callable[[], None]) -> None:
        step()

    def send(self, message: bytes) -> None:
        """Progress and log of a task are not for its client: it asks how the task stands."""

    def answer(self, message: bytes, error: int | None = None) -> None: ...

    def unanswered(self) -> None: ...


class Keeper(Protocol):
    """Writes down what becomes of a task."""

    def keep(self, run: TaskRun, outcome: Outcome) -> None: ...

    def put_question(self, run: TaskRun, key: str, question: Mapping[str, Any]) -> Future[None]: ...


class TaskRun(Request):
    """The request that a task was made of, on its own way: it does what the plain call does."""

    __slots__ = ("_keeper", "_questions", "caller", "holder", "note", "seen", "stream", "workspace")

    def __init__(self, request: Request, keeper: Keeper, task: TaskState, caller: Caller, holder: str) -> None:
        super().__init__(request.connection, request.id, request.method, request.params, request.peer, _Silence())
        self._keeper = keeper
        self._questions: dict[str, Future[Mapping[str, Any]]] = {}
        self.workspace = task.workspace
        self.stream = task.stream
        self.caller = caller
        self.holder = holder
        self.note = ""
        """How far it has come."""
        self.seen = task.last_seq
        """The newest record of it that is known here."""

    @property
    def can_ask(self) -> bool:
        return True

    @property
    def lease(self) -> Lease:
        return Lease(self.workspace, self.stream, self.holder, self.note)

    def run(self, steps: Steps[Any]) -> None:
        if self._is_over:  # it was cancelled before it began
            steps.close()
        else:
            super().run(steps)

    def report(self, done: int, total: int, message: str) -> None:
        self.note = message

    def ask(self, method: str, params: Mapping[str, Any] | None, seconds: float) -> Future[Mapping[str, Any]]:
        """Ask the client something, for it to find when it looks how the task stands, and wait so long."""
        key = f"asked-{len(self._questions) + 1}"
        waiting: Future[Mapping[str, Any]] = Future()
        self._questions[key] = waiting
        recall = self.connection.place.later(seconds, lambda: _fail(waiting, REQUEST_TIMEOUT, "it took too long"))
        waiting.add_done_callback(lambda _: recall())
        put = self._keeper.put_question(self, key, {"method": method, **({} if params is None else {"params": params})})
        put.add_done_callback(lambda done: self._was_put(done, waiting))
        return waiting

    def hear(self, task: TaskState) -> None:
        """Take in what others have written about the task."""
        self.seen = task.last_seq
        for key, response in task.told.items():
            waiting = self._questions.get(key)
            if waiting is not None and not waiting.done():
                waiting.set_result(response)

    def finish(self, result: Any) -> None:
        if self._is_over:
            return
        self._settle()
        answer: str = result["content"][0]["text"]
        if len(answer) > LONGEST_ANSWER:
            said = (
                f"the answer has {len(answer)} characters, and of a task {LONGEST_ANSWER} are kept; what the call wrote"
                " stays written. Ask for less, or call without the tasks extension"
            )
            self._keeper.keep(self, Outcome("failed", error={"code": INTERNAL_ERROR, "message": said}))
        else:
            self._keeper.keep(self, Outcome("completed", answer, result["isError"]))

    def fail(self, code: int, message: str, data: Any = None) -> None:
        if not self._is_over:
            self._settle()
            self._keeper.keep(self, Outcome("failed", error={"code": code, "message": message}))

    def _was_put(self, done: Future[None], waiting: Future[Mapping[str, Any]]) -> None:
        """Runs in the thread that has written it."""
        if not done.cancelled() and isinstance(error := done.exception(), ThoughtboxError):
            self.connection.place.post(lambda: _fail(waiting, INTERNAL_ERROR, error.message))


def _fail(waiting: Future[Mapping[str, Any]], code: int, message: str) -> None:
    if not waiting.done():
        waiting.set_exception(ProtocolError(code, message))
