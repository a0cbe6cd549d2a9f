"""Whose checkpoints count here beside our own: public keys in a file of the data directory, one to a line."""

from __future__ import annotations

from pathlib import Path

from thoughtbox.errors import ConfigurationError, InvalidProof
from thoughtbox.ledger.signing import VerifierKey
from thoughtbox.ledger.small_files import locked, replace_text

NAME = "trusted.keys"


class TrustedKeys:
    """The file of trusted keys. A line that begins with # is a comment."""

    def __init__(self, directory: Path) -> None:
        self.path = directory / NAME

    def all(self) -> list[VerifierKey]:
        """The keys in the file; refuses one that cannot be read rather than trusting fewer than somebody meant."""
        return [self._key(line, number) for number, line in enumerate(self._lines(), 1) if _is_key(line)]

    def add(self, key: VerifierKey) -> bool:
        """Trust a key from now on; whether that is new."""
        with locked(self.path.parent):
            if key in self.all():
                return False
            replace_text(self.path, "".join(f"{line}\n" for line in [*self._lines(), str(key)]))
        return True

    def remove(self, key: VerifierKey) -> bool:
        """Trust a key no more; whether it was trusted."""
        with locked(self.path.parent):
            lines = self._lines()
            kept = [line for line in lines if line.strip() != str(key)]
            if len(kept) == len(lines):
                return False
            replace_text(self.path, "".join(f"{line}\n" for line in kept))
        return True

    def _lines(self) -> list[str]:
        try:
            return self.path.read_text(encoding="utf-8", errors="replace").splitlines()
        except FileNotFoundError:
            return []

    def _key(self, line: str, number: int) -> VerifierKey:
        try:
            return VerifierKey.parse(line.strip())
        except InvalidProof as error:
            raise ConfigurationError(
                f"line {number} of {self.path} is no public key: {error.message}",
                recovery="Remove the line; `thoughtbox checkpoint --public-key` prints a key as it is to be written.",
            ) from None


def _is_key(line: str) -> bool:
    return bool(line.strip()) and not line.lstrip().startswith("#")
