"""What a project keeps in its `.claude` folder for the host: configuration, context, presets, tokens, the signing key.

Nothing heavy is imported here: hooks start with it.
"""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

from thoughtbox.errors import ConfigInvalid, ConfigurationError

KEY_BYTES = 32
LARGEST = 1 << 20
"""Bytes of a file of this folder that are read at the most."""


class ProjectFolder(NamedTuple):
    """The folder of a project, and where things stand in it."""

    root: Path

    @property
    def claude(self) -> Path:
        return self.root / ".claude"

    @property
    def config(self) -> Path:
        return self.claude / "config.json"

    @property
    def context(self) -> Path:
        return self.claude / "project-context.json"

    @property
    def presets(self) -> Path:
        return self.claude / "presets"

    @property
    def tokens(self) -> Path:
        return self.claude / "tokens"

    @property
    def signing_key(self) -> Path:
        return self.claude / "signing.key"


def read_object(path: Path) -> dict[str, Any] | None:
    """The JSON object in a file; None when there is no such file. What is there and cannot be read is an error."""
    try:
        with path.open("rb") as file:
            text = file.read(LARGEST + 1)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise _unreadable(path, error.strerror or str(error)) from None
    if len(text) > LARGEST:
        raise _unreadable(path, f"it has more than {LARGEST} bytes")
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise _unreadable(path, str(error)) from None
    if not isinstance(found, dict):
        raise _unreadable(path, "it is no JSON object")
    return found


def write_text(path: Path, text: str, *, mode: int = 0o644) -> None:
    """Put a file in the place of what was there: all of it or nothing, whoever reads it meanwhile."""
    with _prepared(path, text, mode) as fresh:
        fresh.replace(path)


def write_object(path: Path, value: dict[str, Any], *, mode: int = 0o644) -> None:
    write_text(path, json.dumps(value, indent=2, ensure_ascii=False) + "\n", mode=mode)


def signing_key(folder: ProjectFolder, chance: Callable[[int], bytes] = secrets.token_bytes) -> bytes:
    """The project's key, made once: of several who come at once, one makes it."""
    found = existing_key(folder)
    if found is not None:
        return found
    path = folder.signing_key
    with _prepared(path, chance(KEY_BYTES).hex() + "\n", 0o600) as fresh, suppress(FileExistsError):
        os.link(fresh, path)
    found = existing_key(folder)
    if found is None:
        raise _bad_key(path, "it was taken away while it was made")
    return found


@contextmanager
def _prepared(path: Path, text: str, mode: int) -> Generator[Path]:
    """A file beside a path with this text in it, on its way to that place."""
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(f".{path.name}.{os.getpid()}.{secrets.token_hex(4)}.part")
    try:
        with os.fdopen(
            os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode), "w", encoding="utf-8"
        ) as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())  # or a power cut would leave a file with a name and nothing in it
        yield fresh
    finally:
        with suppress(OSError):
            fresh.unlink()


def existing_key(folder: ProjectFolder) -> bytes | None:
    """The project's key; None when it has none. Others than its owner may not read it: that is seen to here."""
    path = folder.signing_key
    try:
        text = path.read_text(encoding="ascii").strip()
        if path.stat().st_mode & 0o077:
            path.chmod(0o600)
        key = bytes.fromhex(text)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError) as error:
        raise _bad_key(path, type(error).__name__) from None
    if len(key) != KEY_BYTES:
        raise _bad_key(path, f"it has {len(key)} bytes, not {KEY_BYTES}")
    return key


def _bad_key(path: Path, why: str) -> ConfigurationError:
    return ConfigurationError(
        f"{path} is no signing key ({why})",
        recovery="Put the key back from a copy, or move the file away: a new one is then made, and what the old one"
        " has signed no longer verifies.",
    )


def _unreadable(path: Path, why: str) -> ConfigInvalid:
    return ConfigInvalid(
        f"{path} cannot be read: {why}",
        recovery="Put it right, or move it away: the defaults then count.",
        details={"file": str(path)},
    )
