"""What an installation keeps of itself: `config.json` in its data directory.

It is written when a store is first opened there. Settings that stand in it count where neither the command
line nor the environment says anything.
"""

from __future__ import annotations

import json
import logging
import os
from contextlib import suppress
from pathlib import Path
from typing import Any
from uuid import UUID

from thoughtbox.errors import ConfigurationError
from thoughtbox.world import World, iso

logger = logging.getLogger(__name__)

NAME = "config.json"


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
        "installId": str(UUID(bytes=world.random_bytes(16), version=4)),
        "dataDir": str(data_dir),
        "disableThoughtLogging": False,
        "sessionPartitionGranularity": "monthly",
        "createdAt": iso(world.now_ms()),
        **found,
    }
    fresh = data_dir / f".{NAME}.{os.getpid()}.part"
    try:
        with fresh.open("w", encoding="utf-8") as file:
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
