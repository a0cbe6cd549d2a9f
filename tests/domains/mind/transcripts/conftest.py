"""A home of one's own for each test."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.transcripts import Home


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path.resolve() / "home")
