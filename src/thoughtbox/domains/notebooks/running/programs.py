"""Programs that are run in a box to their end, and what they print: installers, and whatever takes patterns."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from thoughtbox.confinement.box import Box, Gone, Late
from thoughtbox.confinement.plan import Plan
from thoughtbox.domains.notebooks.running.collecting import Collected
from thoughtbox.domains.notebooks.running.kernels import Kernels

PYTHON: Final = getattr(sys, "_base_executable", sys.executable)
"""The interpreter as it is installed: a virtual environment's is not seen in a box."""
GRACE_SECONDS: Final = 3.0


class Done(NamedTuple):
    """What a program has come to."""

    exit_code: int
    collected: Collected
    breach: str | None

    @property
    def is_well(self) -> bool:
        return self.exit_code == 0 and self.breach is None and not self.collected.is_cut

    def printed(self, name: str) -> str:
        return "".join(piece.data["text/plain"] for piece in self.collected.pieces if piece.name == name)


class Program:
    """One after the other, and all of them stopped from any thread."""

    def __init__(self, kernels: Kernels) -> None:
        self._kernels = kernels
        self._lock = threading.Lock()
        self._box: Box | None = None
        self.is_stopped = False

    def stop(self) -> None:
        with self._lock:
            self.is_stopped = True
            if self._box is not None:
                self._box.stop()

    def _is_ended(self) -> bool:
        return self.is_stopped

    def run(self, plan: Plan, program: Sequence[str], files: Mapping[str, str] | None = None) -> Done:
        box = self._kernels.started(plan, program)
        try:
            return self._watched(box, plan, files or {})
        finally:
            with self._lock:
                self._box = None
            box.end()

    def _watched(self, box: Box, plan: Plan, files: Mapping[str, str]) -> Done:
        collected = Collected(2 * plan.limits.output_kb * 1024)
        with self._lock:
            if self.is_stopped:
                return Done(1, collected, "interrupted")
            self._box = box
        until = time.monotonic() + plan.limits.wall_seconds + GRACE_SECONDS
        try:
            box.send({"files": dict(files)})
            while time.monotonic() < until:
                try:
                    message = box.receive(1.0)
                except Late:
                    continue
                if "ended" in message:
                    collected.is_cut |= bool(message.get("cut"))
                    code = message["ended"] if isinstance(message["ended"], int) else 1
                    breach = message.get("breach")
                    return Done(code, collected, breach if isinstance(breach, str) else None)
                collected.take(message)
        except Gone:
            return Done(1, collected, "interrupted" if self._is_ended() else "gone")
        return Done(1, collected, "wall")
