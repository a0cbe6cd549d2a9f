"""Signed notes and public keys, as they come from files and from the command line."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from pathlib import Path

from thoughtbox.doors.cli.output import UsageError, count
from thoughtbox.errors import InvalidProof
from thoughtbox.ledger.checkpoints import origin
from thoughtbox.ledger.signing import Checkpoint, VerifierKey
from thoughtbox.ledger.verdict import Signatory

# Several notes may follow each other with an empty line between them, as in a git note that was appended to.
_NOTE = re.compile(r"(?:[^\n]+\n){3}\n(?:— [^\n]+\n)+")


def notes_in(name: str) -> list[str]:
    """The signed checkpoints in a file; `-` is standard input."""
    try:
        text = sys.stdin.read() if name == "-" else Path(name).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{name} cannot be read: {getattr(error, 'strerror', None) or 'it is not text'}") from None
    return notes_of(f"{text}\n", name)


def notes_of(text: str, where: str) -> list[str]:
    found = _NOTE.findall(text)
    if not found or _NOTE.sub("", text).strip():
        raise UsageError(f"{where} holds something that is no signed checkpoint, or nothing at all")
    return found


def workspace_of(note: str) -> str:
    """Which workspace a checkpoint speaks of. Whether it can be believed is another question."""
    try:
        said = Checkpoint.parse(note).origin
    except InvalidProof as error:
        raise UsageError(f"a checkpoint cannot be read: {error.message}") from None
    workspace = said.removeprefix(origin(""))
    if origin(workspace) != said:
        raise UsageError(f"a checkpoint speaks of `{said}`, which is no workspace of Thoughtbox")
    return workspace


def keys_of(texts: Iterable[str]) -> list[VerifierKey]:
    try:
        return [VerifierKey.parse(text) for text in texts]
    except InvalidProof as error:
        raise UsageError(f"--key is not a public key: {error.message}") from None


def stranger_in_words(stranger: Signatory) -> tuple[str, str]:
    """Who signed that is not trusted here, and what to type once that is decided."""
    said = f"signed by a key that is not trusted here: {stranger.signer} ({count(stranger.checkpoints, 'checkpoint')})"
    theirs = "`thoughtbox checkpoint --public-key`, where it was signed, prints"
    if stranger.public_key is None:
        return said, f"{theirs} the key; to trust it, type here: thoughtbox trust KEY"
    return said, f"{theirs} the same key, if it is theirs; to trust it: thoughtbox trust {stranger.public_key}"
