"""The tasks extension of the newest revision (`io.modelcontextprotocol/tasks`): long calls that are answered later.

A client that declares it gets a handle in place of the answer of an operation that says it is long, and asks how that
task stands, in any process on the store (`tasks/get`), until its lifetime is over. All that is known of a task stands
in the ledger (see `task_records.py`); here are the ones that this process works on, and those who listen.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Generator, Iterable, Mapping
from concurrent.futures import Future
from contextlib import contextmanager
from functools import partial
from typing import Any

import orjson

from thoughtbox.app import Thoughtbox
from thoughtbox.doors.http.principal import reaches
from thoughtbox.doors.mcp.jsonrpc import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    ProtocolError,
)
from thoughtbox.doors.mcp.operation_calls import OperationCalls
from thoughtbox.doors.mcp.request import Place, Request, Result, Steps
from thoughtbox.doors.mcp.revisions import STAMP
from thoughtbox.doors.mcp.task_runs import TaskRun
from thoughtbox.doors.mcp.task_shapes import (
    ENDED_WITH_SERVER,
    declares,
    must_declare,
    new_id,
    poll_interval_ms,
    standing,
    workspace_in,
)
from thoughtbox.errors import ThoughtboxError, WorkspaceLocked, WorkspaceNotAllowed
from thoughtbox.ledger import leases
from thoughtbox.ledger.feed import Follower
from thoughtbox.operations import task_records
from thoughtbox.operations.caller import ANONYMOUS
from thoughtbox.operations.dispatch import Call
from thoughtbox.operations.task_records import Begin, Outcome, TaskState, stream_of, task_in
from thoughtbox.operations.tx import Tx

logger = logging.getLogger(__name__)

MOST_UNDER_WAY = 16
"""Tasks of one client in one workspace; a call beyond that is answered plainly."""

MOST_RUNNING = 256
"""Tasks that one process works on at once."""

BEAT_SECONDS = 3.0
"""How often a process says that it is still at work on its tasks."""

RETRY_SECONDS = 2.0

Tell = Callable[[Mapping[str, Any]], None]


class Watch:
    """Somebody who wants to hear of a task."""

    def __init__(self, task: TaskState, task_id: str, tell: Tell) -> None:
        self.workspace = task.workspace
        self.stream = task.stream
        self.task_id = task_id
        self.tell = tell
        self.told: tuple[int, str] | None = None
        """The newest record that it was told of, and which status."""

    @property
    def seen(self) -> int:
        return self.told[0] if self.told is not None else 0


class Tasks:
    """The tasks that this process works on, and what clients ask about any."""

    def __init__(self, box: Thoughtbox, calls: OperationCalls) -> None:
        self._box = box
        self._dispatcher = box.dispatcher
        self._calls = calls
        self._ttl_ms = box.settings.task_ttl_ms
        self._after_ms = box.settings.task_after_ms
        self._running: dict[str, TaskRun] = {}
        self._watches: set[Watch] = set()
        self._place: Place | None = None
        """Where it is looked after them; None while there is nothing to look after."""
        self._follower: Follower | None = None
        self._is_over = False

    @property
    def are_running(self) -> bool:
        return bool(self._running)

    def takes(self, request: Request) -> bool:
        """Whether a long call is to become a task."""
        return (
            request.is_stateless and declares(request.peer) and len(self._running) < MOST_RUNNING and not self._is_over
        )

    def answer(self, request: Request, call: Call, work: Callable[[Request], Steps[Result]]) -> Steps[Result]:
        """The result of a long call, if it comes within a moment; otherwise one that names the task that it becomes.

        Some clients put a task aside at once, and their agents go on without its answer.
        """
        principal = _principal(request)
        holder = f"token {principal}" if principal is not None else f"agent {call.caller.agent}"
        run = TaskRun(request, self, call.workspace, call.caller, holder)
        try:
            yield from self._waited(run, work)
            if run.done.done() and self._after_ms:
                return run.done.result()
            task_id, task = yield from self._begun(run, call, principal)
            if task is None:
                run.cannot_begin()
                return (yield run.done)
        except GeneratorExit:
            run.cancel()  # nobody waits for it any more
            raise
        self._running[task.stream] = run
        self._look_after(request.connection.place)
        run.begun(task)
        return {**self._shown(task_id, task), "resultType": "task", "_meta": STAMP}

    def _waited(self, run: TaskRun, work: Callable[[Request], Steps[Result]]) -> Steps[None]:
        """Begin the work, and give it a moment."""
        recall = run.connection.place.later(self._after_ms / 1000, run.hasten)
        run.run(work(run))
        try:
            yield run.waited
        finally:
            recall()

    def _begun(self, run: TaskRun, call: Call, principal: str | None) -> Steps[tuple[str, TaskState | None]]:
        """Write down that a call becomes a task; None when it cannot be kept, and has to be waited for."""
        if (task_id := new_id(call.workspace)) is None:
            return "", None
        operation = call.operation if isinstance(call.operation, str) else call.operation.name
        what = Begin(operation, call.arguments, principal, self._ttl_ms, run.holder, MOST_UNDER_WAY)
        begun = partial(task_records.begin, stream=stream_of(task_id), what=what)
        try:
            return task_id, (yield self._dispatcher.do(call.workspace, call.caller, begun, what="task"))
        except ThoughtboxError as error:
            logger.debug("a call is not made a task of: %s", error)
            return "", None

    def get(self, request: Request) -> Steps[Result]:
        """How a task stands, with what it has come to."""
        task = yield from self._known(request)
        return self._shown(request.params["taskId"], task)

    def update(self, request: Request) -> Steps[Result]:
        """Take what the client says to what it was asked; what it was not asked is passed over."""
        task = yield from self._known(request)
        try:
            said = {key: orjson.dumps(one).decode() for key, one in request.params["inputResponses"].items()}
        except TypeError:
            raise ProtocolError(INVALID_PARAMS, "inputResponses hold something that cannot be stored") from None
        if task.outcome is None and said.keys() & task.asked.keys():
            told = partial(task_records.tell, stream=task.stream, responses=said)
            yield self._dispatcher.do(task.workspace, self._calls.caller(request), told, what="task")
            self._look()
        return {}

    def cancel(self, request: Request) -> Steps[Result]:
        """End a task, and stop the work on it wherever that is done; one that has ended stays as it is."""
        task = yield from self._known(request)
        if task.outcome is None:
            ended = partial(task_records.end, stream=task.stream, outcome=Outcome("cancelled"))
            yield self._dispatcher.do(task.workspace, self._calls.caller(request), ended, what="task")
            self._look()
        return {}

    def wanted(self, request: Request, ids: Iterable[str], tell: Tell) -> Steps[list[Watch]]:
        """Those tasks among the ones that a client wants to hear of that are there for it."""
        must_declare(request)
        found = []
        for task_id in dict.fromkeys(ids):
            task = yield from self._found(request, task_id)
            if task is not None:
                found.append(Watch(task, task_id, tell))
        return found

    @contextmanager
    def watched(self, request: Request, watches: Iterable[Watch]) -> Generator[None]:
        """Inside, those who listen are told how their tasks stand, now and when that changes."""
        self._watches.update(watches)
        self._look_after(request.connection.place)
        self._look()
        try:
            yield
        finally:
            self._watches.difference_update(watches)

    def end(self) -> None:
        """The process ends: what it works on is given up, and said to be."""
        self._is_over = True
        for run in list(self._running.values()):
            run.cancel()
            self.keep(run, Outcome("failed", error={"code": INTERNAL_ERROR, "message": ENDED_WITH_SERVER}))
        if self._follower is not None:
            self._follower.close()

    def keep(self, run: TaskRun, outcome: Outcome) -> None:
        """Write down how a task has ended."""
        ended = partial(task_records.end, stream=run.stream, outcome=outcome)
        kept = self._dispatcher.do(run.workspace, run.caller, ended, what="task")
        kept.add_done_callback(lambda done: run.connection.place.post(partial(self._kept, run, outcome, done)))

    def put_question(self, run: TaskRun, key: str, question: Mapping[str, Any]) -> Future[None]:
        """Write down what the client of a task is asked."""
        put = partial(task_records.ask, stream=run.stream, key=key, request=question)
        return self._dispatcher.do(run.workspace, run.caller, put, what="task")

    def _kept(self, run: TaskRun, outcome: Outcome, done: Future[bool]) -> None:
        try:
            done.result()
        except Exception as error:
            # Nobody else can write it down. Until it is, the task counts as worked on.
            logger.warning("what became of a task could not be written down: %s", error)
            if not self._is_over:
                run.connection.place.later(RETRY_SECONDS, partial(self.keep, run, outcome))
            return
        self._running.pop(run.stream, None)
        self._look()

    def _known(self, request: Request) -> Steps[TaskState]:
        must_declare(request)
        task = yield from self._found(request, request.params["taskId"])
        if task is None:
            raise ProtocolError(INVALID_PARAMS, "there is no such task: it is not yours, or its lifetime is over")
        return task

    def _found(self, request: Request, task_id: str) -> Steps[TaskState | None]:
        """The task of that id; None where it is not there for whoever asks."""
        workspace = workspace_in(task_id)
        if workspace is None or not reaches(request.principal, workspace):
            return None
        look = partial(_open_task, stream=stream_of(task_id))
        task: TaskState | None = yield self._dispatcher.ask(workspace, self._calls.caller(request), look)
        return task if task is not None and task.principal == _principal(request) else None

    def _shown(self, task_id: str, task: TaskState) -> Result:
        """A task as the protocol shows it."""
        run = self._running.get(task.stream)
        status, more = standing(task, run.note if run is not None else task.lease.note if task.lease else None)
        return {
            "taskId": task_id,
            "status": status,
            "createdAt": task.created,
            "lastUpdatedAt": task.updated,
            "ttlMs": task.lifetime_ms // 1000 * 1000,
            "pollIntervalMs": poll_interval_ms(task.age_ms),
            **more,
        }

    def _look_after(self, place: Place) -> None:
        if self._place is None and not self._is_over:
            self._place = place
            self._follower = self._box.feed.follow(lambda: place.post(self._woken), since={})
            place.later(BEAT_SECONDS, self._beat)

    def _beat(self) -> None:
        """Say what is still worked on here, and see whether others still work."""
        assert self._place is not None
        if self._is_over or not (self._running or self._watches):
            if self._follower is not None:
                self._follower.close()
            self._place = self._follower = None
            return
        if held := [run.lease for run in self._running.values()]:
            now_ms = self._box.world.now_ms()
            self._box.engine.write("", lambda sql: leases.renew(sql, held, now_ms))
        self._look(closely=True)
        self._place.later(BEAT_SECONDS, self._beat)

    def _woken(self) -> None:
        """Something was written, by this process or another."""
        if self._follower is not None:
            for stretch in self._follower.unseen():
                self._follower.pass_over(stretch)
            self._look()

    def _look(self, *, closely: bool = False) -> None:
        """See what was written about the tasks that matter here; closely: also whether somebody works on them."""
        by_workspace: dict[str, dict[str, int]] = {}
        for one in (*self._running.values(), *self._watches):
            known = by_workspace.setdefault(one.workspace, {})
            known[one.stream] = min(one.seen, known.get(one.stream, one.seen))
        for workspace, known in by_workspace.items():
            looked = self._dispatcher.ask(workspace, ANONYMOUS, partial(_changed, known=known, closely=closely))
            looked.add_done_callback(self._looked)

    def _looked(self, done: Future[dict[str, TaskState]]) -> None:
        """Runs in the thread that has looked."""
        if self._place is None or done.cancelled():
            return
        if (error := done.exception()) is not None:
            logger.warning("tasks could not be looked at: %s", error)
        else:
            self._place.post(partial(self._take_in, done.result()))

    def _take_in(self, found: Mapping[str, TaskState]) -> None:
        for stream, task in found.items():
            run = self._running.get(stream)
            if run is None:
                continue
            if task.outcome is None:
                run.hear(task)
            else:
                self._running.pop(stream)
                run.cancel()  # somebody has ended it
        for watch in list(self._watches):
            if (task := found.get(watch.stream)) is not None:
                self._tell(watch, task)

    def _tell(self, watch: Watch, task: TaskState) -> None:
        shown = self._shown(watch.task_id, task)
        if watch.told is not None and (task.last_seq < watch.seen or watch.told == (task.last_seq, shown["status"])):
            return
        watch.told = (task.last_seq, shown["status"])
        watch.tell(shown)
        if task.outcome is not None:
            self._watches.discard(watch)


def _open_task(tx: Tx, stream: str) -> TaskState | None:
    try:
        tx.workspaces.must_be_open(tx.workspace)
    except (WorkspaceLocked, WorkspaceNotAllowed):
        return None
    return task_in(tx, stream)


def _changed(tx: Tx, known: Mapping[str, int], *, closely: bool) -> dict[str, TaskState]:
    """Of tasks that are known up to a record: those of which there is more, or all."""
    heads = {stream: tx.ledger.stream_head(stream) for stream in known}
    moved = [
        stream for stream, head in heads.items() if closely or (head is not None and head.last_seq > known[stream])
    ]
    found = {stream: task_in(tx, stream) for stream in moved}
    return {stream: task for stream, task in found.items() if task is not None}


def _principal(request: Request) -> str | None:
    return request.principal.id if request.principal is not None else None
