"""Fixtures: boxes on both engines. A folder's conftest takes what it needs: `from tests.support.boxes import box`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.support.box import Box, empty_schema

OpenBox = Callable[..., Box]


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.sampled(2))])
def open_box_on_both(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[OpenBox]:
    """Opens a Thoughtbox; the same name is the same store, on the engine that is being tested."""
    yield from _opening(request, tmp_path)


# A room's stories read one text of SQL on both engines, and these have tests of their own.
@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.sampled(6))])
def open_box(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[OpenBox]:
    """Opens a Thoughtbox; the same name is the same store, on the engine that is being tested."""
    yield from _opening(request, tmp_path)


def _opening(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[OpenBox]:
    opened: list[Box] = []
    schemas: dict[str, str] = {}
    leaving: list[Callable[[], object]] = []

    def open_box(name: str = "store", **variables: str) -> Box:
        if request.param == "postgres":
            if name not in schemas:
                schema = empty_schema(request.config)
                schemas[name] = schema.__enter__()
                leaving.append(lambda: schema.__exit__(None, None, None))
            variables["THOUGHTBOX_DATABASE_URL"] = schemas[name]
        opened.append(Box(tmp_path / name, **variables))
        return opened[-1]

    yield open_box
    for box in opened:
        box.close()
    for leave in leaving:
        leave()


@pytest.fixture
def box(open_box: OpenBox) -> Box:
    return open_box()
