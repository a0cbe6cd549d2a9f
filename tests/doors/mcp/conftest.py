"""Servers to put to the test, each on a store of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import pytest

from tests.support.forks import Start, forked, spawned
from tests.support.servers import HttpServer, StdioServer, environment

StartStdio = Callable[..., StdioServer]
StartHttp = Callable[..., HttpServer]


@pytest.fixture
def start_stdio(tmp_path: Path) -> Iterator[StartStdio]:
    """Starts a server on pipes: `start_stdio(prelude=…, stderr=…, THOUGHTBOX_TOKEN=…)`."""
    with ExitStack() as kept:
        yield partial(_start_stdio, kept, tmp_path / "data", forked)


@pytest.fixture
def spawn_stdio(tmp_path: Path) -> Iterator[StartStdio]:
    """The same with a true start, for tests about starting and ending, and about what else may be on the pipes."""
    with ExitStack() as kept:
        yield partial(_start_stdio, kept, tmp_path / "data", spawned)


@pytest.fixture
def start_http(tmp_path: Path) -> Iterator[StartHttp]:
    """Starts a server on a free port."""
    with ExitStack() as kept:
        yield partial(_start_http, kept, tmp_path / "data", forked)


@pytest.fixture
def spawn_http(tmp_path: Path) -> Iterator[StartHttp]:
    """The same with a true start."""
    with ExitStack() as kept:
        yield partial(_start_http, kept, tmp_path / "data", spawned)


def _start_stdio(
    kept: ExitStack, directory: Path, start: Start, prelude: str = "", stderr: int | None = None, **settings: str
) -> StdioServer:
    server = StdioServer(environment(directory, **settings), prelude=prelude, stderr=stderr, start=start)
    kept.callback(server.stop)
    return server


def _start_http(
    kept: ExitStack, directory: Path, start: Start, prelude: str = "", stderr: int | None = None, **settings: str
) -> HttpServer:
    server = HttpServer(environment(directory, **settings), prelude=prelude, stderr=stderr, start=start)
    kept.callback(server.stop)
    return server
