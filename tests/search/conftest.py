"""A store to look through, on both engines, with topics of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest

from tests.support.box import WORKSPACE, settings_for, ticking_world
from tests.support.postgres import fresh_schema, server_url
from thoughtbox.app import open_engine
from thoughtbox.engine.protocol import Sql
from thoughtbox.ledger.ledger import Ledger
from thoughtbox.ledger.record import Draft, Source
from thoughtbox.ledger.replay import catch_up, cursor, ensure
from thoughtbox.ledger.tree import Tree
from thoughtbox.ledger.view import NOW, Views
from thoughtbox.search.registry import ELSEWHERE, SEARCHABLE, Part, fields, of_data, searchable
from thoughtbox.search.texts import Found, FoundSessions, Texts

NOTE = "tests.note"
BOOK = "tests.book"
SECRET = "tests.secret"
NAMED = "tests.named"
GONE = "tests.gone"
BACK = "tests.back"
MARKED = "tests.marked"


def declare_topics() -> None:
    """Notes are found by their text, books by title and tags, secrets not at all; what has a name until that is given
    to something else; what is marked by its marks, too. A session may be gone, and come back."""
    SEARCHABLE.clear()
    ELSEWHERE.clear()
    searchable(NOTE)
    searchable(BOOK, of_data("title", "tags"))
    searchable(NAMED, fields("title", "tags"))
    searchable(MARKED, lambda record: [Part(record.text, record.data["name"], tuple(record.data["marks"]))])
    searchable(GONE, lambda record: "", withdraws=lambda record: True)
    searchable(BACK, lambda record: "", restores=lambda record: True)


@pytest.fixture(autouse=True)
def topics() -> Iterator[None]:
    kept, known = dict(SEARCHABLE), dict(ELSEWHERE)
    declare_topics()
    yield
    SEARCHABLE.clear()
    SEARCHABLE.update(kept)
    ELSEWHERE.update(known)


class Library:
    """A store, and the shortest way to put texts into it and to find them."""

    def __init__(self, directory: Path | None, **variables: str) -> None:
        self.settings = settings_for(directory, **variables)
        self.engine = open_engine(self.settings)
        self.views = Views([Tree, Texts])
        self.world = ticking_world()
        ensure(self.engine, self.views)

    def submit(
        self,
        text: str,
        *,
        topic: str = NOTE,
        session: str = "s1",
        workspace: str = WORKSPACE,
        data: dict[str, Any] | None = None,
    ) -> Future[int]:
        draft = Draft(kind="observation", topic=topic, text=text, session=session, data=data or {})

        def append(sql: Sql) -> int:
            ledger = Ledger(sql, workspace, self.views)
            return ledger.append(draft, stream=f"notes/{session}", source=Source(), world=self.world).seq

        return self.engine.write(workspace, append)

    def add(self, *texts: str, **more: Any) -> list[int]:
        """Write a record for each text; their numbers."""
        return [future.result() for future in [self.submit(text, **more) for text in texts]]

    def newest(self, workspace: str = WORKSPACE) -> int:
        return self.engine.read(lambda sql: Ledger(sql, workspace, self.views).last_seq()).result()

    def reached(self, workspace: str = WORKSPACE) -> int:
        return self.engine.read(lambda sql: cursor(sql, Texts, workspace)).result()

    def catch_up(self, workspace: str = WORKSPACE) -> None:
        catch_up(self.engine, Texts, workspace, self.newest(workspace))

    def find(self, query: str, *, workspace: str = WORKSPACE, as_of: int = NOW, **how: Any) -> Found:
        """What there is to find, once all is taken in."""
        self.catch_up(workspace)
        return self.engine.read(lambda sql: Texts(sql, workspace, as_of).find(query, **how)).result()

    def sessions(self, query: str, *, as_of: int = NOW, **how: Any) -> FoundSessions:
        self.catch_up()
        return self.engine.read(lambda sql: Texts(sql, WORKSPACE, as_of).sessions(query, **how)).result()

    def seqs(self, query: str, **how: Any) -> list[int]:
        """Numbers of the records found, in the order of writing."""
        return sorted(hit.seq for hit in self.find(query, limit=100, **how).hits)

    def close(self) -> None:
        self.engine.close()


OpenLibrary = Callable[..., Library]


@pytest.fixture(params=["sqlite", "postgres", "memory"])
def open_library(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[OpenLibrary]:
    """Opens a store; once more is the same store, if it is not in memory."""
    opened: list[Library] = []
    leaving: list[Callable[[], object]] = []
    variables: dict[str, str] = {}
    if request.param == "postgres":
        schema = fresh_schema(server_url(request.config))
        variables["THOUGHTBOX_DATABASE_URL"] = schema.__enter__()
        leaving.append(lambda: schema.__exit__(None, None, None))

    def open_library() -> Library:
        opened.append(Library(None if request.param == "memory" else tmp_path, **variables))
        return opened[-1]

    yield open_library
    for library in opened:
        library.close()
    for leave in leaving:
        leave()


@pytest.fixture
def library(open_library: OpenLibrary) -> Library:
    return open_library()
