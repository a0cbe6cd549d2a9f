"""Tasks, as their records name them: calls that go on without their caller. A task is a stream of its own."""

from __future__ import annotations

from typing import Final

STREAMS: Final = "tasks"
"""What the names of their streams begin with, before the hash of the task's id."""

BEGUN: Final = "tasks.begun"
ASKED: Final = "tasks.asked"
TOLD: Final = "tasks.told"
ENDED: Final = "tasks.ended"
