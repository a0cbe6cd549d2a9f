"""Boxes: on both engines, and, where no table matters, on a store in memory with a project of its own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.box import Box
from tests.support.boxes import box, open_box

__all__ = ["box", "open_box"]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


@pytest.fixture
def quick(project: Path) -> Iterator[Box]:
    """On a store in memory."""
    box = Box(THOUGHTBOX_PROJECT_ROOT=str(project))
    yield box
    box.close()
