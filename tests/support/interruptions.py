"""Migrations that break off in the middle."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

import pytest

from thoughtbox.engine import migrations


@contextmanager
def migrations_interrupted_after(count: int, monkeypatch: pytest.MonkeyPatch) -> Generator[None]:
    """Of all the statements that migrate a store, the one behind these fails."""
    whole, left = migrations.statements, count

    def interrupted(script: str) -> list[str]:
        nonlocal left
        found, before = whole(script), left
        left = max(0, left - len(found))
        return found if before >= len(found) else [*found[:before], "INSERT INTO nowhere (id) VALUES (1)"]

    with monkeypatch.context() as context:
        context.setattr(migrations, "statements", interrupted)
        yield
