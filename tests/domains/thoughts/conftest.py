"""Clients of the thoughts room: on both engines, and, where no view matters, on a store in memory."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.box import Box
from tests.support.boxes import box, open_box
from tests.support.thinker import Client
from thoughtbox import domains

__all__ = ["box", "open_box"]

domains.load()  # so that the table of operations is there for tests that only look at it


@pytest.fixture
def mia(box: Box) -> Client:
    """A client at stage 2, in a session of its own."""
    return Client(box).ready()


@pytest.fixture
def quick_box() -> Iterator[Box]:
    box = Box()
    yield box
    box.close()


@pytest.fixture
def tom(quick_box: Box) -> Client:
    """The same, on a store in memory."""
    return Client(quick_box, agent="tom").ready()
