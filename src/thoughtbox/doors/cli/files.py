"""Files that commands write: whole, or not at all."""

from __future__ import annotations

import os
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from thoughtbox.doors.cli.output import UsageError


@contextmanager
def written(path: Path) -> Generator[BinaryIO]:
    """A file that takes the place of the old one once it is complete and on the disk."""
    try:
        path = path.resolve()
        if path.exists() and not path.is_file():
            # A device or a pipe: there is nothing to replace.
            with path.open("wb") as file:
                yield file
            return
        fresh = path.with_name(f".{path.name}.{os.getpid()}.part")
        try:
            with fresh.open("wb") as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
            fresh.replace(path)
        except BaseException:
            with suppress(FileNotFoundError):
                fresh.unlink()
            raise
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror or error}") from error
