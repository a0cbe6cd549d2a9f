"""One Python snippet on its way: fed to a worker, and driven from ask to ask."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

from pydantic_monty import FunctionSnapshot, MontyComplete, MontyError, NameLookupSnapshot

from thoughtbox.errors import LimitExceeded, SnippetError, SnippetFailed
from thoughtbox.sandbox.exceeded import Deadline, exceeded
from thoughtbox.sandbox.protocol import BASE, Asked, Built, Ended, Limits, Reply, Snippet
from thoughtbox.sandbox.python import failures, frames
from thoughtbox.sandbox.python.library import ASK, END, meant, opening
from thoughtbox.sandbox.python.printed import LONGEST_FRAME, Printed
from thoughtbox.sandbox.python.rewriting import Rewritten, rewritten
from thoughtbox.sandbox.python.worker import Snapshot, Worker

PER_ANSWER = 0.000_03
"""Seconds of computing that the engine itself spends when it is asked something and goes on: not the snippet's."""

Advance = Callable[[], Snapshot]


class PythonRun:
    """See `protocol.Run`. Any thread may drive it, one at a time; another one looks at it, and may close it."""

    def __init__(
        self,
        snippet: Snippet,
        limits: Limits,
        worker: Worker,
        *,
        check: Callable[[Snippet], None],
        begin: Callable[[PythonRun], None],
        finish: Callable[[PythonRun, Worker], None],
    ) -> None:
        """`check` may refuse the snippet; `begin` is told when it is under way, `finish` when the worker is free."""
        self._snippet = snippet
        self._limits = limits
        self._worker = worker
        self._check = check
        self._begin = begin
        self._finish = finish
        self._deadline = Deadline()
        self._printed = Printed(limits.output_chars, self._too_much)
        self._source = Rewritten(snippet.code)
        self._waiting: FunctionSnapshot | None = None
        self._calls = 0
        self._answers = 0
        self._ids: set[str] = set()
        self._next_number = 0
        self._held: list[Built] = []
        """Records that came with a question which could not be asked: they go with the next one."""
        self._asked: str | None = None
        self._sent: dict[str, Any] = {}

        self._lock = threading.Lock()
        self._is_in_turn = False
        self._is_closed = False
        self._breach: LimitExceeded | None = None
        self._cpu_until = float("inf")

    @property
    def logs(self) -> Sequence[str]:
        return self._printed.lines

    def end_by(self, moment: float, error: LimitExceeded) -> None:
        self._deadline.set(moment, error)

    def start(self, base: int = 0) -> Asked | Ended:
        self.end_by(time.monotonic() + self._limits.wall_ms / 1_000, exceeded("wall", self._limits))
        self._check(self._snippet)
        self._source = rewritten(self._snippet.code)
        with self._lock:
            if self._is_closed:
                raise _closed()
            self._begin(self)
        self._next_number = base
        line, values = opening(self._snippet, base)
        self._turn(lambda: self._worker.feed(line, self._printed, values))
        used = self._worker.cpu()
        if used is not None:
            self._cpu_until = used + self._limits.cpu_ms / 1_000
            self._worker.may_compute(self._limits.cpu_ms / 1_000)
        return self._on(lambda: self._worker.feed(self._source.code, self._printed))

    def resume(self, reply: Reply) -> Asked | Ended:
        waiting, self._waiting = self._waiting, None
        if waiting is None:
            raise RuntimeError("the run does not wait for an answer")
        if (passed := self._deadline.passed()) is not None:
            raise self._spent(passed)
        told = self._told(reply)
        return self._on(lambda: waiting.resume({"return_value": told}))

    def close(self) -> None:
        with self._lock:
            if self._is_closed:
                return
            self._is_closed = True
            if self._is_in_turn:
                self._worker.kill()  # whoever waits for it is told, and lets go of it
                return
        self._finish(self, self._worker)

    def look(self) -> None:
        """End the process when the snippet has used up its time; called by the watch."""
        with self._lock:
            if not self._is_in_turn or self._breach is not None:
                return
            if (passed := self._deadline.passed()) is not None:
                self._breach = passed
            elif (self._worker.cpu() or 0) > self._cpu_until + self._answers * PER_ANSWER:
                self._breach = self._failed("cpu")
            else:
                return
            self._worker.kill()

    def _too_much(self, allowed: int) -> None:
        """The snippet says more than it may: end its process, in the middle of its turn."""
        with self._lock:
            if self._breach is None:
                self._breach = self._failed("output", allowed)
                self._worker.kill()

    def _on(self, advance: Advance) -> Asked | Ended:
        """Let it run until it asks for something, or ends. What else it stops for is no business of the host."""
        while True:
            snapshot = self._turn(advance)
            if isinstance(snapshot, MontyComplete):
                return self._ended()
            self._answers += 1
            if isinstance(snapshot, NameLookupSnapshot):
                self._count(1)
                advance = snapshot.resume
            elif not isinstance(snapshot, FunctionSnapshot):
                raise self._spent(SnippetFailed("the snippet waits for something that never comes"))
            elif snapshot.is_os_function:
                self._count(1)
                advance = snapshot.resume_not_handled
            elif snapshot.function_name == ASK and (frame := self._printed.frame()) is not None:
                asked = self._question(frame)
                if isinstance(asked, Asked):
                    self._waiting = snapshot
                    return asked
                advance = _raising(snapshot, "ValueError", asked)
            else:
                self._count(1)
                advance = _raising(snapshot, "NameError", f"name '{snapshot.function_name}' is not defined")

    def _turn(self, advance: Advance) -> Snapshot:
        """One stretch of computing."""
        with self._lock:
            if self._is_closed:
                raise _closed()
            if self._breach is not None:
                raise self._breach
            self._is_in_turn = True
        failed: MontyError | None = None
        snapshot: Snapshot = None
        try:
            snapshot = advance()
        except MontyError as error:
            failed = error
        finally:
            with self._lock:
                self._is_in_turn = False
                closed = self._is_closed
        if closed:
            self._finish(self, self._worker)
            raise _closed()
        if self._breach is not None:
            raise self._breach
        if failed is not None:
            raise self._spent(failures.failure(failed, self._source, self._sent, self._limits)) from None
        return snapshot

    def _question(self, frame: str) -> Asked | str:
        """What the snippet asks for, or what is wrong with how it does."""
        try:
            said = frames.said(frame)
        except frames.TooDeep as too_deep:
            self._held = self._queued(too_deep.queued)
            return f"arguments nested deeper than {frames.DEEPEST} levels are not sent as JSON"
        except frames.TooMuch:
            raise self._failed("output", LONGEST_FRAME) from None
        except frames.NotAFrame:
            raise self._tampered() from None
        queued = self._queued(said.queued)
        if said.name is None:
            raise self._tampered()
        if said.name != BASE:
            self._count(1)
        self._asked = meant(said.name)
        return Asked(self._asked, {meant(name): value for name, value in said.value.items()}, queued)

    def _ended(self) -> Ended:
        if self._source.is_unread:
            raise self._spent(failures.not_python("the snippet's quotes or brackets could not be followed to its end"))
        try:
            done = self._turn(lambda: self._worker.feed(f"{END}()", self._printed))
        except SnippetFailed as error:
            raise SnippetFailed(f"the result cannot be sent: {error.message}", details=error.details) from None
        frame = self._printed.frame()
        if frame is None or not isinstance(done, MontyComplete):
            raise self._tampered()
        try:
            said = frames.said(frame)
        except frames.TooDeep:
            raise SnippetFailed(f"a result deeper than {frames.DEEPEST} levels is not sent as JSON") from None
        except frames.TooMuch:
            raise self._failed("output") from None
        except frames.NotAFrame:
            raise self._tampered() from None
        if said.length > self._limits.output_chars:
            raise self._failed("output")
        return Ended(said.value, self.logs, self._queued(said.queued))

    def _queued(self, entries: list[Any]) -> list[Built]:
        """What is to be written first."""
        held, self._held = self._held, []
        if not entries:
            return held
        self._count(len(entries))
        if not self._next_number:
            raise self._tampered()
        try:
            records = frames.built(entries, self._snippet.builders, self._ids, self._next_number)
        except frames.NotAFrame:
            raise self._tampered() from None
        self._next_number += len(records)
        return held + records

    def _told(self, reply: Reply) -> dict[str, Any]:
        """A reply as the prelude takes it."""
        self._next_number = reply.base
        if reply.error is None:
            if self._asked in self._snippet.builders and isinstance(reply.answer, dict):
                self._ids.add(str(reply.answer.get("id")))
            return {"answer": reply.answer, "base": reply.base}
        text = _text(reply.error)
        self._sent[text] = reply.error
        return {"error": dict(reply.error), "text": text, "base": reply.base}

    def _count(self, calls: int) -> None:
        self._calls += calls
        if self._calls > self._limits.calls:
            raise self._failed("calls")

    def _failed(self, limit: str, allowed: int | None = None) -> LimitExceeded:
        self._worker.is_spent = True
        return exceeded(limit, self._limits, allowed)

    def _spent(self, error: SnippetError) -> SnippetError:
        if isinstance(error, LimitExceeded):
            self._worker.is_spent = True
        return error

    def _tampered(self) -> SnippetError:
        return self._spent(SnippetFailed("the snippet has changed how tb works inside its sandbox"))


def _raising(snapshot: FunctionSnapshot, name: Any, text: str) -> Advance:
    return lambda: snapshot.resume({"exc_type": name, "message": text})


def _text(error: Any) -> str:
    said = f"{error.get('code')}: {str(error.get('message')).rstrip('.')}."
    return f"{said} {error['recovery']}" if error.get("recovery") else said


def _closed() -> SnippetFailed:
    return SnippetFailed("the run was closed before the snippet had come to its end")
