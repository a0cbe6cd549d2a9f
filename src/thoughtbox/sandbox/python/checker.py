"""Holds a snippet against the declarations of `tb` before it runs, in a process of its own.

A check of its own would cost a new checker ten milliseconds each time; so one is kept, with the declarations in it. It
is given the snippet behind a line that is wrong for certain: so it always complains, and nothing is ever run there.
A checker that fails, or takes too long, has no say: the snippet runs, and fails where it does.
"""

from __future__ import annotations

import json
import threading
import time
from collections import OrderedDict
from collections.abc import Sequence
from contextlib import suppress

from pydantic_monty import FunctionSnapshot, MontyError, MontySyntaxError, MontyTypingError, ResourceLimits

from thoughtbox.errors import SnippetInvalid
from thoughtbox.sandbox.protocol import Snippet
from thoughtbox.sandbox.python.complaints import Diagnostic, Problem, problems
from thoughtbox.sandbox.python.watch import Watch
from thoughtbox.sandbox.python.worker import Worker

PATIENCE = 0.25
"""Seconds that a snippet waits for a verdict."""
PATIENCE_AT_FIRST = 1.0
"""The same while the checker still has to read the declarations."""
MOST_CHECKS = 500
"""After which a new checker is begun: it remembers more than it needs."""
MOST_VERDICTS = 256
LONGEST_KEPT = 4_000
"""Verdicts that are remembered, and characters of a snippet that one is remembered of."""
LONGEST = 50_000
"""Characters of a snippet that is checked."""
MOST_TOLD = 5

_WRONG = "0()\n"
"""Wrong whatever the snippet makes of its names, and ends at once if it should ever be run."""
_LIMITS: ResourceLimits = {
    "max_feed_duration_secs": PATIENCE_AT_FIRST,
    "max_memory": 192 * 1024 * 1024,
    "max_suspensions": 100,
}


class Checker:
    """One process, used by one snippet at a time."""

    def __init__(self, watch: Watch) -> None:
        self._watch = watch
        self._in_use = threading.Lock()
        self._worker: Worker | None = None
        self._stubs: str | None = None
        self._checks = 0
        self._verdicts: OrderedDict[tuple[str, str], list[Problem]] = OrderedDict()
        self._until: float | None = None
        self._closed = False

    def check(self, snippet: Snippet) -> None:
        """Raises `SnippetInvalid` when the snippet is sure to fail."""
        if snippet.stubs is None or len(snippet.code) > LONGEST:
            return
        found = self._verdict(snippet.code, snippet.stubs)
        if found:
            raise SnippetInvalid(
                "; ".join(f"line {problem.line}: {problem.message}" for problem in found[:MOST_TOLD]),
                recovery="Mend the snippet and send it again: nothing of it was run.",
                details={"line": found[0].line},
            )

    def warm(self, snippet: Snippet | None = None) -> None:
        """Have a process that has read what every check needs; and the verdict on a snippet that is about to be run."""
        if snippet is None:
            self._verdict("", "tb: int\n")
        elif snippet.stubs is not None and len(snippet.code) <= LONGEST:
            self._verdict(snippet.code, snippet.stubs)

    def close(self) -> None:
        self._closed = True
        worker = self._worker
        if worker is not None:
            worker.kill()
        with self._in_use:
            self._discard()

    def look(self) -> None:
        """Called by the watch: a checker that takes too long is ended."""
        until, worker = self._until, self._worker
        if until is not None and worker is not None and time.monotonic() > until:
            worker.kill()

    def _verdict(self, code: str, stubs: str) -> Sequence[Problem]:
        known = self._verdicts.get((stubs, code))
        if known is not None:
            return known
        if not self._in_use.acquire(timeout=PATIENCE):
            return ()
        try:
            diagnostics = self._diagnostics(code, stubs)
        except MontySyntaxError:
            return ()  # the engine says what is wrong with it
        except (MontyError, OSError, RuntimeError, ValueError):
            self._discard()
            return ()
        finally:
            self._in_use.release()
        verdict = problems(diagnostics, code, stubs)
        if len(code) <= LONGEST_KEPT:
            self._verdicts[stubs, code] = verdict
        while len(self._verdicts) > MOST_VERDICTS:
            with suppress(KeyError):
                self._verdicts.popitem(last=False)
        return verdict

    def _diagnostics(self, code: str, stubs: str) -> list[Diagnostic]:
        if self._closed:
            return []
        is_new = self._worker is None or stubs != self._stubs or self._checks >= MOST_CHECKS
        if is_new:
            self._renew(stubs)
        worker = self._worker
        if worker is None:
            return []
        self._checks += 1
        self._until = time.monotonic() + (PATIENCE_AT_FIRST if is_new else PATIENCE)
        self._watch.begin(self)
        try:
            return _found(worker, code)
        finally:
            self._until = None
            self._watch.end(self)

    def _renew(self, stubs: str) -> None:
        if self._worker is None or self._worker.is_spent or self._checks >= MOST_CHECKS:
            self._discard()
            self._worker = Worker()
        self._worker.make_checker(_LIMITS, stubs)
        self._stubs, self._checks = stubs, 0

    def _discard(self) -> None:
        worker, self._worker, self._stubs, self._checks = self._worker, None, None, 0
        if worker is not None:
            worker.end()


def _found(worker: Worker, code: str) -> list[Diagnostic]:
    try:
        stopped = worker.feed(_WRONG + code, lambda stream, text: None)
        while isinstance(stopped, FunctionSnapshot) and stopped.is_os_function:  # it wants declarations of a module
            stopped = stopped.resume_not_handled()
    except MontyTypingError as error:
        return [_diagnostic(line) for line in error.display().splitlines() if line][1:]
    raise RuntimeError("the checker let a line pass that is wrong for certain")


def _diagnostic(line: str) -> Diagnostic:
    told = json.loads(line)
    start, end = told["location"], told["end_location"]
    return Diagnostic(told["name"], told["message"], start["row"] - 1, start["column"], end["row"] - 1, end["column"])
