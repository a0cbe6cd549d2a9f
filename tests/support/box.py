"""A Thoughtbox in this process, with a clock and chance that tests control."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from collections.abc import Generator, Iterator
from concurrent.futures import Future
from contextlib import closing, contextmanager
from functools import cache
from hashlib import sha256
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import apsw
import pytest

from tests.support.postgres import swept_schema
from thoughtbox.app import Thoughtbox, all_views
from thoughtbox.engine.sqlite import Durability, SqliteEngine
from thoughtbox.operations.caller import Caller
from thoughtbox.operations.dispatch import Call
from thoughtbox.operations.workspaces import named_workspace
from thoughtbox.settings import Settings, load
from thoughtbox.world import World

START_MS = 1_750_000_000_000
WORKSPACE = "tests"
KEY_BYTES = 32
PROJECTS = Path(tempfile.mkdtemp(prefix="thoughtbox-tests-"))
"""A project folder for every box that is given none: what it writes must not land in this one, or in another's."""
atexit.register(shutil.rmtree, PROJECTS, ignore_errors=True)
_numbers = count(1)


def ticking_world() -> World:
    """A second passes with every look at the clock. Chance is the same in every test: one key, and ids in a row."""
    ticks: Iterator[int] = iter(range(START_MS, START_MS + 10**12, 1000))
    ids = count(1)

    def random_bytes(length: int) -> bytes:
        return bytes(range(length)) if length == KEY_BYTES else sha256(b"%d" % next(ids)).digest()[:length]

    return World(now_ms=lambda: next(ticks), random_bytes=random_bytes)


def settings_for(directory: Path | None, **variables: str) -> Settings:
    """Settings for a store in this directory; without one, in memory."""
    place = {"THOUGHTBOX_STORAGE": "memory"} if directory is None else {"THOUGHTBOX_DATA_DIR": str(directory)}
    own = {
        "THOUGHTBOX_PROJECT": WORKSPACE,
        "THOUGHTBOX_PROJECT_ROOT": str(PROJECTS / f"{next(_numbers)}"),
        "THOUGHTBOX_DURABILITY": "normal",
    }
    return load({**own, **place, **variables})


class ReadyMade(SqliteEngine):
    """A database in memory with a store's empty views in it."""

    def __init__(self, durability: Durability, store: bytes) -> None:
        self._store = store
        super().__init__(None, durability=durability)

    def _open(self) -> apsw.Connection:
        connection = super()._open()
        connection.deserialize("main", self._store)
        return connection


@cache
def empty_store() -> bytes:
    """The file of a store with nothing in its views. To make them takes longer than most tests take for all else."""
    with TemporaryDirectory() as directory:
        settings = settings_for(Path(directory))
        with Thoughtbox(settings, world=ticking_world()) as app:
            _ = app.engine
        with closing(apsw.Connection(str(settings.database))) as connection:
            connection.pragma("journal_mode", "delete")
        return settings.database.read_bytes()


def _ready_made(settings: Settings) -> SqliteEngine | None:
    """The engine of a store in memory; none for the others. A new store in a directory is made here."""
    if settings.database_url is not None:
        return None
    if settings.storage == "memory":
        return ReadyMade(settings.durability, empty_store())
    if not settings.data_dir.exists() or not any(settings.data_dir.iterdir()):
        settings.data_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
        settings.database.touch(0o600)
        settings.database.write_bytes(empty_store())
    return None


class Box:
    """A Thoughtbox and the shortest way to call it: `box.thought_plan(sessionId="s", planDescription="p")`.

    A new store has its views already.
    """

    is_bare = False

    def __init__(self, directory: Path | None = None, **variables: str) -> None:
        settings = settings_for(directory, **variables)
        engine = None if self.is_bare else _ready_made(settings)
        self.app = Thoughtbox(settings, world=ticking_world(), engine=engine)

    def submit(
        self, operation: str, arguments: dict[str, Any], *, here: bool = False, **options: Any
    ) -> Future[dict[str, Any]]:
        caller = Caller(agent="tester", transport="test")
        named = named_workspace(self.app.dispatcher.table.find(operation, arguments), arguments)
        return self.app.dispatcher.submit(
            Call(operation=operation, workspace=named or WORKSPACE, arguments=arguments, caller=caller, **options),
            here=here,
        )

    def call(self, operation: str, arguments: dict[str, Any], **options: Any) -> dict[str, Any]:
        return self.submit(operation, arguments, here=True, **options).result()

    def __getattr__(self, operation: str) -> Any:
        if operation.startswith("_"):
            raise AttributeError(operation)
        return lambda **arguments: self.call(operation, arguments)

    def close(self) -> None:
        self.app.close()


class BareBox(Box):
    """One whose new store has no views yet, as a Thoughtbox begins."""

    is_bare = True


@contextmanager
def empty_schema(config: pytest.Config) -> Generator[str]:
    """A schema of PostgreSQL with an empty store in it."""
    release = tuple(kind.shape("postgres") for kind in all_views().kinds)
    with swept_schema(config, _make_store, release) as url:
        yield url


def _make_store(database_url: str) -> None:
    with TemporaryDirectory() as directory:
        box = BareBox(Path(directory), THOUGHTBOX_DATABASE_URL=database_url)
        _ = box.app.dispatcher  # with which the views are made
        box.close()
