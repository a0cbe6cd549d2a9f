"""Stages: what a caller has to do before an operation is open to it.

The stage belongs to the session. A connection that works on a session has come there by itself, step by
step, and its own stage counts for it; whoever names a session gets the stage that the session has reached.
"""

from __future__ import annotations

import json

from thoughtbox.domains.thoughts.scope import existing
from thoughtbox.domains.thoughts.view.thoughts import Thoughts
from thoughtbox.errors import StageRequirementNotMet
from thoughtbox.ledger.view import NOW
from thoughtbox.operations import Input, Operation, Tx

ENTRY, INIT_COMPLETE, CIPHER_LOADED, DOMAIN_ACTIVE = range(4)

NAMES = ("entry", "init_complete", "cipher_loaded", "domain_active")


def guard(tx: Tx, operation: Operation, arguments: Input) -> str | None:
    """Refuse an operation whose stage has not been reached, or, where stages only guide, have a hint."""
    if operation.stage == ENTRY:
        return None
    named = getattr(arguments, "session_id", None)
    stage = stage_of(tx, named)
    if tx.as_of != NOW and named is not None:
        stage = max(stage, _reached_since(tx, named))
    if stage >= operation.stage:
        return None
    refusal = _refusal(operation, stage, named or tx.focus.session_id)
    if tx.rules.enforces_stages:
        raise refusal
    return f"{refusal.message}. {refusal.recovery}"


def stage_of(tx: Tx, named: str | None) -> int:
    """The stage of the session that a call names, or of the caller's own."""
    if named is None or named == tx.focus.session_id:
        return tx.focus.stage
    return existing(tx, named).stage


def _reached_since(tx: Tx, named: str) -> int:
    """Whoever looks at an earlier time knows what has been loaded since."""
    later = Thoughts(tx.sql, tx.workspace).session(existing(tx, named).id)
    return later.stage if later is not None else 0


def unlocking(stage: int, session_id: str | None) -> dict[str, str]:
    """The call that takes a caller one stage further."""
    if stage == ENTRY:
        return {"operation": "start_new", "sessionTitle": "…"}
    named = {"sessionId": session_id} if session_id else {}
    return {"operation": "cipher" if stage == INIT_COMPLETE else "navigate", **named}


def _refusal(operation: Operation, stage: int, session_id: str | None) -> StageRequirementNotMet:
    call = unlocking(stage, session_id)
    then = " After that, cipher." if stage == ENTRY and operation.stage > INIT_COMPLETE else ""
    also = (
        ' To go on with an earlier session: {"operation": "load_context", "sessionId": "…"}.' if stage == ENTRY else ""
    )
    return StageRequirementNotMet(
        f"`{operation.name}` needs stage {operation.stage} ({NAMES[operation.stage]});"
        f" this is stage {stage} ({NAMES[stage]})",
        recovery=f"Send {json.dumps(call, ensure_ascii=False)}.{then}{also}",
        details={"currentStage": stage, "requiredStage": operation.stage, "next": call},
    )
