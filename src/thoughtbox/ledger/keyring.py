"""Whose signatures this installation makes, and whose it trusts.

Beside the key, the newest checkpoint of each workspace is kept in a file of its own:
whoever shortens the database does not shorten that.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote

from thoughtbox.errors import InvalidProof
from thoughtbox.world import World

if TYPE_CHECKING:
    from thoughtbox.ledger.signing import SigningKey, VerifierKey

KEY_NAME = "thoughtbox"


class Keyring:
    """The signing key (made at first use), the trusted keys, and the newest notes.

    Most calls carry one and need nothing of it: how to sign is imported by those who do.
    """

    def __init__(
        self, directory: Path | None, world: World, trusted: Sequence[VerifierKey] = (), *, notes: str = "checkpoints"
    ) -> None:
        """Without a directory the key lives as long as the process. `notes` names the folder in it for the notes.

        Trusted are the keys given, and those in the directory's own file.
        """
        self._directory = directory
        self._notes = directory / notes if directory else None
        self._world = world
        self._trusted = tuple(trusted)

    @cached_property
    def signer(self) -> SigningKey:
        from thoughtbox.ledger.signing import SigningKey

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
        from thoughtbox.ledger.trust import TrustedKeys

        if self._directory is None:
            return [self.signer.verifier_key, *self._trusted]
        return list(dict.fromkeys([*self._own(self._directory), *self._trusted, *TrustedKeys(self._directory).all()]))

    def _own(self, directory: Path) -> list[VerifierKey]:
        if not (directory / "signing.key").exists():
            return []
        # Whoever may read the store may not always read its key: to them, it is a key like any other.
        with suppress(PermissionError):
            return [self.signer.verifier_key]
        return []

    def remember(self, workspace: str, note: str) -> None:
        """Keep the newest note of a workspace outside the store; of several who remember at once, the newest stays."""
        from thoughtbox.ledger.small_files import locked, replace_text

        path = self._note_path(workspace)
        if path is None:
            return
        with locked(path.parent):
            if all(_size(kept) <= _size(note) for kept in self.recall(workspace)):
                replace_text(path, note)

    def recall(self, workspace: str) -> list[str]:
        """The note kept outside the store, if there is one."""
        path = self._note_path(workspace)
        if path is None or not path.exists():
            return []
        # Bytes that are no text make no note: whoever looks at the signature finds out.
        return [path.read_text(encoding="utf-8", errors="replace")]

    def workspaces(self) -> list[str]:
        """The workspaces of which a note is kept: they were there once, whatever the store says now."""
        return [unquote(path.stem) for path in self._notes.glob("*.note")] if self._notes else []

    def _note_path(self, workspace: str) -> Path | None:
        return self._notes / f"{quote(workspace, safe='')}.note" if self._notes else None


def _size(note: str) -> int:
    """How many records a note speaks of; none when it cannot be read."""
    from thoughtbox.ledger.signing import Checkpoint

    try:
        return Checkpoint.parse(note).size
    except InvalidProof:
        return 0
