"""Callers of the guarded cycle, each in a project of its own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.domains.memory.cycle.guarded import Guarded
from tests.support.box import Box
from tests.support.boxes import OpenBox, open_box

__all__ = ["open_box"]


@pytest.fixture
def cycle(tmp_path: Path) -> Iterator[Guarded]:
    """On a store in memory."""
    project = tmp_path / "project"
    box = Box(THOUGHTBOX_PROJECT_ROOT=str(project))
    yield Guarded(box, project)
    box.close()


@pytest.fixture
def stored(open_box: OpenBox, tmp_path: Path) -> Guarded:
    """On both engines."""
    project = tmp_path / "project"
    return Guarded(open_box(THOUGHTBOX_PROJECT_ROOT=str(project)), project)
