"""What the processes of one server share while it runs, in files below the data directory."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from thoughtbox.errors import ConfigurationError
from thoughtbox.operations.shared_log import SharedLog

SESSIONS = "sessions"


def http_folder(data_dir: Path) -> Path:
    """Where servers over HTTP keep what does not belong into the store."""
    return data_dir / "http"


class SharedFiles:
    """A folder of one server, named by its process id. Its first process makes it, and removes it in the end."""

    def __init__(self, data_dir: Path, server: int) -> None:
        self._folder = http_folder(data_dir) / str(server)

    def log(self, name: str) -> SharedLog:
        """One of the logs in it, as this process sees it."""
        return SharedLog(self._folder / name)

    def make(self) -> None:
        """Make it anew, and remove what servers have left that were killed."""
        try:
            self._folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            for folder in self._folder.parent.iterdir():
                if folder.name == self._folder.name or (folder.name.isdigit() and not _is_alive(int(folder.name))):
                    shutil.rmtree(folder, ignore_errors=True)
            self._folder.mkdir(mode=0o700)
        except OSError as error:
            raise ConfigurationError(
                f"{self._folder} cannot be made ({error.strerror}), and several processes of a server need it",
                recovery="Make the data directory writable, or name another one with --data-dir.",
            ) from error

    def remove(self) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # it is another user's
        return True
    return True
