"""A store in memory, and one on both engines."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.box import Box
from tests.support.boxes import box, open_box

__all__ = ["box", "open_box"]


@pytest.fixture
def quick() -> Iterator[Box]:
    """On a store in memory."""
    found = Box()
    yield found
    found.close()
