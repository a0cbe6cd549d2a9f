"""Whose signatures this installation makes, and whose it trusts.

Beside the key, the newest checkpoint of each workspace is kept in a file of its own:
whoever shortens the database does not shorten that.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from urllib.parse import quote

from thoughtbox.ledger.signing import SigningKey, VerifierKey
from thoughtbox.world import World

KEY_NAME = "thoughtbox"


class Keyring:
    """The signing key (made at first use), the trusted keys, and the newest notes."""

    def __init__(self, directory: Path | None, world: World, trusted: Sequence[VerifierKey] = ()) -> None:
        """Without a directory the key lives as long as the process."""
        self._directory = directory
        self._world = world
        self._trusted = tuple(trusted)

    @cached_property
    def signer(self) -> SigningKey:
        if self._directory is None:
            return SigningKey.generate(KEY_NAME, self._world.random_bytes(32))
        path = self._directory / "signing.key"
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            # Another process may be faster: then its key is the one.
            with suppress(FileExistsError):
                SigningKey.generate(KEY_NAME, self._world.random_bytes(32)).save(path)
        return SigningKey.load(path)

    @property
    def verifiers(self) -> list[VerifierKey]:
        """Own key, if there is one yet, then the trusted ones."""
        if self._directory is not None and not (self._directory / "signing.key").exists():
            return list(self._trusted)
        return [self.signer.verifier_key, *self._trusted]

    def remember(self, workspace: str, note: str) -> None:
        """Keep the newest note of a workspace outside the store."""
        path = self._note_path(workspace)
        if path is None:
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        fresh = path.with_suffix(".new")
        fresh.write_text(note, encoding="utf-8")
        fresh.replace(path)

    def recall(self, workspace: str) -> list[str]:
        """The note kept outside the store, if there is one."""
        path = self._note_path(workspace)
        return [path.read_text(encoding="utf-8")] if path is not None and path.exists() else []

    def _note_path(self, workspace: str) -> Path | None:
        return self._directory / "checkpoints" / f"{quote(workspace, safe='')}.note" if self._directory else None
