"""What comes next in a session: the phase, the call if it can be told whole, and a sentence."""

from __future__ import annotations

from typing import Any, NamedTuple

from thoughtbox.domains.memory.cycle.phases import Phase, next_phase
from thoughtbox.domains.memory.view.sessions import Session

AGAIN = {"operation": "compliance_snapshot"}


class Ahead(NamedTuple):
    """What comes next."""

    phase: Phase | None
    call: dict[str, Any] | None
    """A call that succeeds as it stands; None when only the caller knows what belongs into it."""
    step: str


def ahead(session: Session) -> Ahead:
    """What a session needs next."""
    id, phase = session.session_id, next_phase(session.last_phase)
    if session.closed_at is not None or phase is None:
        return Ahead(None, dict(AGAIN), "This session is over: compliance_snapshot begins the next one.")
    if phase == "SNAPSHOT":
        call = {"operation": "compliance_snapshot", "session_id": id}
        return Ahead(phase, call, "compliance_snapshot begins the cycle of this session.")
    if phase == "ROUTER":
        step = "compliance_router with session_id, snapshot_hash and the user's words as user_input (or a draft)."
        return Ahead(phase, None, step)
    if phase == "CONTEXT_PACK":
        return Ahead(
            phase, {"operation": "memory.context_pack", "session_id": id}, "context_pack brings what is known."
        )
    if phase == "DRAFT":
        return Ahead(phase, None, "Write the answer; send it with guarded_cycle, phase DRAFT, as input.draft.")
    if phase == "FINALIZE_RESPONSE":
        call = {"operation": "guarded_cycle", "session_id": id, "phase": phase}
        return Ahead(phase, call, "finalize_response looks at the draft, and labels it.")
    if phase == "GOVERNANCE_VALIDATE" and session.integrity == "BLOCKED":
        return Ahead(
            phase,
            dict(AGAIN),
            "The response is BLOCKED and will not validate: begin again, with a draft that keeps to the policy.",
        )
    if phase == "GOVERNANCE_VALIDATE":
        call = {"operation": "governance_validate", "session_id": id}
        return Ahead(phase, call, "governance_validate proves the session, and gives a receipt and a token.")
    call = {"operation": "guarded_cycle", "session_id": id, "phase": phase}
    return Ahead(phase, call, "guarded_cycle with phase MEMORY_UPDATE keeps what came of it.")
