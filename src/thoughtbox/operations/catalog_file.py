"""The file that keeps the catalog, beside Python's own bytecode: made by whoever first misses it, never just trusted.

It begins with what it was made from: the size and time of every file of the package, and the releases that had a part
in it. Where one of them differs, or anything is damaged, it counts as absent, so that an edited checkout never meets a
stale one. Losing it costs time and nothing else.
"""

from __future__ import annotations

import marshal
import os
import sys
import time
from binascii import crc32
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from thoughtbox import __version__
from thoughtbox.derived_files import PACKAGE, is_trusted, places
from thoughtbox.operations.catalog import Catalog

MAGIC = b"thoughtbox catalog 4\n"
"""Changes with the form of what comes behind it."""
PREFIX, SUFFIX = "catalog-", ".bin"
_NUMBER = 8
"""Bytes of a length or a checksum."""
MOST_KEPT = 4
"""Files in one folder: for several Pythons, or several installations."""
LEFT_BEHIND_SECONDS = 3600
"""Age from which on a file that is not whole will never be."""


def read(made_from: bytes) -> Catalog | None:
    """The catalog that was made from this; None when there is none, or nothing that could be one."""
    for folder in places(PACKAGE):
        # A file may hold anything: whatever goes wrong with it means that it is no catalog.
        with suppress(Exception), (folder / _name()).open("rb") as file:
            if is_trusted(os.fstat(file.fileno())) and (plain := _unpacked(file.read(), made_from)) is not None:
                return Catalog.of(plain)
    return None


def write(catalog: Catalog, made_from: bytes) -> Path | None:
    """Keep the catalog in the first place that takes it, and say where; None when none does."""
    for folder in places(PACKAGE, to_write=True):
        with suppress(OSError):
            return _written(folder, _packed(catalog, made_from))
    return None


def can_be_kept() -> bool:
    """Whether there is a place that would take it."""
    return any(_takes_files(folder) for folder in places(PACKAGE, to_write=True))


def sources() -> bytes:
    """What a catalog is made from, as it is now."""
    files: list[tuple[str, int, int]] = []
    folders = [(str(PACKAGE), "")]
    while folders:
        folder, name = folders.pop()
        with os.scandir(folder) as found:
            for each in found:
                if not each.is_dir():
                    state = each.stat()
                    files.append((name + each.name, state.st_size, state.st_mtime_ns))
                elif each.name != "__pycache__":
                    folders.append((each.path, f"{name}{each.name}/"))
    files.sort()
    return marshal.dumps((_releases(), files))


def _releases() -> tuple[str, ...]:
    """The releases of all that has a part in it, by where they are installed: importing them would take too long."""
    found = find_spec("pydantic")
    place = Path(found.origin).parent.parent if found is not None and found.origin is not None else PACKAGE
    of_pydantic = sorted(path.name for path in place.iterdir() if path.name.startswith("pydantic"))
    return (sys.version, __version__, str(place), *of_pydantic)


def _name() -> str:
    return f"{PREFIX}{sys.implementation.cache_tag}-{crc32(repr((str(PACKAGE), sys.prefix)).encode()):08x}{SUFFIX}"


def _packed(catalog: Catalog, made_from: bytes) -> bytes:
    return MAGIC + _checked(made_from) + _checked(marshal.dumps(catalog.plain()))


def _unpacked(data: bytes, made_from: bytes) -> tuple[Any, ...] | None:
    """What is in such a file; None when it was made from something else, or is not whole."""
    beginning = MAGIC + _checked(made_from)
    head, plain = len(beginning), memoryview(data)[len(beginning) + 2 * _NUMBER :]
    if not data.startswith(beginning) or data[head : head + 2 * _NUMBER] != _head(plain):
        return None
    return marshal.loads(plain)


def _checked(part: bytes) -> bytes:
    return _head(part) + part


def _head(part: bytes | memoryview) -> bytes:
    """What stands before a part: its length and its checksum."""
    return len(part).to_bytes(_NUMBER, "big") + crc32(part).to_bytes(_NUMBER, "big")


def _written(folder: Path, data: bytes) -> Path:
    """Put the file in its place whole: others read it, or write the same, at any time."""
    folder.mkdir(0o700, parents=True, exist_ok=True)
    kept, unfinished = folder / _name(), folder / f"{_name()}.{os.getpid()}"
    descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_NOFOLLOW", 0), 0o644)
    try:
        with os.fdopen(descriptor, "wb") as file:
            Path(unfinished).chmod(0o644)
            file.write(data)
        unfinished.replace(kept)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise
    _clear(folder)
    return kept


def _clear(folder: Path) -> None:
    """Remove what was made longest ago, and what somebody never finished."""
    ours = sorted((path.stat().st_mtime, path) for path in folder.glob(f"{PREFIX}*"))
    whole = [each for each in ours if each[1].suffix == SUFFIX]
    old = [each for each in ours if each not in whole and each[0] < time.time() - LEFT_BEHIND_SECONDS]
    for _, path in (*whole[:-MOST_KEPT], *old):
        path.unlink(missing_ok=True)


def _takes_files(folder: Path) -> bool:
    """Whether a file can be made in a folder, or the folder where it would be."""
    there = next((each for each in (folder, *folder.parents) if each.exists()), folder)
    return there.is_dir() and os.access(there, os.W_OK)
