"""Small files beside the store that several processes change: whole, one after the other, for the owner's eyes only."""

from __future__ import annotations

import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkstemp

try:
    import fcntl
except ImportError:  # pragma: no cover - not on Windows, where the last to write has the last word
    fcntl = None


@contextmanager
def locked(folder: Path) -> Generator[None]:
    """Let no other process look and then write in this folder meanwhile. The kernel lets go of what a dead one held."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    if fcntl is None:
        yield
        return
    descriptor = os.open(folder / ".lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def replace_text(path: Path, text: str) -> None:
    """Put a text in a file's place, on the disk before it is seen; whoever dies here leaves the old one."""
    # Written aside, under a name of its own: a lock holds only among those who ask for it.
    descriptor, fresh = mkstemp(prefix=f"{path.name}.", dir=path.parent)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(descriptor)
        Path(fresh).replace(path)
    except BaseException:
        Path(fresh).unlink(missing_ok=True)
        raise
