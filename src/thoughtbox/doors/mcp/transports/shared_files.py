"""What the processes of one server share while it runs, in files below the data directory."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from secrets import randbits

from thoughtbox.errors import ConfigurationError
from thoughtbox.operations.shared_log import SharedLog

try:
    import fcntl
except ImportError:  # pragma: no cover - not on Windows, where one process serves
    fcntl = None

SESSIONS = "sessions"
IN_USE = "in-use"
"""A file that the server's first process holds a lock on for as long as it lives."""


def http_folder(data_dir: Path) -> Path:
    """Where servers over HTTP keep what does not belong into the store."""
    return data_dir / "http"


class SharedFiles:
    """A folder of one server. Its first process makes it, and removes it in the end."""

    def __init__(self, data_dir: Path, server: int = 0) -> None:
        """`server` is the number of the server, where another process has made the folder."""
        self.server = server or randbits(48)
        self._folder = http_folder(data_dir) / f"server-{self.server:x}"
        self._lock = -1

    def log(self, name: str) -> SharedLog:
        """One of the logs in it, as this process sees it."""
        return SharedLog(self._folder / name)

    def make(self) -> None:
        """Make it, and remove what servers have left that were killed."""
        try:
            self._folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            for folder in self._folder.parent.glob("server-*"):
                if not _is_in_use(folder):
                    shutil.rmtree(folder, ignore_errors=True)
            fresh = self._folder.with_name(f".{self._folder.name}")
            fresh.mkdir(mode=0o700)
            self._lock = os.open(fresh / IN_USE, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            if fcntl is not None:
                fcntl.flock(self._lock, fcntl.LOCK_EX)
            fresh.rename(self._folder)  # nobody sees it before it is locked
        except OSError as error:
            raise ConfigurationError(
                f"{self._folder} cannot be made ({error.strerror}), and several processes of a server need it",
                recovery="Make the data directory writable, or name another one with --data-dir.",
            ) from error

    def remove(self) -> None:
        if self._lock >= 0:
            shutil.rmtree(self._folder, ignore_errors=True)
            os.close(self._lock)
            self._lock = -1


def _is_in_use(folder: Path) -> bool:
    """Whether its server lives, on this machine or in another container on it."""
    if fcntl is None:
        return True
    try:
        descriptor = os.open(folder / IN_USE, os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False
