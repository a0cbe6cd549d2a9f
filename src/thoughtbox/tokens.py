"""Tokens with a name, each of which reaches certain workspaces: `tokens.json` in the data directory.

The file holds what is needed to recognise a token, and nothing from which it could be made: a token is 256 random
bits, so that its plain SHA-256 is enough. `THOUGHTBOX_TOKEN`, which reaches everything, is not among them.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from secrets import token_urlsafe
from typing import Any

from thoughtbox import installation
from thoughtbox.errors import ConfigurationError
from thoughtbox.settings import WORKSPACE
from thoughtbox.world import World, iso

try:
    import fcntl
except ImportError:  # pragma: no cover - not on Windows, where two must not be changed at the same moment
    fcntl = None

FILE = "tokens.json"
TOKEN_BYTES = 32

NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._@-]{0,63}")
NAME_RULE = "letters, digits and . _ @ - (64 at most), and begins with a letter, digit or _"


@dataclass(frozen=True, slots=True)
class Token:
    """What is known of a token."""

    name: str
    digest: str
    workspaces: tuple[str, ...]
    created_at: str


class Tokens:
    """The tokens of one data directory."""

    def __init__(self, data_dir: Path) -> None:
        self._directory = data_dir
        self._path = data_dir / FILE
        self._seen: tuple[int, ...] | None = None
        self._read: tuple[Token, ...] = ()

    def read(self) -> tuple[Token, ...]:
        """All of them, in the order in which they were made. The file is opened again only when it has changed."""
        try:
            known = self._path.stat()
            signature = (known.st_ino, known.st_size, known.st_mtime_ns)
            if signature != self._seen:
                self._read = _parsed(self._path.read_bytes(), self._path)
                self._seen = signature
        except (FileNotFoundError, NotADirectoryError):
            self._read, self._seen = (), None
        except OSError as error:
            raise _unreadable(self._path, error.strerror or str(error)) from None
        return self._read

    def add(self, name: str, workspaces: Sequence[str], world: World) -> str:
        """Make a token and return it; it cannot be found out again."""
        if not NAME.fullmatch(name):
            raise ConfigurationError(f"`{name}` cannot be the name of a token", recovery=f"It has {NAME_RULE}.")
        made = token_urlsafe(TOKEN_BYTES)
        with self._changed() as tokens:
            if any(token.name == name for token in tokens):
                raise ConfigurationError(
                    f"there is a token `{name}` already", recovery=f"Remove it first: thoughtbox token remove {name}"
                )
            reached = tuple(dict.fromkeys(workspaces))
            tokens.append(Token(name, digest_of(made.encode()), reached, iso(world.now_ms())))
        return made

    def remove(self, name: str) -> None:
        with self._changed() as tokens:
            left = [token for token in tokens if token.name != name]
            if len(left) == len(tokens):
                raise ConfigurationError(
                    f"there is no token `{name}`",
                    recovery=f"There are {', '.join(token.name for token in tokens)}." if tokens else "There is none.",
                )
            tokens[:] = left

    @contextmanager
    def _changed(self) -> Generator[list[Token]]:
        """The tokens, to be changed and written back, while nobody else does the same."""
        self._directory.mkdir(parents=True, exist_ok=True, mode=0o700)
        descriptor = os.open(self._directory, os.O_RDONLY | os.O_CLOEXEC)
        try:
            if fcntl is not None:
                fcntl.flock(descriptor, fcntl.LOCK_EX)
            tokens = list(self.read())
            yield tokens
            self._write(tokens)
        finally:
            os.close(descriptor)

    def _write(self, tokens: list[Token]) -> None:
        """Put the new file in place of the old one, whole; only its owner may read it."""
        shown = [
            {
                "name": token.name,
                "sha256": token.digest,
                "workspaces": list(token.workspaces),
                "createdAt": token.created_at,
            }
            for token in tokens
        ]
        fresh = self._directory / f".{FILE}.{os.getpid()}.part"
        try:
            with open(fresh, "w", encoding="utf-8", opener=installation.private) as file:
                file.write(json.dumps({"tokens": shown}, indent=2) + "\n")
                file.flush()
                os.fsync(file.fileno())
            fresh.replace(self._path)
        finally:
            with suppress(FileNotFoundError):
                fresh.unlink()


def digest_of(token: bytes) -> str:
    return sha256(token).hexdigest()


def _parsed(text: bytes, path: Path) -> tuple[Token, ...]:
    try:
        return tuple(_token(one) for one in json.loads(text)["tokens"])
    except (ValueError, TypeError, KeyError, RecursionError):
        raise _unreadable(path, "it is not what `thoughtbox token` writes") from None


def _token(one: dict[str, Any]) -> Token:
    """A token as it stands in the file; raises when it is none."""
    name, digest, workspaces = one["name"], one["sha256"], one["workspaces"]
    if not NAME.fullmatch(name) or not re.fullmatch("[0-9a-f]{64}", digest) or not isinstance(workspaces, list):
        raise ValueError
    if not workspaces or not all(WORKSPACE.fullmatch(workspace) for workspace in workspaces):
        raise ValueError
    return Token(name, digest, tuple(workspaces), str(one["createdAt"]))


def _unreadable(path: Path, why: str) -> ConfigurationError:
    return ConfigurationError(
        f"{path} cannot be read: {why}",
        recovery="Put it right, or move it away and make the tokens anew with `thoughtbox token add`.",
    )
