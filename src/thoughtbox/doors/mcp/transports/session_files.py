"""What processes know of clients with a handshake, in files beside the store: any of them can go on with a session.

A session is one small file, named by a digest of its handle. It is replaced whole, and its time says when the session
was used last. Whoever is at work on a session, or has its stream, holds a lock that ends with the process.
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Mapping
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, NamedTuple

import orjson

try:
    import fcntl
except ImportError:  # pragma: no cover - not on Windows, where one process serves
    fcntl = None

logger = logging.getLogger(__name__)

Fields = Mapping[str, Any]

TURN: Final = 0
STREAM: Final = 1
"""What of a session is locked, each by itself."""

_LOCKS_OF_ONE: Final = 2
_WRITING: Final = 0
"""The byte that is locked to replace a file; those of sessions come behind it."""

_MOST_TRIES, _TRY_SECONDS = 100, 0.001


class Version(NamedTuple):
    """Tells whether a file is still the one that was read."""

    inode: int
    changed_ns: int


class SessionFiles:
    """The files in one folder. A process has one of these: closing any other descriptor of the locks would drop all."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._locks = -1

    def key_of(self, handle: bytes) -> str:
        """The name of a session; its handle, which lets its client in, is kept nowhere."""
        return sha256(handle).hexdigest()[:40]

    def read(self, key: str) -> tuple[dict[str, Any], Version] | None:
        """What is kept of a session, if it is there."""
        try:
            with (self._folder / key).open("rb") as file:
                return orjson.loads(file.read()), _version(os.fstat(file.fileno()))
        except FileNotFoundError:
            return None
        except (OSError, orjson.JSONDecodeError) as error:
            logger.warning("a session cannot be read: %s", error)
            return None

    def version(self, key: str) -> Version | None:
        try:
            return _version((self._folder / key).stat())
        except OSError:
            return None

    def used_at(self, key: str) -> float:
        """When any process has last said that the session is in use."""
        found = self.version(key)
        return 0.0 if found is None else found.changed_ns / 1e9

    def change(self, key: str, fields: Fields, *, is_new: bool = False) -> Version | None:
        """Write some fields of a session, and leave the others as they are; None if it is not there any more."""
        fresh = self._folder / f"{key}.{os.getpid()}"
        try:
            self._wait_for_turn()
            earlier = ({}, None) if is_new else self.read(key)
            if earlier is None:
                return None
            descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
            with os.fdopen(descriptor, "wb") as file:
                file.write(orjson.dumps({**earlier[0], **fields}))
                file.flush()
                _stamp(file.fileno())
                version = _version(os.fstat(file.fileno()))
            fresh.replace(self._folder / key)
        except (OSError, TypeError) as error:
            logger.error("a session cannot be kept, and ends with this process: %s", error)
            return None
        else:
            return version
        finally:
            self._lock_byte(_WRITING, wants=False)

    def touch(self, key: str) -> None:
        """Say that the session is in use."""
        with suppress(OSError):
            _stamp(self._folder / key)

    def remove(self, key: str) -> None:
        with suppress(OSError):
            (self._folder / key).unlink()

    def remove_unused(self, seconds: float) -> None:
        """Remove what nobody has used for so long."""
        with suppress(OSError):  # there are none, or they cannot be looked at
            for file in list(self._folder.iterdir()):
                with suppress(OSError):  # another process was faster
                    if time.time() - file.stat().st_mtime > seconds:
                        file.unlink()

    def lock(self, key: str, what: int) -> bool:
        """Whether no other process is at it; until `unlock`, none will be."""
        return self._lock_byte(_byte(key, what), wants=True)

    def unlock(self, key: str, what: int) -> None:
        self._lock_byte(_byte(key, what), wants=False)

    def _wait_for_turn(self) -> None:
        """Be the only one who replaces a file: a moment's work, unless somebody was stopped in the middle of it."""
        for _ in range(_MOST_TRIES):
            if self._lock_byte(_WRITING, wants=True):
                return
            time.sleep(_TRY_SECONDS)
        logger.warning("a process that writes down a session does not come to its end: its turn is passed over")

    def _lock_byte(self, byte: int, *, wants: bool) -> bool:
        if fcntl is None:
            return True
        try:
            self._open()
            fcntl.lockf(self._locks, fcntl.LOCK_EX | fcntl.LOCK_NB if wants else fcntl.LOCK_UN, 1, byte)
        except BlockingIOError:
            return False
        except OSError as error:
            logger.error("sessions cannot be locked: %s", error)
        return True

    def _open(self) -> None:
        if self._locks < 0:
            self._folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._folder.mkdir(mode=0o700, exist_ok=True)
            self._locks = os.open(self._folder.parent / "locks", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)


class NoFiles(SessionFiles):
    """For a store in memory: sessions are known to this process alone, and end with it."""

    def __init__(self) -> None:
        super().__init__(Path(os.devnull))

    def read(self, key: str) -> None:
        return None

    def version(self, key: str) -> None:
        return None

    def change(self, key: str, fields: Fields, *, is_new: bool = False) -> None:
        return None

    def touch(self, key: str) -> None: ...

    def remove(self, key: str) -> None: ...

    def remove_unused(self, seconds: float) -> None: ...

    def lock(self, key: str, what: int) -> bool:
        return True

    def unlock(self, key: str, what: int) -> None: ...


def _byte(key: str, what: int) -> int:
    return 1 + int(key[:12], 16) * _LOCKS_OF_ONE + what


def _stamp(file: Path | int) -> None:
    """Say when a file was changed, to the nanosecond.

    Linux before 6.13 counts in milliseconds itself, and at once gives the number of a file that is gone to the next
    one: of two changes the second would look like what was there before the first.
    """
    now = time.time_ns()
    os.utime(file, ns=(now, now))


def _version(state: os.stat_result) -> Version:
    return Version(state.st_ino, state.st_mtime_ns)
