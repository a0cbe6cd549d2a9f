"""Token files: what `.claude/tokens` holds, and which of it opens the gate.

A file is what a hook can look at without the store. The ledger is the arbiter: what it calls spent or revoked is so,
whatever a file says. Nothing heavy is imported here: hooks start with it.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeGuard

from thoughtbox.domains.memory.hashing import canonical, is_signed, sign
from thoughtbox.domains.memory.project import ProjectFolder, existing_key
from thoughtbox.errors import ThoughtboxError

TokenType = Literal["operation", "session"]
TYPES: tuple[TokenType, ...] = ("operation", "session")
PREFIXES: Mapping[TokenType, str] = {"operation": "op", "session": "session"}

TOKEN_ID = re.compile(r"(op|session)-[0-9]{1,16}-[0-9a-z]{6,9}", re.ASCII)
"""An id as a whole: its type, the millisecond that made it, and chance. Nothing else becomes part of a path."""

LARGEST = 1 << 16
"""Bytes that a token file has at the most."""

VERSION = 2
COMPLIANCE_VERSION = "1.9.0"

_OLD = ("session_id", "phase", "action")
_NEW = (*_OLD, "context_hash", "invocation_chain_head", "compliance_version", "signature")


class FileToken(NamedTuple):
    """A token as its file has it; one of the first version has none of what follows `action`."""

    token_id: str
    created_at: int
    expires_at: int
    type: TokenType
    session_id: str | None = None
    phase: str | None = None
    action: str | None = None
    token_version: int = 1
    context_hash: str | None = None
    invocation_chain_head: str | None = None
    compliance_version: str | None = None
    signature: str | None = None

    def payload(self) -> dict[str, Any]:
        """What is signed: all of it but the signature, in the order of the specification."""
        return {
            "token_id": self.token_id,
            "token_version": self.token_version,
            "created_at": self.created_at,
            "expires_at": self.expires_at,
            "type": self.type,
            "session_id": self.session_id,
            "phase": self.phase,
            "action": self.action,
            "context_hash": self.context_hash,
            "invocation_chain_head": self.invocation_chain_head,
            "compliance_version": self.compliance_version,
        }

    def object(self) -> dict[str, Any]:
        """The whole, as it stands in the file."""
        return {**self.payload(), "signature": self.signature}

    def signed(self, key: bytes) -> FileToken:
        return self._replace(signature=sign(key, canonical(self.payload())))

    def is_signed_by(self, key: bytes) -> bool:
        return is_signed(key, canonical(self.payload()), self.signature)


def token_of(found: object) -> FileToken | None:
    """A token from what a file or a caller has for one; None when it is none. It never raises."""
    if not isinstance(found, dict):
        return None
    version, token_id, kind = found.get("token_version", 1), found.get("token_id"), found.get("type")
    created_at, expires_at = found.get("created_at"), found.get("expires_at")
    if not _is_whole(version) or version not in (1, VERSION) or not _is_whole(created_at) or not _is_whole(expires_at):
        return None
    if kind not in TYPES or not is_token_id(token_id) or not token_id.startswith(f"{PREFIXES[kind]}-"):
        return None
    names = _NEW if version == VERSION else _OLD
    if version == VERSION and not all(name in found for name in names):
        return None
    texts = {name: found.get(name) for name in names}
    if not all(text is None or _is_text(text) for text in texts.values()):
        return None
    return FileToken(token_id, created_at, expires_at, kind, token_version=version, **texts)


def is_token_id(value: object) -> TypeGuard[str]:
    return isinstance(value, str) and TOKEN_ID.fullmatch(value) is not None


def _is_whole(value: object) -> TypeGuard[int]:
    return type(value) is int and 0 <= value <= 2**53


def _is_text(value: object) -> bool:
    """Whether it is a text that can be signed: half of a surrogate pair cannot be written."""
    return isinstance(value, str) and not any("\ud800" <= character <= "\udfff" for character in value)


def path_of(folder: ProjectFolder, token_id: str) -> Path:
    if not is_token_id(token_id):
        raise ValueError("no id of a token")
    return folder.tokens / f"{token_id}.json"


def read_token(folder: ProjectFolder, token_id: str) -> FileToken | None:
    """The token in the file of that id; None when there is none, or nothing that could be one."""
    if not is_token_id(token_id):
        return None
    try:
        # A link is not followed, and a pipe is not waited for.
        file = os.open(path_of(folder, token_id), os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
        with os.fdopen(file, "rb") as opened:
            text = opened.read(LARGEST + 1)
        found = token_of(json.loads(text)) if len(text) <= LARGEST else None
    except (OSError, ValueError, RecursionError):
        return None
    return found if found is not None and found.token_id == token_id else None


def ids_in(folder: ProjectFolder) -> list[str]:
    """The ids of all token files, the newest first."""
    try:
        names = [path.name for path in folder.tokens.iterdir()]
    except OSError:
        return []
    ids = [name.removesuffix(".json") for name in names if name.endswith(".json")]
    return sorted(filter(is_token_id, ids), key=_age, reverse=True)


def _age(token_id: str) -> tuple[int, str]:
    return int(token_id.split("-")[1]), token_id


def live_session_token(folder: ProjectFolder, now_ms: int) -> FileToken | None:
    """The newest session token that has not expired and whose signature holds, or one of the first version."""
    key = _key(folder)
    for token_id in ids_in(folder):
        token = read_token(folder, token_id) if token_id.startswith("session-") else None
        if token is None or token.expires_at <= now_ms:
            continue
        if token.token_version == 1 or (key is not None and token.is_signed_by(key)):
            return token
    return None


def sweep(folder: ProjectFolder, now_ms: int) -> list[str]:
    """Take away the files of tokens that have expired; their ids. What is no token is left alone."""
    removed = []
    for token_id in reversed(ids_in(folder)):
        token = read_token(folder, token_id)
        if token is not None and token.expires_at <= now_ms and remove(folder, token_id):
            removed.append(token_id)
    return removed


def remove(folder: ProjectFolder, token_id: str) -> bool:
    """Take the file of a token away; whether there was one."""
    with suppress(OSError):
        path_of(folder, token_id).unlink()
        return True
    return False


def _key(folder: ProjectFolder) -> bytes | None:
    """The key, where it can be read: without one no signature holds."""
    try:
        return existing_key(folder)
    except ThoughtboxError:
        return None
