"""A directory that is held open while files below it are read and written. Links are never followed.

All that touches the disk goes through `Folder`, which stays below the directory that the user named.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Generator, Iterable
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

LARGEST_FILE = 4 << 20
"""Bytes; larger files are neither written nor read."""
_SHOWN = 80
_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
MOST_NAMED = 5


def shown(name: str) -> str:
    """A name that somebody else chose, for a message: on one line, in ASCII and not too long."""
    return ascii(name if len(name) <= _SHOWN else name[:_SHOWN] + "…")


class Blocked(Exception):
    """Something that is there, but is not read, written or followed."""

    def __init__(self, name: str, why: str) -> None:
        super().__init__(f"{shown(name)} {why}")


class Entry(NamedTuple):
    name: str
    is_folder: bool
    is_link: bool


class Folder:
    """A directory held open, so that nothing else can slip into its place. Links below it are never followed."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    @classmethod
    def at(cls, path: Path) -> Folder:
        """The directory that the user named; that one may be a link."""
        return cls(os.open(path, _DIRECTORY))

    def __enter__(self) -> Folder:
        return self

    def __exit__(self, *failure: object) -> None:
        os.close(self._descriptor)

    def opened(self, name: str) -> Folder:
        """A folder in this one; raises `FileNotFoundError` or `Blocked`."""
        return Folder(self._open(name, _DIRECTORY))

    def made(self, name: str) -> Folder:
        """A folder in this one, made if it is not there."""
        with suppress(FileExistsError):
            os.mkdir(one_name(name), dir_fd=self._descriptor)
            self.sync()
        return self.opened(name)

    def entries(self) -> list[Entry]:
        """What stands here, by name; not what is hidden."""
        with os.scandir(self._descriptor) as found:
            return sorted(
                Entry(entry.name, entry.is_dir(follow_symlinks=False), entry.is_symlink())
                for entry in found
                if not entry.name.startswith(".")
            )

    def read(self, name: str) -> bytes:
        """A file in this folder; raises `FileNotFoundError` or `Blocked`."""
        # Without O_NONBLOCK, opening a pipe would wait for a writer.
        descriptor = self._open(name, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise Blocked(name, "is not a plain file")
            with os.fdopen(descriptor, "rb", closefd=False) as file:
                data = file.read(LARGEST_FILE + 1)
        except OSError as error:
            raise Blocked(name, f"cannot be read: {error.strerror}") from None
        finally:
            os.close(descriptor)
        if len(data) > LARGEST_FILE:
            raise Blocked(name, f"is bigger than {LARGEST_FILE >> 20} MB")
        return data

    def write(self, name: str, data: bytes) -> None:
        """Put a file into this folder whole, or leave the old one; raises `Blocked`."""
        if len(data) > LARGEST_FILE:
            raise Blocked(name, f"would be bigger than {LARGEST_FILE >> 20} MB")
        with suppress(FileNotFoundError):
            if self.read(name) == data:
                return
        fresh = f".{one_name(name)}.part"
        # Left behind by an export that was killed.
        with suppress(FileNotFoundError):
            os.unlink(fresh, dir_fd=self._descriptor)
        # O_EXCL: a link that somebody puts there now is not followed.
        descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666, dir_fd=self._descriptor)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(descriptor)
            os.rename(fresh, name, src_dir_fd=self._descriptor, dst_dir_fd=self._descriptor)
        except BaseException:
            with suppress(FileNotFoundError):
                os.unlink(fresh, dir_fd=self._descriptor)
            raise

    def remove(self, name: str) -> None:
        """Remove a plain file, if it is there."""
        with suppress(FileNotFoundError):
            if stat.S_ISREG(os.lstat(one_name(name), dir_fd=self._descriptor).st_mode):
                os.unlink(name, dir_fd=self._descriptor)

    def remove_folder(self, name: str) -> None:
        """Remove a folder, if it is there and empty."""
        with suppress(OSError):
            os.rmdir(one_name(name), dir_fd=self._descriptor)

    def sync(self) -> None:
        """What was made, renamed or removed here is on the disk from now on."""
        os.fsync(self._descriptor)

    def _open(self, name: str, flags: int) -> int:
        try:
            return os.open(one_name(name), flags | os.O_NOFOLLOW, dir_fd=self._descriptor)
        except FileNotFoundError:
            raise
        except OSError as error:
            if error.errno in (errno.ELOOP, errno.ENOTDIR) and self._is_link(name):
                raise Blocked(name, "is a symbolic link, and links are not followed") from None
            raise Blocked(name, f"cannot be opened: {error.strerror}") from None

    def _is_link(self, name: str) -> bool:
        with suppress(OSError):
            return stat.S_ISLNK(os.lstat(name, dir_fd=self._descriptor).st_mode)
        return False


def one_name(name: str) -> str:
    """The name of one entry, which leads nowhere else."""
    if name in ("", ".", "..") or "/" in name or "\\" in name or "\0" in name:
        raise Blocked(name, "is no name for a file")
    return name


@contextmanager
def opened(root: Path, folders: Iterable[str]) -> Generator[Folder]:
    with ExitStack() as held:
        folder = held.enter_context(Folder.at(root))
        for name in folders:
            folder = held.enter_context(folder.opened(name))
        yield folder


def some(names: list[str]) -> str:
    more = len(names) - MOST_NAMED
    return ", ".join(map(shown, names[:MOST_NAMED])) + (f" and {more} more" if more > 0 else "")
