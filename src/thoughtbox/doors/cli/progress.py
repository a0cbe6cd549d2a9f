"""How far something has come, for people who wait."""

from __future__ import annotations

import sys
import threading
import time
from concurrent.futures import CancelledError
from types import TracebackType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

PATIENCE_SECONDS = 1.0
"""What is done sooner needs no bar."""


class Bar:
    """A bar with the time that remains, on a terminal's standard error; elsewhere nothing.

    It is called from whichever thread does the work. When the one who waits gives up, the
    next call raises there, so that the work ends too.
    """

    def __init__(self, label: str, *, plain: bool) -> None:
        self._label = label
        self._plain = plain
        self._begun = time.monotonic()
        self._given_up = threading.Event()
        self._shown: tuple[Progress, TaskID] | None = None
        self._is_wanted = sys.stderr.isatty()

    def __call__(self, done: int, total: int, said: str | None = None) -> None:
        if self._given_up.is_set():
            raise CancelledError
        if not self._is_wanted or time.monotonic() - self._begun < PATIENCE_SECONDS:
            return
        if self._shown is None:
            self._shown = self._show()
        progress, task = self._shown
        progress.update(task, completed=done, total=total or None)

    def __enter__(self) -> Bar:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is not None:
            self._given_up.set()
        if self._shown is not None:
            self._shown[0].stop()

    def _show(self) -> tuple[Progress, TaskID]:
        from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

        from thoughtbox.doors.cli.console import console

        progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TaskProgressColumn(),
            TimeRemainingColumn(),
            console=console(sys.stderr, plain=self._plain),
            transient=True,
        )
        task = progress.add_task(self._label, total=None)
        progress.start()
        return progress, task
