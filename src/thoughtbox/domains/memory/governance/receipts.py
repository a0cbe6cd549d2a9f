"""Receipts: what a session was certified to be, signed with the project's key."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from thoughtbox.domains.memory.folder import project_of
from thoughtbox.domains.memory.governance.records import write_receipt
from thoughtbox.domains.memory.governance.validation import Validation
from thoughtbox.domains.memory.hashing import canonical, digest, is_signed, sign
from thoughtbox.domains.memory.project import existing_key, signing_key
from thoughtbox.domains.memory.tokens.files import COMPLIANCE_VERSION
from thoughtbox.domains.memory.view.sessions import Receipt, Session, Sessions, receipt_from
from thoughtbox.errors import ThoughtboxError
from thoughtbox.operations import Tx
from thoughtbox.world import iso

LARGEST_ID = 2**62


class Verification(NamedTuple):
    """What a receipt is worth."""

    valid: bool
    signature_valid: bool
    hash_valid: bool
    payload: dict[str, Any] | None
    recorded: bool
    """Whether the ledger has it."""
    reason: str | None = None


def issue(tx: Tx, session: Session, validation: Validation, receipt_type: str) -> Receipt:
    """Certify what was validated, and keep that."""
    payload = {
        "session_id": session.session_id,
        "scope": session.scope_mode,
        "now": iso(tx.now_ms),
        "context_hash": session.last_context_hash,
        "invocation_chain_head": validation.chain_head,
        "compliance_version": COMPLIANCE_VERSION,
        "validated": {
            "chain_count": validation.chain_count,
            "ledger_head": validation.ledger_head,
            "snapshot_hash": session.snapshot_hash,
            "integrity": session.integrity,
            "phases_done": session.done,
            "phases_skipped": session.skipped,
            "warnings": validation.warnings,
        },
    }
    text = canonical(payload)
    data = {
        "receiptType": receipt_type,
        "payload": text,
        "payloadHash": digest(payload),
        "signature": sign(signing_key(project_of(tx), tx.random_bytes), text),
        "publicMeta": canonical({"algorithm": "HMAC-SHA256", "compliance_version": COMPLIANCE_VERSION}),
    }
    return receipt_from(write_receipt(tx, session.session_id, data))


def shown(receipt: Receipt) -> dict[str, Any]:
    """A receipt as it is handed out: all that its verification needs."""
    return {
        "id": receipt.id,
        "session_id": receipt.session_id,
        "ts": receipt.ts,
        "receipt_type": receipt.receipt_type,
        "payload": json.loads(receipt.payload_json),
        "payload_hash": receipt.payload_hash,
        "signature": receipt.signature,
        "public_meta": json.loads(receipt.public_meta_json),
    }


def verify(tx: Tx, *, receipt_id: Any = None, receipt: Any = None) -> Verification:
    """Verify a receipt that the ledger has, or one as it was handed out; whatever else is sent is not valid."""
    if receipt is None:
        kept = _kept(tx, receipt_id)
        if kept is None:
            return _invalid("there is no receipt of that id in this workspace")
        receipt = shown(kept)
    try:
        payload = _payload(receipt)
        text = canonical(payload)
    except (ValueError, TypeError, RecursionError):
        return _invalid("it has no `payload` that a receipt could have")
    if payload is None:
        return _invalid("it has no `payload`, which is what was signed")
    hash_valid = digest(payload) == receipt.get("payload_hash")
    key, why = _key(tx)
    signature_valid = key is not None and is_signed(key, text, receipt.get("signature"))
    recorded = hash_valid and tx.ask(Sessions).receipt_of(receipt["payload_hash"]) is not None
    reason = why
    if key is not None and not signature_valid:
        reason = "the signature is not this project's for this payload"
    elif not hash_valid:
        reason = "the hash is not that of the payload"
    valid = signature_valid and hash_valid
    return Verification(valid, signature_valid, hash_valid, payload, recorded, None if valid else reason)


def _payload(receipt: Any) -> dict[str, Any] | None:
    """What a receipt says: its payload, or the text of it, as the specification's table has it."""
    if not isinstance(receipt, dict):
        return None
    found = receipt.get("payload")
    if found is None and isinstance(text := receipt.get("payload_json"), str):
        found = json.loads(text)
    return found if isinstance(found, dict) else None


def _kept(tx: Tx, receipt_id: Any) -> Receipt | None:
    is_number = isinstance(receipt_id, int) and not isinstance(receipt_id, bool)
    return tx.ask(Sessions).receipt(receipt_id) if is_number and 0 < receipt_id < LARGEST_ID else None


def _key(tx: Tx) -> tuple[bytes | None, str | None]:
    """The project's key, or why there is none to verify with."""
    try:
        key = existing_key(project_of(tx))
    except ThoughtboxError as error:
        return None, error.message
    return key, None if key is not None else "this project has no signing key"


def _invalid(reason: str) -> Verification:
    return Verification(False, False, False, None, False, reason)
