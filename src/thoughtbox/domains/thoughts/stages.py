"""Stages: what a caller has to do before an operation is open to it.

They are for callers who are remembered: a connection comes to a stage by itself, step by step. Whoever names another
session than its own gets the stage that the session has reached. Those of whom nothing is remembered have no stage,
and nothing is refused for it.
"""

from __future__ import annotations

import json

from thoughtbox.domains.thoughts.scope import existing, latest_session, own_session
from thoughtbox.domains.thoughts.standing import INIT_COMPLETE, standing
from thoughtbox.domains.thoughts.view.thoughts import Thoughts
from thoughtbox.errors import StageRequirementNotMet
from thoughtbox.ledger.view import NOW
from thoughtbox.operations import Guard, Input, KnownOperation, Operation, Tx

RESUME = {"operation": "session.resume_latest"}
"""The call that goes on with the latest session, from any stage, and opens thinking."""

ENTRY, CIPHER_LOADED, DOMAIN_ACTIVE = 0, 2, 3
LONGEST_ECHOED = 100
"""Characters of a question that is sent back in a refusal."""
NAMES = ("entry", "init_complete", "cipher_loaded", "domain_active")


_SAID = {f"needs stage {stage}": stage for stage in range(len(NAMES))}
"""What guards say, and which stage that is."""


def at(stage: int) -> Guard:
    """The guard of an operation that belongs to a stage: lets a call pass whose caller has come this far."""
    return Guard(
        check=lambda tx, operation, arguments: refuse_or_hint(tx, operation, arguments, stage),
        says=next(said for said, meant in _SAID.items() if meant == stage),
        errors=(StageRequirementNotMet,),
    )


def stage_needed(operation: Operation | KnownOperation) -> int:
    return _SAID.get(operation.needs or "", ENTRY)


def refuse_or_hint(tx: Tx, operation: Operation | KnownOperation, arguments: Input, needed: int) -> str | None:
    """Refuse an operation whose stage has not been reached, or, where stages only guide, have a hint."""
    if not tx.focus.lasts:
        return None
    named = getattr(arguments, "session_id", None)
    stage = stage_of(tx, named)
    if tx.as_of != NOW and named is not None:
        stage = max(stage, _reached_since(tx, named))
    if stage >= needed:
        return None
    session_id = named or standing(tx).session_id
    refusal = _refusal(tx, operation, stage, needed, session_id, _open_instead(operation, arguments))
    if tx.settings.get("stages", "enforce") == "enforce":
        if session_id is not None:
            existing(tx, session_id)  # one that somebody else has deleted leads no further
        raise refusal
    return f"{refusal.message}. {refusal.recovery}"


def stage_of(tx: Tx, named: str | None) -> int:
    """The stage of the session that a call names, or the caller's own: whoever names a session is where that is."""
    own = own_session(tx)
    if tx.focus.lasts and named is None:
        return standing(tx).stage
    session_id = named or own
    reached = existing(tx, session_id).stage if session_id is not None else ENTRY
    return max(reached, standing(tx).stage) if tx.focus.lasts and named == own else reached


def _reached_since(tx: Tx, named: str) -> int:
    """Whoever looks at an earlier time knows what has been loaded since."""
    later = Thoughts(tx.sql, tx.workspace).session(existing(tx, named).id)
    return later.stage if later is not None else 0


def unlocking(stage: int, session_id: str | None) -> dict[str, str]:
    """The call that takes a caller one stage further; it can be sent as it stands."""
    if stage == ENTRY:
        return {"operation": "start_new"}
    named = {"sessionId": session_id} if session_id else {}
    return {"operation": "cipher" if stage == INIT_COMPLETE else "navigate", **named}


def _open_instead(operation: Operation | KnownOperation, arguments: Input) -> str:
    """What whoever only wants to look something up can do at any stage."""
    if operation.writes:
        return ""
    words = getattr(arguments, "query", None) or getattr(arguments, "search", None)
    call = {"operation": "list_sessions", **({"search": words} if words and len(words) <= LONGEST_ECHOED else {})}
    return f" Open at any stage: {json.dumps(call, ensure_ascii=False)}, session.brief, get_thought, describe."


def _refusal(
    tx: Tx, operation: Operation | KnownOperation, stage: int, needed: int, session_id: str | None, instead: str
) -> StageRequirementNotMet:
    call = unlocking(stage, session_id)
    then = " After that, cipher." if stage == ENTRY and needed > INIT_COMPLETE else ""
    latest = latest_session(tx) if stage == ENTRY else None
    also = f" To go on with the latest session instead: {json.dumps(RESUME)}." if latest is not None else ""
    return StageRequirementNotMet(
        f"`{operation.name}` needs stage {needed} ({NAMES[needed]}); this is stage {stage} ({NAMES[stage]})",
        recovery=f"Send {json.dumps(call, ensure_ascii=False)}.{then}{also}{instead}",
        details={"currentStage": stage, "requiredStage": needed, "next": call},
    )
