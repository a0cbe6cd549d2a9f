"""Callers of governance: those of the guarded cycle, each in a project of its own."""

from __future__ import annotations

from tests.domains.memory.cycle.conftest import cycle, stored
from tests.support.boxes import open_box

__all__ = ["cycle", "open_box", "stored"]
