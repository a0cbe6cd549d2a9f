"""Callers of the mind room: on both engines, and, where no table matters, on a store in memory."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.box import Box
from tests.support.boxes import box, open_box
from tests.support.mind import Mind

__all__ = ["box", "open_box"]


@pytest.fixture
def mind(box: Box) -> Mind:
    """On both engines."""
    return Mind(box)


@pytest.fixture
def quick() -> Iterator[Mind]:
    """On a store in memory."""
    box = Box()
    yield Mind(box)
    box.close()
