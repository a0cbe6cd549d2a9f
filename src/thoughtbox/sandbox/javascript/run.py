"""One snippet in one worker, driven step by step by whoever holds it."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Sequence
from enum import Enum, auto

import orjson

from thoughtbox.errors import LimitExceeded, SandboxUnavailable, SnippetError, SnippetFailed, SnippetInvalid
from thoughtbox.sandbox.exceeded import Deadline, exceeded
from thoughtbox.sandbox.javascript.frames import Frame, Kind
from thoughtbox.sandbox.javascript.keeper import Keeper
from thoughtbox.sandbox.javascript.messages import Nonsense, asked, built, parsed
from thoughtbox.sandbox.javascript.process import Gone, Late, WorkerProcess
from thoughtbox.sandbox.javascript.refusals import failure
from thoughtbox.sandbox.javascript.watch import Watch
from thoughtbox.sandbox.protocol import BASE, Asked, Ended, Limits, Reply, Snippet


class State(Enum):
    NEW = auto()
    COMPUTING = auto()
    WAITING = auto()
    """For a reply."""
    OVER = auto()


class JavaScriptRun:
    """Holds a worker until it is over."""

    def __init__(self, snippet: Snippet, limits: Limits, keeper: Keeper, worker: WorkerProcess) -> None:
        self._snippet = snippet
        self._limits = limits
        self._keeper = keeper
        self._worker = worker
        self._deadline = Deadline()
        self._watch = Watch(limits, self._deadline, worker)
        self._state = State.NEW
        self._changing = threading.Lock()
        self._is_closed = False
        self._has_begun = False
        self._logs: list[str] = []
        self._calls = 0

    @property
    def logs(self) -> Sequence[str]:
        return self._logs

    def end_by(self, moment: float, error: LimitExceeded) -> None:
        self._deadline.set(moment, error)

    def start(self, base: int = 0) -> Asked | Ended:
        parts = self._request(base)
        self._enter(State.NEW)
        self.end_by(time.monotonic() + self._limits.wall_ms / 1000, exceeded("wall", self._limits))
        self._watch.run_begins()
        return self._step(Kind.RUN, *parts)

    def resume(self, reply: Reply) -> Asked | Ended:
        text = _encoded({"answer": reply.answer, "error": reply.error, "base": reply.base})
        if (passed := self._deadline.passed()) is not None:
            self.close()
            raise passed
        self._enter(State.WAITING)
        self._watch.turn_begins()
        return self._step(Kind.REPLY, text)

    def close(self) -> None:
        with self._changing:
            if self._is_closed:
                return
            self._is_closed = True
            state = self._state
        if state is State.COMPUTING:
            self._worker.kill()  # whoever waits for it notices, and lets go of it
        else:
            self._let_go()

    def _request(self, base: int) -> list[bytes]:
        limits = {
            "base": base,
            "is_typescript": self._snippet.language == "typescript",
            "cpu_seconds": self._limits.cpu_ms / 1000,
            "memory_bytes": self._limits.memory_bytes,
            "output_chars": self._limits.output_chars,
        }
        builders = {kind: list(names) for kind, names in self._snippet.builders.items()}
        settings = {"builders": builders, "output": self._limits.output_chars}
        try:
            code = self._snippet.code.encode()
        except UnicodeEncodeError:
            raise SnippetInvalid("the snippet holds half of a character (a lone surrogate)") from None
        catalog = [] if self._snippet.catalog is None else [self._snippet.catalog]
        return [orjson.dumps(limits), code, orjson.dumps(settings), *catalog]

    def _enter(self, expected: State) -> None:
        with self._changing:
            if self._is_closed or self._state is not expected:
                raise _closed()
            self._state = State.COMPUTING

    def _step(self, kind: Kind, *parts: bytes) -> Asked | Ended:
        """Say something to the worker, and take what comes of it."""
        try:
            self._worker.send(kind, *parts)
            return self._taken(self._next_frame())
        except (Gone, Nonsense):
            if kind is Kind.RUN and not self._has_begun and self._is_given_another():
                return self._step(kind, *parts)
            self._let_go(is_fit=False)
            raise _closed() if self._is_closed else _lost() from None
        except SnippetError:
            self._let_go()  # it has come to its end by itself, or is not alive any more
            raise
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            self._let_go(is_fit=False)  # what it has said makes no sense
            raise _lost() from error

    def _next_frame(self) -> Frame:
        while True:
            try:
                frame = self._worker.receive(self._watch.patience)
            except Late:
                if (over := self._watch.over()) is not None:
                    self._worker.kill()
                    self._let_go(is_fit=False)
                    raise over from None
                continue
            if frame.kind != Kind.BEGUN:
                return frame
            self._has_begun = True
            self._watch.turn_begins()

    def _is_given_another(self) -> bool:
        """A worker that has died before the snippet began has been idle for too long; nothing is lost with it."""
        self._has_begun = True  # once
        self._keeper.discard(self._worker)
        try:
            self._worker = self._keeper.take()
        except SandboxUnavailable:
            self._state = State.OVER
            raise
        self._watch = Watch(self._limits, self._deadline, self._worker)
        self._watch.run_begins()
        return not self._is_closed

    def _taken(self, frame: Frame) -> Asked | Ended:
        match frame:
            case Frame(kind, [used, lines, *rest]):
                self._watch.turn_ended(int.from_bytes(used, "little", signed=True) / 1e6)
                for printed in parsed(lines) if lines else ():
                    self._logs += str(printed).split("\n")
            case _:
                raise Nonsense
        match kind, rest:
            case Kind.ASKED, [question]:
                return self._asked(question)
            case Kind.ENDED, [result, queued]:
                return self._ended(result, queued)
            case Kind.FAILED, [about]:
                raise failure(parsed(about), self._limits, self._snippet.code)
            case _:
                raise Nonsense

    def _asked(self, question: bytes) -> Asked:
        with self._changing:
            if self._is_closed:
                raise Gone
            self._state = State.WAITING
        step = asked(question, self._snippet.builders)
        self._count((step.name != BASE) + len(step.queued))
        return step

    def _ended(self, result: bytes, queued: bytes) -> Ended:
        ended = Ended(parsed(result), tuple(self._logs), built(parsed(queued), self._snippet.builders))
        self._count(len(ended.queued))
        self._let_go()
        return ended

    def _count(self, calls: int) -> None:
        self._calls += calls
        if self._calls > self._limits.calls:
            raise exceeded("calls", self._limits)

    def _let_go(self, *, is_fit: bool = True) -> None:
        """Give the worker back, once; or end it, where something may still be running in it."""
        with self._changing:
            state, self._state = self._state, State.OVER
            was_killed = self._is_closed and state is State.COMPUTING
        if state is State.OVER:
            return
        if is_fit and not was_killed and (state is not State.WAITING or self._is_abandoned()):
            self._keeper.give_back(self._worker)
        else:
            self._keeper.discard(self._worker)

    def _is_abandoned(self) -> bool:
        """A worker that waits for an answer is told that none will come."""
        try:
            self._worker.send(Kind.ABANDON)
        except Gone:
            return False
        return True


def _encoded(reply: dict[str, object]) -> bytes:
    try:
        return orjson.dumps(reply)
    except TypeError:  # numbers that are larger than 64 bits
        return json.dumps(reply).encode()


def _closed() -> SnippetFailed:
    return SnippetFailed("the run is over: it was closed, or has come to its end", recovery="Run the snippet again.")


def _lost() -> SnippetFailed:
    return SnippetFailed(
        "the sandbox ended while the snippet ran",
        recovery="Run it again; if it happens again, let the snippet do less at a time.",
    )
