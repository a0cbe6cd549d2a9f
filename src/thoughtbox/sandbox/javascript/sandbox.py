"""The sandbox for JavaScript and TypeScript, as `thoughtbox.sandbox.protocol` describes it."""

from __future__ import annotations

from typing import ClassVar

from thoughtbox.sandbox.javascript.keeper import BUSY_SECONDS, IDLE_SECONDS, Keeper
from thoughtbox.sandbox.javascript.run import JavaScriptRun
from thoughtbox.sandbox.protocol import Language, Limits, Snippet


class JavaScriptSandbox:
    """Several snippets at once, each in a process of its own."""

    languages: ClassVar[tuple[Language, ...]] = ("javascript", "typescript")

    def __init__(self, *, busy_seconds: float = BUSY_SECONDS, idle_seconds: float = IDLE_SECONDS) -> None:
        self._keeper = Keeper(busy_seconds, idle_seconds)

    def run(self, snippet: Snippet, limits: Limits) -> JavaScriptRun:
        return JavaScriptRun(snippet, limits, self._keeper, self._keeper.take())

    def warm(self, snippet: Snippet | None = None) -> None:
        self._keeper.warm()

    @property
    def processes(self) -> tuple[int, ...]:
        """The ids of the worker processes there are."""
        return self._keeper.processes

    def close(self) -> None:
        self._keeper.close()
