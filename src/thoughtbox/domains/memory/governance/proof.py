"""What a validated session is given: a receipt, and a token that opens the gates."""

from __future__ import annotations

from typing import Any, NamedTuple

from thoughtbox.domains.memory.governance.receipts import issue, shown
from thoughtbox.domains.memory.governance.validation import Validation
from thoughtbox.domains.memory.tokens.minting import mint
from thoughtbox.domains.memory.view.sessions import Session
from thoughtbox.operations import Tx

GATE = "reason"
"""The gate that a guarded cycle passes."""


class Proof(NamedTuple):
    """A receipt and a token, as they are handed out."""

    receipt: dict[str, Any]
    token: dict[str, Any] | None
    """None for a session without a guarded cycle: that some tools were called opens no gate."""


def proven(tx: Tx, session: Session, validation: Validation, receipt_type: str) -> Proof:
    """Certify a session that was found valid."""
    receipt = issue(tx, session, validation, receipt_type)
    if not session.done:
        return Proof(shown(receipt), None)
    token = mint(
        tx,
        type="session",
        session=str(session.session_id),
        phase=GATE,
        action=receipt_type,
        context_hash=session.last_context_hash,
        chain_head=validation.chain_head,
        memory_session=session.session_id,
    )
    return Proof(shown(receipt), token)
