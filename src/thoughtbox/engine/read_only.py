"""A database file that nobody here may write to: on a read-only medium, or another's.

SQLite cannot read a file in WAL mode where it may not make files beside it, unless it is told that
nobody else writes. So a file whose log was folded in is read in its place, as one that does not
change. One that has a log beside it may still be in somebody's hands, and has records that are not
in the file yet: that one is read from a private copy.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Generator
from concurrent.futures import Future
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple, TypeVar
from urllib.parse import quote

import apsw

from thoughtbox.engine.protocol import Dialect, Head, Sql, Unwatch, seldom
from thoughtbox.engine.readers import Readers
from thoughtbox.engine.sqlite import READERS
from thoughtbox.engine.sqlite_readers import Scratches, Snapshots
from thoughtbox.engine.sqlite_sql import translate
from thoughtbox.engine.witness import Witness
from thoughtbox.errors import StorageBusy, StorageError

T = TypeVar("T")

_LOG_HEADER = 32
"""Bytes. It changes whenever SQLite begins its log anew."""

_TRIES = 5
_OF_PROCESSES = ("-shm", "-door", "-floor")
"""Files that belong to the processes at work, not to the store."""


class Readable(NamedTuple):
    """Where a database can be read: in its place, or as a private copy."""

    path: Path
    is_copy: bool = False
    is_fixed: bool = False
    """It does not change, so that nothing beside it is needed to read it."""

    @property
    def address(self) -> str:
        """For a connection that takes addresses of files."""
        return f"file:{quote(str(self.path))}{'?immutable=1' if self.is_fixed else ''}"


def is_writable(database: Path) -> bool:
    """Whether the file, those beside it, and more of them can be written."""
    files = [path for part in ("", "-wal", "-shm") if (path := Path(f"{database}{part}")).exists()]
    return all(os.access(path, os.W_OK) for path in [database.parent, *files])


@contextmanager
def to_read(database: Path) -> Generator[Readable]:
    """A way to read a database, whether it can be written to or not."""
    if is_writable(database):
        yield Readable(database)
        return
    with readable(database) as found:
        yield found


@contextmanager
def readable(database: Path) -> Generator[Readable]:
    """A way to read a database that cannot be written to. A copy is gone afterwards."""
    if not any(Path(f"{database}{part}").exists() for part in ("-wal", "-shm")):
        yield Readable(database, is_fixed=True)
        return
    with copied(database) as copy:
        yield copy


@contextmanager
def copied(database: Path) -> Generator[Readable]:
    """A private copy of the database and of what is kept beside it."""
    with TemporaryDirectory(prefix="thoughtbox-") as folder:
        for _ in range(_TRIES):
            before = _state(database)
            for path in database.parent.glob(f"{database.name}*"):
                if path.is_file() and not path.name.endswith(_OF_PROCESSES):
                    shutil.copyfile(path, Path(folder) / path.name)
            if _state(database) == before:
                yield Readable(Path(folder) / database.name, is_copy=True)
                return
        raise StorageBusy(
            "the store is being written to by somebody else while it is copied",
            recovery="Try again when less is written, or look at it where it can be written to.",
        )


def _state(database: Path) -> tuple[object, ...]:
    """Changes when the file does, or when its log begins anew; a log that only grows can be copied meanwhile."""
    known = database.stat()
    log = Path(f"{database}-wal")
    if not log.exists():
        return known.st_mtime_ns, known.st_size, b""
    with log.open("rb") as file:
        return known.st_mtime_ns, known.st_size, file.read(_LOG_HEADER)


class ReadOnlySqlite:
    """One database file that does not change."""

    dialect: Dialect = "sqlite"

    def __init__(self, database: Readable) -> None:
        self._address = database.address
        self._readers = Readers(READERS, lambda: Snapshots(self._open()), translate=translate)
        self._scratches = Readers(1, lambda: Scratches(self._open, self.witnessed), translate=translate)
        self._witness = Witness(database.path, synced=False)

    def write(self, lane: str, work: Callable[[Sql], T], *, here: bool = False) -> Future[T]:
        refused: Future[T] = Future()
        refused.set_exception(
            StorageError(
                "the store cannot be written to: it is on a read-only medium, or another user's",
                recovery="Copy the data directory to where you may write, and set THOUGHTBOX_DATA_DIR to the copy.",
            )
        )
        return refused

    def read(self, work: Callable[[Sql], T], *, long: bool = False, here: bool = False) -> Future[T]:
        return self._readers.submit(partial(self._witnessing, work) if long else work, here=here and not long)

    def witnessed(self) -> dict[str, Head]:
        return self._witness.read().heads

    def scratch(self, work: Callable[[Sql], T]) -> Future[T]:
        return self._scratches.submit(work)

    def alone(self, *, patient: bool = True) -> AbstractContextManager[bool]:
        """Nobody writes here, and so nobody is in anybody's way."""
        return nullcontext(True)

    def watch(self, notice: Callable[[], object], *, closely: Callable[[], bool] = seldom) -> Unwatch:
        """Nothing is ever committed here."""
        return lambda: None

    def keep(self) -> None:
        """There is nothing to do: nothing is written here."""

    def close(self) -> None:
        self._readers.close()
        self._scratches.close()

    def _witnessing(self, work: Callable[[Sql], T], sql: Sql) -> T:
        sql.witness = self.witnessed()
        return work(sql)

    def _open(self) -> apsw.Connection:
        return apsw.Connection(self._address, flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)
