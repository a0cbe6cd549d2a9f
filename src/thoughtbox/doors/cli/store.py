"""Opening the store for a command."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from thoughtbox.doors.cli.flags import given_settings
from thoughtbox.errors import ConfigurationError, StorageError, ThoughtboxError
from thoughtbox.settings import Settings, load

if TYPE_CHECKING:
    from argparse import Namespace

    from thoughtbox.app import Thoughtbox
    from thoughtbox.engine.protocol import Engine, Sql
    from thoughtbox.engine.read_only import Readable

COPIED = "The store cannot be written to, and not read in its place: this comes from a private copy, gone by now."


class CannotOpen(Exception):
    """There is no way into the store; `error` says why."""

    def __init__(self, error: ThoughtboxError) -> None:
        super().__init__(str(error))
        self.error = error


def settings_of(args: Namespace) -> Settings:
    """Options over environment over defaults."""
    return load(None, **given_settings(args))


@contextmanager
def opened(settings: Settings, *, tolerant: bool = False) -> Generator[Thoughtbox]:
    """The store, made if there is none yet; `tolerant`, also if it has lost records."""
    from thoughtbox import domains
    from thoughtbox.app import Thoughtbox, open_engine

    domains.known()
    try:
        box = Thoughtbox(settings, engine=open_engine(settings, tolerant=True) if tolerant else None)
    except ConfigurationError:
        raise
    except ThoughtboxError as error:
        raise CannotOpen(error) from error
    with box:
        yield box


@contextmanager
def opened_existing(settings: Settings, *, tolerant: bool = False) -> Generator[Thoughtbox]:
    """The store, for commands that make no sense on one that is not there yet."""
    _must_exist(settings)
    with opened(settings, tolerant=tolerant) as box:
        yield box


class Reading(NamedTuple):
    """A store that is only read, and whether that is a private copy of it."""

    box: Thoughtbox
    is_copy: bool = False


@contextmanager
def opened_to_read(settings: Settings) -> Generator[Reading]:
    """The store, for commands that write nothing: it may stand where nobody can write."""
    _must_exist(settings)
    if not is_read_only(settings):
        with opened(settings, tolerant=True) as box:
            yield Reading(box)
        return
    from thoughtbox.app import Thoughtbox

    with ExitStack() as stack:
        try:
            engine, is_copy = _read_only_engine(settings.database, stack)
            box = stack.enter_context(Thoughtbox(settings, engine=engine, is_writable=False))
        except ConfigurationError:
            raise
        except ThoughtboxError as error:
            raise CannotOpen(error) from error
        yield Reading(box, is_copy)


def is_there(settings: Settings) -> bool:
    """Whether there is a store to look at."""
    if settings.database_url is not None:
        return True
    # A log without its database is damage, and for the engine to name.
    return settings.storage == "fs" and any(Path(f"{settings.database}{part}").exists() for part in ("", "-wal"))


def is_read_only(settings: Settings) -> bool:
    """Whether there is a store in a file that this user cannot write to."""
    if settings.database_url is not None or settings.storage == "memory" or not settings.database.exists():
        return False
    from thoughtbox.engine.read_only import is_writable

    return not is_writable(settings.database)


def _read_only_engine(database: Path, stack: ExitStack) -> tuple[Engine, bool]:
    """The file in its place; a copy when it cannot be read there, or is an older release's and has to be brought up."""
    from thoughtbox.engine.read_only import ReadOnlySqlite, copied, readable
    from thoughtbox.engine.sqlite import SqliteEngine

    found: Readable = stack.enter_context(readable(database))
    if not found.is_copy:
        engine = ReadOnlySqlite(found)
        if engine.read(_is_present).result():
            return engine, False
        engine.close()
        found = stack.enter_context(copied(database))
    return SqliteEngine(found.path, durability="normal", tolerant=True), True


def _is_present(sql: Sql) -> bool:
    """Whether the store is as this release makes it, so that nothing has to be written before it can be read."""
    from thoughtbox.app import all_views
    from thoughtbox.engine.migrations import steps

    if sql.row("SELECT 1 FROM sqlite_schema WHERE name = ?", ("schema_steps",)) is None:
        return False
    return sql.row("SELECT MAX(step) FROM schema_steps") == (steps(sql.dialect)[-1][0],) and not all_views().outdated(
        sql
    )


def _must_exist(settings: Settings) -> None:
    if settings.database_url is not None:
        return
    if settings.storage == "memory":
        raise ConfigurationError(
            "a store in memory ends with its process: this one is empty",
            recovery="Set THOUGHTBOX_STORAGE to fs, and THOUGHTBOX_DATA_DIR to the directory of the store.",
        )
    if not is_there(settings):
        raise CannotOpen(
            StorageError(
                f"there is no store in {settings.data_dir}",
                recovery="Set THOUGHTBOX_DATA_DIR or --data-dir to the directory of the store.",
            )
        )
