"""Opening the store for a command."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from thoughtbox.doors.cli.parser import given_settings
from thoughtbox.errors import ConfigurationError, StorageError, ThoughtboxError
from thoughtbox.settings import Settings, load

if TYPE_CHECKING:
    from thoughtbox.app import Thoughtbox


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
    from thoughtbox.app import Thoughtbox, open_engine

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
    if settings.database_url is None:
        if settings.storage == "memory":
            raise ConfigurationError(
                "a store in memory ends with its process: this one is empty",
                recovery="Set THOUGHTBOX_STORAGE to fs, and THOUGHTBOX_DATA_DIR to the directory of the store.",
            )
        # A log without its database is damage, and for the engine to name.
        if not any(Path(f"{settings.database}{part}").exists() for part in ("", "-wal")):
            raise CannotOpen(
                StorageError(
                    f"there is no store in {settings.data_dir}",
                    recovery="Set THOUGHTBOX_DATA_DIR or --data-dir to the directory of the store.",
                )
            )
    with opened(settings, tolerant=tolerant) as box:
        yield box
