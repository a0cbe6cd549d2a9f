"""How a token is made, looked at, spent and revoked. The ledger says what it is; its file is for the host."""

from __future__ import annotations

import json
from typing import Any, Literal, NamedTuple

from thoughtbox.domains.memory.configuration import token_ttl
from thoughtbox.domains.memory.folder import project_of
from thoughtbox.domains.memory.hashing import digest
from thoughtbox.domains.memory.project import ProjectFolder, existing_key, signing_key, write_object
from thoughtbox.domains.memory.tokens.files import (
    COMPLIANCE_VERSION,
    PREFIXES,
    VERSION,
    FileToken,
    TokenType,
    ids_in,
    is_token_id,
    path_of,
    read_token,
    remove,
    token_of,
)
from thoughtbox.domains.memory.tokens.records import write_token
from thoughtbox.domains.memory.view.tokens import TokenRow, Tokens
from thoughtbox.errors import ThoughtboxError
from thoughtbox.operations import Tx

Status = Literal["valid", "invalid", "expired", "spent"]

_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
_CHANCE = 9
"""Digits of an id that nobody can guess."""


class Verified(NamedTuple):
    """What a token is worth."""

    status: Status
    reason: str
    """Why it is not valid, in words; empty when it is."""
    token: FileToken | None = None
    """The token as the ledger has it, or, of the first version, as its file does."""

    @property
    def is_valid(self) -> bool:
        return self.status == "valid"


def mint(
    tx: Tx,
    *,
    type: TokenType,
    session: str | None = None,
    phase: str | None = None,
    action: str | None = None,
    context_hash: str | None = None,
    chain_head: str | None = None,
    memory_session: int | None = None,
) -> dict[str, Any]:
    """Make a token that lives as long as the active preset says: as a record, and last as a file."""
    folder = project_of(tx)
    now = tx.now_ms
    token = FileToken(
        token_id=f"{PREFIXES[type]}-{now}-{_chance(tx)}",
        created_at=now,
        expires_at=now + getattr(token_ttl(folder), type),
        type=type,
        session_id=session,
        phase=phase,
        action=action,
        token_version=VERSION,
        context_hash=context_hash,
        invocation_chain_head=chain_head,
        compliance_version=COMPLIANCE_VERSION,
    ).signed(signing_key(folder, tx.random_bytes))
    write_token(tx, "minted", **_named(token, memory_session), token=token.object())
    write_object(path_of(folder, token.token_id), token.object(), mode=0o600)
    return token.object()


def verify(tx: Tx, token: object) -> Verified:
    """What a token, or an id of one, is worth now. Whatever is sent for one, this does not raise."""
    try:
        folder = project_of(tx)
    except ThoughtboxError as error:
        return Verified("invalid", error.message)
    shown = token if isinstance(token, str) else token_of(token)
    if shown is None or (isinstance(shown, str) and not is_token_id(shown)):
        return Verified("invalid", "it has not the form of a token")
    token_id = shown if isinstance(shown, str) else shown.token_id
    row = tx.ask(Tokens).token(token_id)
    if row is not None and row.payload_json:
        return _of_the_ledger(tx, folder, row, None if isinstance(shown, str) else shown)
    if row is not None:
        return Verified("spent" if row.status == "spent" else "invalid", f"it is {row.status}")
    return _of_the_first_version(tx, read_token(folder, token_id), None if isinstance(shown, str) else shown)


def spend(tx: Tx, token_id: object) -> Verified:
    """Spend an operation token: of all who try, in any process, one is told that it was valid."""
    tx.hold()
    found = verify(tx, token_id)
    token = found.token
    if not found.is_valid or token is None:
        return found
    if token.type != "operation":
        return Verified("invalid", "it is a session token, and only operation tokens are spent", token)
    row = tx.ask(Tokens).token(token.token_id)
    write_token(tx, "spent", **_named(token, row.session_id if row else None))
    remove(project_of(tx), token.token_id)
    return found


def revoke(tx: Tx, *, session: str | None) -> list[str]:
    """Make every live token of a workflow session worthless, or, without one, every live token there is; their ids."""
    tx.hold()
    folder, now = project_of(tx), tx.now_ms
    revoked = [row.token_id for row in tx.ask(Tokens).live(now, session=session, limit=100_000)]
    for token_id in revoked:
        row = tx.ask(Tokens).token(token_id)
        assert row is not None
        write_token(
            tx,
            "revoked",
            token_id=token_id,
            token_type=row.token_type,
            expires_at=row.expires_at,
            session=row.workflow_session,
            memory_session=row.session_id,
        )
    for token_id in _of_files_alone(tx, folder, now, session):
        token = read_token(folder, token_id)
        assert token is not None
        write_token(tx, "revoked", **_named(token, None))
        revoked.append(token_id)
    for token_id in revoked:
        remove(folder, token_id)
    return revoked


def _of_files_alone(tx: Tx, folder: ProjectFolder, now_ms: int, session: str | None) -> list[str]:
    """Live tokens of the first version, which the ledger does not know."""
    found = []
    for token_id in ids_in(folder):
        token = read_token(folder, token_id)
        if token is None or token.token_version != 1 or token.expires_at <= now_ms:
            continue
        if session in (None, token.session_id) and tx.ask(Tokens).token(token_id) is None:
            found.append(token_id)
    return found


def _of_the_ledger(tx: Tx, folder: ProjectFolder, row: TokenRow, shown: FileToken | None) -> Verified:
    """What a token is worth that was minted here: its record says so, its signature must hold, and then its file's."""
    try:
        payload = json.loads(row.payload_json)
        token = token_of({**payload, "signature": row.signature})
        key = existing_key(folder)
    except (ThoughtboxError, ValueError, RecursionError, TypeError):
        return Verified("invalid", "it cannot be checked: the project's key or the token's record cannot be read")
    if key is None or token is None:
        return Verified("invalid", "it cannot be checked: the project has no signing key")
    if not token.is_signed_by(key) or digest(payload) != row.payload_hash:
        return Verified("invalid", "its signature does not hold")
    if shown is not None and (not shown.is_signed_by(key) or shown.payload() != token.payload()):
        return Verified("invalid", "it is not what was minted: its signature does not hold", token)
    if row.status != "live":
        return Verified("spent" if row.status == "spent" else "invalid", f"it is {row.status}", token)
    return _in_time(tx, token)


def _of_the_first_version(tx: Tx, token: FileToken | None, shown: FileToken | None) -> Verified:
    """What a token is worth that only a file has: of the second version nothing, since the ledger would know it."""
    if token is None:
        return Verified("invalid", "there is no such token")
    if token.token_version != 1:
        return Verified("invalid", "it was not minted here: the ledger has no record of it", token)
    if shown is not None and shown != token:
        return Verified("invalid", "it is not what its file says", token)
    return _in_time(tx, token)


def _in_time(tx: Tx, token: FileToken) -> Verified:
    if token.expires_at <= tx.now_ms:
        return Verified("expired", "it has expired", token)
    return Verified("valid", "", token)


def _named(token: FileToken, memory_session: int | None) -> dict[str, Any]:
    return {
        "token_id": token.token_id,
        "token_type": token.type,
        "expires_at": token.expires_at,
        "session": token.session_id,
        "memory_session": memory_session,
    }


def _chance(tx: Tx) -> str:
    number = int.from_bytes(tx.random_bytes(16))
    digits = ""
    for _ in range(_CHANCE):
        number, digit = divmod(number, len(_DIGITS))
        digits += _DIGITS[digit]
    return digits
