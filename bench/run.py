"""One run: how thorough it is, where its stores lie, and what it has to say on the way."""

from __future__ import annotations

import os
import sys
import time
from functools import cached_property
from itertools import count
from pathlib import Path

from bench.stores import fill
from thoughtbox.settings import Settings, load

RECORDS = 1_000_000
RECORDS_IN_A_HURRY = 100_000


class Run:
    """What every measurement is given."""

    def __init__(self, directory: Path, *, records: int, quick: bool) -> None:
        self.records = records
        self.quick = quick
        self.notes: list[str] = []
        """What the reader of the table should know, such as what could not be measured."""
        self._directory = directory
        self._numbers = count(1)
        self._began = time.monotonic()

    def rounds(self, thorough: int, quick: int) -> int:
        return quick if self.quick else thorough

    def new_directory(self) -> Path:
        """A place for a store that does not exist yet."""
        return self._directory / f"{next(self._numbers)}"

    @cached_property
    def large_store(self) -> Path:
        """A store of `records` records, made when first asked for. Measurements may append a few thousand to it."""
        directory = self.new_directory()
        self.say(f"making a store of {self.records:,} records")
        settings = settings_for(directory)
        fill(settings, self.records)
        with settings.database.open("rb") as file:
            os.fsync(file.fileno())  # or it would be written out in the background of what is measured next
        return directory

    def say(self, text: str) -> None:
        sys.stderr.write(f"{time.monotonic() - self._began:6.1f} s  {text}\n")
        sys.stderr.flush()


def settings_for(directory: Path, **given: str) -> Settings:
    """The settings of a store in this directory; nothing of the user's own gets in."""
    return load({}, data_dir=str(directory), durability=given.pop("durability", "normal"), **given)
