"""The stores under test, and other processes that use them."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from tests.support.forks import PATIENCE
from thoughtbox.engine.protocol import Dialect, Engine, Sql
from thoughtbox.engine.sqlite import SqliteEngine

T = TypeVar("T")


class Store:
    """Where rows are kept: a file's path or a database's URL. It can be opened any number of times."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.dialect: Dialect = "postgres" if address.startswith("postgres") else "sqlite"
        self._opened: list[Engine] = []

    def open(self) -> Engine:
        engine = self._open()
        self._opened.append(engine)
        return engine

    def close(self) -> None:
        """Close every engine that was opened."""
        while self._opened:
            self._opened.pop().close()

    @contextmanager
    def process(self, verb: str, *arguments: object) -> Generator[Process]:
        """Another process on the same store; see `process.py` for what it can do."""
        process = Process([self.address, verb, *map(str, arguments)])
        try:
            yield process
        finally:
            process.end()

    def _open(self) -> Engine:
        if self.dialect == "sqlite":
            return SqliteEngine(Path(self.address))
        from thoughtbox.engine.postgres import PostgresEngine

        return PostgresEngine(self.address)


class Process:
    """A process that is talked to line by line."""

    def __init__(self, arguments: list[str]) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.conformance.process", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )
        self._alarm = threading.Timer(PATIENCE, self._process.kill)
        self._alarm.start()

    def says(self) -> str:
        """The next line it says; empty when it has ended without a word."""
        assert self._process.stdout
        return self._process.stdout.readline().strip()

    def tell(self, line: str) -> None:
        assert self._process.stdin
        self._process.stdin.write(f"{line}\n")
        self._process.stdin.flush()

    def end(self) -> None:
        self._alarm.cancel()
        self._process.kill()
        self._process.communicate()


class Gate:
    """A call that keeps its lane busy until it is opened, so that what comes behind shares a batch."""

    def __init__(self, engine: Engine, lane: str = "lane") -> None:
        self._entered, self._opened = threading.Event(), threading.Event()
        self.future = engine.write(lane, self._wait)
        assert self._entered.wait(PATIENCE)

    def open(self) -> None:
        self._opened.set()
        self.future.exception(PATIENCE)

    def _wait(self, sql: Sql) -> None:
        self._entered.set()
        assert self._opened.wait(PATIENCE)


def write(engine: Engine, work: Callable[[Sql], T], lane: str = "lane") -> T:
    return engine.write(lane, work).result(PATIENCE)


def read(engine: Engine, work: Callable[[Sql], T]) -> T:
    return engine.read(work).result(PATIENCE)


def in_one_batch(engine: Engine, *works: Callable[[Sql], Any]) -> list[Future[Any]]:
    """Calls that run in one transaction, finished."""
    gate = Gate(engine)
    futures = [engine.write("lane", work) for work in works]
    gate.open()
    for future in futures:
        future.exception(PATIENCE)
    return futures


THINGS = "CREATE TABLE things (id INTEGER NOT NULL PRIMARY KEY, name TEXT) STRICT, WITHOUT ROWID"


def make_things(engine: Engine, names: Iterable[str] = ()) -> None:
    """A table to play with: things, numbered from 1."""

    def make(sql: Sql) -> None:
        sql.run(THINGS)
        sql.many("INSERT INTO things (id, name) VALUES (?, ?)", enumerate(names, 1))

    write(engine, make)


def add(number: int, name: str = "thing") -> Callable[[Sql], None]:
    return lambda sql: sql.run("INSERT INTO things (id, name) VALUES (?, ?)", (number, name))


def ids(sql: Sql) -> list[int]:
    return [row[0] for row in sql.rows("SELECT id FROM things ORDER BY id")]
