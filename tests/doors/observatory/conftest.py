"""Observatories in front of boxes on both engines, and as processes of their own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from tests.support.box import Box
from tests.support.boxes import box, open_box
from tests.support.observatory import start_observatory
from tests.support.watching import Observe, Observed, observe, observed

__all__ = ["box", "observe", "open_box", "start_observatory"]


@pytest.fixture
def shown(box: Box, observe: Observe) -> Observed:
    """An Observatory in front of an empty box."""
    return observe(box)


@pytest.fixture
def in_memory() -> Iterator[Observed]:
    """The same on a store in memory, for what has nothing to do with engines."""
    with ExitStack() as kept:
        box = Box()
        kept.callback(box.close)
        yield kept.enter_context(observed(box))
