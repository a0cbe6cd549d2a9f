"""Where a notebook's files are: a folder of its own below the data directory."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final
from urllib.parse import quote

from thoughtbox.confinement.removal import remove
from thoughtbox.errors import InvalidOperation

FOLDER: Final = "notebooks"
LOCK_LOOK_SECONDS: Final = 0.02
_FRESH: Final = "."


class Folders:
    """The folders of all notebooks, wherever this server keeps files."""

    def __init__(self, root: Path) -> None:
        self._root = root / FOLDER

    def of(self, workspace: str, notebook_id: str) -> Path:
        return self._root / quote(workspace, safe="") / notebook_id

    def fresh(self, workspace: str, notebook_id: str, name: str) -> Path:
        """A folder beside it, for a run that leaves it as it is."""
        return self._root / quote(workspace, safe="") / f"{notebook_id}{_FRESH}{name}"


def sweep(folder: Path) -> None:
    """Remove fresh folders of a notebook that processes have left which are gone."""
    for each in folder.parent.glob(f"{folder.name}{_FRESH}*"):
        with suppress(OSError, InvalidOperation), held(each, lambda: True):
            remove(each)


@contextmanager
def held(folder: Path, is_given_up: Callable[[], bool]) -> Generator[None]:
    """Have a notebook's files for oneself: other servers on this machine wait until this is over."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor = os.open(folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        while True:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if is_given_up():
                    raise InvalidOperation("interrupted: it was ended while another server had the notebook") from None
                time.sleep(LOCK_LOOK_SECONDS)
        yield
    finally:
        os.close(descriptor)
