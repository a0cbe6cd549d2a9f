"""What an installation keeps of itself: `config.json` in its data directory.

It is written when a store is first opened there. Settings that stand in it count where neither the command
line nor the environment says anything.
"""

from __future__ import annotations

import json
import logging
import os
import stat
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from thoughtbox.errors import ConfigurationError
from thoughtbox.world import World, iso, uuid_of

logger = logging.getLogger(__name__)

NAME = "config.json"

OTHERS = stat.S_IRWXG | stat.S_IRWXO
"""What the mode of a file lets others than its owner do."""

PRIVATE = (
    "thoughtbox.db*",
    "signing.key",
    NAME,
    "tokens.json",
    "checkpoints*/*.note",
    "checkpoints*/.lock",
    "trusted.keys",
    "http/*",
    "http/*/*",
)
"""The files of an installation that are nobody else's business."""


@contextmanager
def kept_private(data_dir: Path) -> Generator[None]:
    """Take from others what they may do with the files that are here, and make new ones for their owner alone."""
    for path in open_to_others(data_dir):
        # Not ours, or on a medium that cannot be written to: `doctor` tells.
        with suppress(OSError):
            path.chmod(stat.S_IMODE(path.lstat().st_mode) & ~OTHERS)
    before = os.umask(OTHERS)
    try:
        yield
    finally:
        os.umask(before)


def private(path: str, flags: int) -> int:
    """Opens a file, made if need be, that only its owner may read: an `opener` for `open`."""
    return os.open(path, flags | os.O_CLOEXEC, 0o600)


def open_to_others(data_dir: Path) -> list[Path]:
    """The files of an installation that others than their owner may read or write. Links lead out of it."""
    found = (path for pattern in PRIVATE for path in sorted(data_dir.glob(pattern)))
    return [path for path in found if stat.S_ISREG(mode := _mode(path)) and mode & OTHERS]


def _mode(path: Path) -> int:
    """What kind of file it is, and who may use it; none of one that is gone by now, as those of SQLite often are."""
    try:
        return path.lstat().st_mode
    except FileNotFoundError:
        return 0


def read(data_dir: Path) -> dict[str, Any]:
    """What `config.json` says; nothing when there is none."""
    path = data_dir / NAME
    try:
        found = json.loads(path.read_bytes())
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (OSError, ValueError, RecursionError) as error:
        raise _unreadable(path, str(error)) from None
    if not isinstance(found, dict):
        raise _unreadable(path, "it is no JSON object")
    return found


def ensure(data_dir: Path, world: World) -> dict[str, Any]:
    """Have a `config.json`: the one that is there, or a new one with an id of its own."""
    found = read(data_dir)
    if "installId" in found:
        return found
    made = {
        "installId": uuid_of(world.random_bytes(16)),
        "dataDir": str(data_dir),
        "disableThoughtLogging": False,
        "sessionPartitionGranularity": "monthly",
        "createdAt": iso(world.now_ms()),
        **found,
    }
    fresh = data_dir / f".{NAME}.{os.getpid()}.part"
    try:
        with open(fresh, "w", encoding="utf-8", opener=private) as file:
            file.write(json.dumps(made, indent=2, ensure_ascii=False) + "\n")
            file.flush()
            os.fsync(file.fileno())  # or a power cut would leave a file with a name and nothing in it
        try:
            os.link(fresh, data_dir / NAME)  # of several that start at once, one is the first
        except FileExistsError:
            if not found:
                return read(data_dir)
            fresh.replace(data_dir / NAME)
    except OSError as error:
        logger.info("%s could not be written: %s", data_dir / NAME, error)
    finally:
        with suppress(OSError):
            fresh.unlink()
    return made


def _unreadable(path: Path, why: str) -> ConfigurationError:
    return ConfigurationError(
        f"{path} cannot be read: {why}", recovery="Put it right, or move it away: a new one is then made."
    )
