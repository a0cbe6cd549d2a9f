"""Files of machine code: whole, or not used; written by us, or not used.

Wasmtime believes what it reads in such a file, so that nothing may stand in it but what it has written itself.
"""

from __future__ import annotations

import os
from binascii import crc32
from pathlib import Path
from typing import Final

from thoughtbox import derived_files

SUFFIX: Final = ".cwasm"
MOST_KEPT: Final = 16
"""Files in one folder: for several installations, or several releases."""
_MAGIC = b"thoughtbox cwasm"
_BLOCK = 1 << 18


def is_trusted(path: Path) -> bool:
    """Whether a file is there, and nobody can have put it there who could not have changed the program itself."""
    try:
        return path.is_file() and _is_ours(path) and _is_ours(path.parent)
    except OSError:
        return False


def is_trusted_folder(folder: Path) -> bool:
    return _is_ours(folder)


def is_sound(path: Path) -> bool:
    """Whether a file may be trusted, and is what was written."""
    try:
        return is_trusted(path) and _is_whole(path)
    except OSError:
        return False


def write(path: Path, machine_code: bytes) -> None:
    """Put a file in its place whole: others read it, or write the same, at any time."""
    unfinished = path.with_name(f"{path.name}.{os.getpid()}")
    descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_NOFOLLOW", 0), 0o644)
    try:
        with os.fdopen(descriptor, "wb") as file:
            unfinished.chmod(0o644)
            file.write(machine_code)
            file.write(_trailer(crc32(machine_code)))
        unfinished.replace(path)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise
    _clear(path.parent)


def _is_ours(path: Path) -> bool:
    return derived_files.is_trusted(path.stat())


def _is_whole(path: Path) -> bool:
    with path.open("rb") as file:
        checksum = 0
        left = file.seek(0, os.SEEK_END) - len(_trailer(0))
        file.seek(0)
        while left > 0 and (block := file.read(min(left, _BLOCK))):
            checksum = crc32(block, checksum)
            left -= len(block)
        return file.read() == _trailer(checksum)


def _trailer(checksum: int) -> bytes:
    """What stands at the end, behind what wasmtime reads."""
    return _MAGIC + checksum.to_bytes(4, "big")


def _clear(folder: Path) -> None:
    """Remove what was made longest ago."""
    ours = sorted((path.stat().st_mtime, path) for path in folder.glob(f"*{SUFFIX}"))
    for _, path in ours[:-MOST_KEPT]:
        path.unlink(missing_ok=True)
