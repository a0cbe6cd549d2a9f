"""Servers to put to the test, each on a store of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.support.servers import HttpServer, StdioServer, environment

StartStdio = Callable[..., StdioServer]
StartHttp = Callable[..., HttpServer]


@pytest.fixture
def start_stdio(tmp_path: Path) -> Iterator[StartStdio]:
    """Starts a server on pipes: `start_stdio(prelude=…, stderr=…, THOUGHTBOX_TOKEN=…)`."""
    with ExitStack() as kept:

        def start(prelude: str = "", stderr: int | None = None, **settings: str) -> StdioServer:
            server = StdioServer(environment(tmp_path / "data", **settings), prelude=prelude, stderr=stderr)
            kept.callback(server.stop)
            return server

        yield start


@pytest.fixture
def start_http(tmp_path: Path) -> Iterator[StartHttp]:
    """Starts a server on a free port."""
    with ExitStack() as kept:

        def start(prelude: str = "", stderr: int | None = None, **settings: str) -> HttpServer:
            server = HttpServer(environment(tmp_path / "data", **settings), prelude=prelude, stderr=stderr)
            kept.callback(server.stop)
            return server

        yield start
