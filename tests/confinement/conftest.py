"""Boxes that tests open."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from thoughtbox.confinement.boxes import Boxes


@pytest.fixture(scope="module")
def boxes() -> Iterator[Boxes]:
    boxes = Boxes()
    yield boxes
    boxes.close()
