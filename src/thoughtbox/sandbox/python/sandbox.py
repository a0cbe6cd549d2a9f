"""Where Python snippets are run; see `protocol.Sandbox`."""

from __future__ import annotations

from thoughtbox.sandbox.protocol import Limits, Snippet
from thoughtbox.sandbox.python.checker import Checker
from thoughtbox.sandbox.python.run import PythonRun
from thoughtbox.sandbox.python.watch import Watch
from thoughtbox.sandbox.python.worker import Worker, engine_limits
from thoughtbox.sandbox.python.workers import Workers

CATALOG_SHARE = 16
"""Bytes in the sandbox for each of a catalog's JSON."""


class PythonSandbox:
    """Runs Python snippets, each in a process of its own, after a look at how they use `tb`."""

    def __init__(self) -> None:
        self._workers = Workers(engine_limits(Limits()), lambda: self._watch.want_upkeep())
        self._watch = Watch(self._workers.upkeep)
        self._checker = Checker(self._watch)

    def run(self, snippet: Snippet, limits: Limits) -> PythonRun:
        more = 0 if snippet.catalog is None else CATALOG_SHARE * len(snippet.catalog)
        worker = self._workers.take(engine_limits(limits, more), usual=snippet.catalog is None)
        return PythonRun(
            snippet, limits, worker, check=self._checker.check, begin=self._watch.begin, finish=self._finished
        )

    def warm(self, snippet: Snippet | None = None) -> None:
        self._workers.warm()
        self._checker.warm(snippet)

    def close(self) -> None:
        self._watch.close()
        self._checker.close()
        self._workers.close()

    def _finished(self, run: PythonRun, worker: Worker) -> None:
        self._watch.end(run)
        self._workers.give_back(worker)
