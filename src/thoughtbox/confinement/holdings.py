"""What a box keeps beside the memory of its processes: files, also those without a name, and what lies in sockets."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Final, NamedTuple

from thoughtbox.confinement.plan import MEGABYTE, RUN
from thoughtbox.confinement.usage import read_lines

LEAST: Final = 4096
"""Bytes that anything with a name takes up, even an empty file: a disk has so many names and no more."""
MOST_NAMES: Final = 1_000_000
LONGEST_PATH: Final = 900
MOST_OPENED: Final = 500
ENDLESS: Final = 1 << 62
NEARLY_FULL: Final = 64 * MEGABYTE
"""So much is left to everybody else on a disk."""
RESERVE: Final = 1024 * MEGABYTE
FREE_SOCKETS: Final = 128
SOCKET: Final = 416 * 1024
FREE_PIPES: Final = 128
PIPE: Final = 64 * 1024
"""Bytes that can lie in one where nobody sees them; the first few are not counted."""
IN_MEMORY: Final = ("/dev/shm", RUN)
NAME: Final = 1024
_SHARED: Final = b"/dev/zero"
"""What memory that several processes share, and that has no name, is called."""


def size_of(folders: Sequence[str]) -> int:
    """Bytes on disk below folders. What lies too deep to be seen has no end."""
    opened: list[int] = []
    try:
        return _size_of(folders, opened)
    except OSError:
        return ENDLESS
    finally:
        for descriptor in opened:
            os.close(descriptor)


def _size_of(folders: Sequence[str], opened: list[int]) -> int:
    total, names = 0, 0
    linked: set[tuple[int, int]] = set()
    waiting = list(folders)
    while waiting:
        folder = waiting.pop()
        if len(folder) > LONGEST_PATH:  # a path may not have more: from here on it begins anew
            with suppress(FileNotFoundError, NotADirectoryError):
                opened.append(os.open(folder, os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW))
                folder = f"/proc/self/fd/{opened[-1]}"
        if len(opened) > MOST_OPENED:
            return ENDLESS
        for found in _entries(folder):
            names += 1
            if stat.S_ISDIR(found.mode):
                waiting.append(found.path)
            elif found.links > 1:
                if found.key in linked:
                    continue
                linked.add(found.key)
            total += max(found.size, LEAST)
        if names > MOST_NAMES:
            return ENDLESS
    return total


class _Entry(NamedTuple):
    path: str
    mode: int
    links: int
    size: int
    key: tuple[int, int]


def _entries(folder: str) -> list[_Entry]:
    """What is in a folder; nothing, when it is gone. An error when it is there and cannot be seen."""
    try:
        return _listed(folder)
    except (FileNotFoundError, NotADirectoryError):
        return []
    except PermissionError:
        os.chmod(folder, 0o700)  # its owner has locked it, which is this process's user, too
        return _listed(folder)


def _listed(folder: str) -> list[_Entry]:
    found = []
    with os.scandir(folder) as entries:
        for entry in entries:
            with suppress(FileNotFoundError):
                seen = entry.stat(follow_symlinks=False)
                key = (seen.st_dev, seen.st_ino)
                found.append(_Entry(entry.path, seen.st_mode, seen.st_nlink, seen.st_blocks * 512, key))
    return found


def free_on(folder: str) -> tuple[int, int]:
    """Bytes that are free on a folder's disk, and how many of them are better left to others."""
    found = os.statvfs(folder)
    size, free = found.f_blocks * found.f_frsize, found.f_bavail * found.f_frsize
    return free, min(size // 20, RESERVE)


class Held(NamedTuple):
    """By processes, in no folder and in no process's own memory."""

    files: int
    """Bytes of files that have no name any more."""
    aside: int
    """Bytes that may lie in sockets and pipes."""
    shared: int
    """Bytes of memory that processes share."""


def held_by(processes: Iterable[int]) -> Held:
    files: dict[tuple[int, int], int] = {}
    shared: dict[tuple[int, int], int] = {}
    sockets: set[tuple[int, int]] = set()
    pipes: set[tuple[int, int]] = set()
    for process in processes:
        for found in _opened(process):
            key = (found.st_dev, found.st_ino)
            if stat.S_ISSOCK(found.st_mode):
                sockets.add(key)
            elif stat.S_ISFIFO(found.st_mode):
                pipes.add(key)
            elif stat.S_ISREG(found.st_mode) and found.st_nlink == 0:
                files[key] = found.st_blocks * 512
        for key, size, is_shared in _mapped(process):
            known = shared if is_shared else files
            known[key] = max(known.get(key, 0), size)
    aside = max(0, len(sockets) - FREE_SOCKETS) * SOCKET + max(0, len(pipes) - FREE_PIPES) * PIPE
    return Held(sum(files.values()), aside, sum(shared.values()))


def in_memory(folders: Sequence[str] = IN_MEMORY) -> int:
    """Bytes that folders take up which are on no disk; a name without content takes up some, too."""
    found = map(os.statvfs, folders)
    return sum((one.f_blocks - one.f_bfree) * one.f_frsize + (one.f_files - one.f_ffree) * NAME for one in found)


def _opened(process: int) -> list[os.stat_result]:
    folder = f"/proc/{process}/fd"
    found = []
    with suppress(OSError):
        for name in os.listdir(folder):
            with suppress(OSError):
                found.append(os.stat(f"{folder}/{name}"))
    return found


def _mapped(process: int) -> Iterable[tuple[tuple[int, int], int, bool]]:
    """Files without a name that a process has in its memory, as far as it has them there."""
    for line in read_lines(f"/proc/{process}/maps"):
        if not line.endswith(b"(deleted)"):
            continue
        span, rights, offset, device, inode, *name = line.split(maxsplit=5)
        begin, _, end = span.partition(b"-")
        major, _, minor = device.partition(b":")
        key = (os.makedev(int(major, 16), int(minor, 16)), int(inode))
        is_shared = rights.endswith(b"s") and name[0].startswith(_SHARED)
        yield key, int(offset, 16) + int(end, 16) - int(begin, 16), is_shared
