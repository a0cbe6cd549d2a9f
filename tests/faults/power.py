"""A disk that remembers what was synced: an apsw VFS that can tell what a power cut would leave.

Of each file it keeps the bytes that were synced, and all that was done to it since, in
order. A cut keeps the former, and of the latter any part: whole writes or the first
sectors of one, later ones without earlier ones, also the making and removing of files.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from random import Random
from typing import Any

import apsw

SECTOR = 512

_NAMES = count(1)


@dataclass(frozen=True, slots=True)
class Write:
    """Bytes that were written and not synced."""

    offset: int
    data: bytes

    def apply(self, image: bytearray, chance: Random) -> None:
        data = self.data
        if chance.random() < 0.2:
            data = data[: chance.randrange(len(data) // SECTOR + 1) * SECTOR]
        if len(image) < self.offset:
            image.extend(bytes(self.offset - len(image)))
        image[self.offset : self.offset + len(data)] = data


@dataclass(frozen=True, slots=True)
class Truncate:
    """A new length that was not synced."""

    size: int

    def apply(self, image: bytearray, chance: Random) -> None:
        del image[self.size :]


@dataclass(slots=True)
class Remembered:
    """A file, as far as the disk is bound to have it."""

    synced: bytes | None = None
    """None: the file itself may be gone."""
    since: list[Write | Truncate] = field(default_factory=list)
    is_deleted: bool = False
    """The file was removed, and its directory was not synced since."""

    def after_a_cut(self, chance: Random) -> bytes | None:
        if (self.synced is None or self.is_deleted) and chance.random() < 0.5:
            return None
        image = bytearray(self.synced or b"")
        kept = chance.choice((0.0, 0.5, 0.9, 1.0))
        for change in self.since:
            if chance.random() < kept:
                change.apply(image, chance)
        return bytes(image)


class RememberingDisk(apsw.VFS):
    """Passes everything on to the real disk, without waiting for it, and remembers."""

    def __init__(self) -> None:
        self.vfs_name = f"remembering-{next(_NAMES)}"
        self.files: dict[str, Remembered] = {}
        self.steps = 0
        self.at_every_step: Callable[[], None] = lambda: None
        self._lock = threading.RLock()
        super().__init__(self.vfs_name, "")

    def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> apsw.VFSFile:  # noqa: N802
        return _File(self, name, flags)

    def xDelete(self, filename: str, syncdir: bool) -> None:  # noqa: N802
        super().xDelete(filename, syncdir)
        with self._lock:
            self._step()
            if syncdir:
                self.files.pop(filename, None)
            elif filename in self.files:
                self.files[filename].is_deleted = True

    def changed(self, path: str, change: Write | Truncate) -> None:
        if not path:
            return  # a file of one statement, which nobody opens again
        with self._lock:
            self._step()
            if path not in self.files or self.files[path].is_deleted:
                self.files[path] = Remembered()
            self.files[path].since.append(change)

    def synced(self, path: str) -> None:
        if not path:
            return
        with self._lock:
            self._step()
            known = self.files.get(path)
            if known is not None and known.synced is None and path.endswith(("-wal", "-journal")):
                # With a new log, or journal, SQLite syncs the directory too.
                self.files = {name: file for name, file in self.files.items() if not file.is_deleted}
            self.files[path] = Remembered(Path(path).read_bytes())

    def after_a_cut(self, chance: Random) -> dict[str, bytes]:
        """What would be there, by path, if the power failed now."""
        with self._lock:
            found = {path: file.after_a_cut(chance) for path, file in self.files.items()}
        return {path: image for path, image in found.items() if image is not None}

    def _step(self) -> None:
        self.steps += 1
        self.at_every_step()


class _File(apsw.VFSFile):
    def __init__(self, disk: RememberingDisk, name: str | apsw.URIFilename | None, flags: list[int]) -> None:
        self._disk = disk
        self._path = name.filename() if isinstance(name, apsw.URIFilename) else name or ""
        super().__init__("", name, flags)

    def xWrite(self, data: Any, offset: int) -> None:  # noqa: N802
        super().xWrite(data, offset)
        self._disk.changed(self._path, Write(offset, bytes(data)))

    def xTruncate(self, newsize: int) -> None:  # noqa: N802
        super().xTruncate(newsize)
        self._disk.changed(self._path, Truncate(newsize))

    def xSync(self, flags: int) -> None:  # noqa: N802
        self._disk.synced(self._path)


@contextmanager
def remembering_disk() -> Generator[RememberingDisk]:
    disk = RememberingDisk()
    try:
        yield disk
    finally:
        disk.unregister()
