"""A store of its own for every test, on both engines, and servers on it with operations that take long."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, TextIO

import pytest

from tests.support.box import empty_schema
from tests.support.boxes import box, open_box
from tests.support.servers import HttpServer, StdioServer, environment
from tests.support.task_room import TASK_ROOM

__all__ = ["box", "open_box"]

AT_ONCE = {"THOUGHTBOX_TASK_AFTER_MS": "0"}


class Place:
    """A store, and the servers that a test starts on it."""

    def __init__(self, directory: Path, settings: dict[str, str], kept: ExitStack) -> None:
        self.directory = directory
        self.never = str(directory / "never")
        """A file that never comes."""
        self._settings = settings
        self._kept = kept

    def start(self, transport: str, prelude: str = "", stderr: TextIO | None = None, **settings: str) -> Any:
        kind = StdioServer if transport == "stdio" else HttpServer
        told = environment(self.directory / "data", **{**AT_ONCE, **self._settings, **settings})
        server = kind(told, prelude=TASK_ROOM + prelude, stderr=stderr)
        self._kept.callback(server.stop)
        return server

    def file(self, name: str) -> Path:
        return self.directory / name


@pytest.fixture(params=["sqlite", "postgres"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    with ExitStack() as kept:
        url = kept.enter_context(empty_schema(request.config)) if request.param == "postgres" else None
        yield Place(tmp_path, {"THOUGHTBOX_DATABASE_URL": url} if url else {}, kept)
