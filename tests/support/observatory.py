"""The Observatory as tests have it: a server process, and the stores it is put in front of.

A folder's conftest takes what it needs: `from tests.support.observatory import start_observatory`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack, contextmanager
from http.client import HTTPConnection
from itertools import count
from pathlib import Path
from typing import Any, Literal
from urllib.parse import quote, urlencode, urlsplit

import pytest

from tests.support.box import WORKSPACE, Box, empty_schema
from tests.support.forks import PATIENCE, Start, forked, run_forked
from tests.support.servers import Process, Response, environment, soon

Engine = Literal["sqlite", "postgres"]

OBSERVE = ["-m", "thoughtbox", "observe"]
SERVE_AND_OBSERVE = ["-m", "thoughtbox", "serve", "--http", "--observe"]

_LINK = re.compile(r"observatory\W+?(https?://\S+)", re.IGNORECASE)
_numbers = count(1)


class Observatory(Process):
    """A server that shows a store. `url` is its link, as it was printed."""

    def __init__(
        self, told: dict[str, str], log: Path, words: list[str] = OBSERVE, *, port: int = 0, start: Start = forked
    ) -> None:
        self.told = {**told, "THOUGHTBOX_OBSERVATORY_PORT": str(port)}
        self.log = log
        with log.open("w", encoding="utf-8") as said:
            super().__init__(words, self.told, said, start)
        [self.url] = soon(self._links)
        """Empty when the server has ended without one."""

    @property
    def said(self) -> str:
        return self.log.read_text(encoding="utf-8")

    @property
    def origin(self) -> str:
        parts = urlsplit(self.url)
        return f"{parts.scheme}://{parts.netloc}"

    @property
    def port(self) -> int:
        port = urlsplit(self.url).port
        assert port is not None
        return port

    def link(self, session: str | None = None, workspace: str = WORKSPACE, **state: object) -> str:
        """The address of a state of the page: `link(story.slow, view="table", sel="th:17")`."""
        place = f"/w/{quote(workspace, safe='')}" + (f"/session/{quote(session, safe='')}" if session else "")
        return f"{self.url.rstrip('/')}/#{place}" + (f"?{urlencode(state)}" if state else "")

    def get(self, path: str, query: dict[str, object] | None = None, headers: dict[str, str] | None = None) -> Response:
        """One request, whatever is answered."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            connection.request("GET", f"{path}?{urlencode(query)}" if query else path, headers=headers or {})
            answer = connection.getresponse()
            named = {name.lower(): value for name, value in answer.getheaders()}
            return Response(answer.status, named, answer.read())
        finally:
            connection.close()

    def ask(self, path: str, **query: object) -> Any:
        """The answer of the API, which has to be one."""
        answer = self.get(path, query)
        assert answer.status == 200, answer.body.decode(errors="replace")
        return json.loads(answer.body)

    def again(self) -> Observatory:
        """The same server, started once more on the same port after it has ended."""
        return Observatory(self.told, self.log, port=self.port)

    def _links(self) -> list[str]:
        if (found := _LINK.search(self.said)) is not None:
            return [found[1]]
        return [""] if self.popen.poll() is not None else []


class Store:
    """A place that records are kept in, which several processes have open."""

    def __init__(self, directory: Path, database_url: str | None = None) -> None:
        self.directory = directory
        place = {} if database_url is None else {"THOUGHTBOX_DATABASE_URL": database_url}
        self.variables = {"THOUGHTBOX_PROJECT": WORKSPACE, **place}

    @property
    def told(self) -> dict[str, str]:
        """What a server of this store is told."""
        return environment(self.directory, **self.variables)

    @property
    def database(self) -> Path:
        """The file of the embedded engine."""
        [found] = self.directory.glob("*.db")
        return found

    @contextmanager
    def opened(self) -> Generator[Box]:
        """The store, in this process: to whoever serves it, another one."""
        box = Box(self.directory, **self.variables)
        try:
            yield box
        finally:
            box.close()

    def run(self, *words: str) -> str:
        """What a command of ours says about it."""
        done = run_forked(["-m", "thoughtbox", *words], self.told)
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout.decode()


@contextmanager
def new_store(engine: Engine, directory: Path, config: pytest.Config) -> Generator[Store]:
    """An empty one. On PostgreSQL the directory holds what does not belong into a database."""
    directory.mkdir(parents=True, exist_ok=True)
    if engine == "sqlite":
        yield Store(directory)
        return
    with empty_schema(config) as url:
        yield Store(directory, url)


StartObservatory = Callable[..., Observatory]


@pytest.fixture
def start_observatory(tmp_path: Path) -> Iterator[StartObservatory]:
    """Starts a server in front of a store: `start_observatory(store, words=SERVE_AND_OBSERVE)`."""
    with ExitStack() as kept:

        def start_observatory(store: Store, words: list[str] = OBSERVE, **settings: str) -> Observatory:
            log = tmp_path / f"observatory-{next(_numbers)}.txt"
            server = Observatory({**store.told, **settings}, log, words)
            kept.callback(server.stop)
            return server

        yield start_observatory
