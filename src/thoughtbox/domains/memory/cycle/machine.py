"""The guarded cycle: the one place where a phase is run, whichever tool asks for it.

A phase runs only if it is the session's next one. What it came to goes into the session's chain; only what is `ok`
moves the session on. Whoever asks for another phase is refused, and that is recorded.
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from thoughtbox.domains.memory.cycle.given import Given
from thoughtbox.domains.memory.cycle.phases import CALLED, Phase, Status, next_phase
from thoughtbox.domains.memory.cycle.running import RUNS
from thoughtbox.domains.memory.cycle.steps import Ahead, ahead
from thoughtbox.domains.memory.governance.policy import violated
from thoughtbox.domains.memory.governance.recording import record_invocation
from thoughtbox.domains.memory.governance.records import write_phase
from thoughtbox.domains.memory.governance.rules import PHASE_ORDER
from thoughtbox.domains.memory.governance.sessions import found
from thoughtbox.domains.memory.hashing import digest
from thoughtbox.domains.memory.view.sessions import Session
from thoughtbox.errors import CycleComplete, PhaseViolation, ValidationFailed
from thoughtbox.operations import Tx


class Ran(NamedTuple):
    """What a phase came to, and what comes next."""

    session: Session
    phase: Phase
    status: Status
    output: dict[str, Any]
    ahead: Ahead


def run_phase(tx: Tx, session_id: int, phase: Phase, given: Given) -> Ran:
    """Run a phase of a session, if it is the next one."""
    tx.hold()
    session = found(tx, session_id)
    must_be_next(session, phase)
    given_hash = _hashed(given)
    turn = RUNS[phase](tx, session, given)
    if turn.status == "ok":
        write_phase(tx, session_id, phase, turn.changes)
    record_invocation(
        tx, session_id, CALLED[phase], given_hash, digest(turn.output), None, {"phase": phase, "status": turn.status}
    )
    after = found(tx, session_id)
    return Ran(after, phase, turn.status, turn.output, ahead(after))


def _hashed(given: Given) -> str:
    try:
        return given.hash
    except (TypeError, ValueError, RecursionError) as error:
        raise ValidationFailed(f"`context` cannot be hashed: {error}", details={"fields": ["context"]}) from None


def must_be_next(session: Session, phase: Phase) -> None:
    """Refuse any phase but the next one, and have that recorded."""
    wanted = None if session.closed_at is not None else next_phase(session.last_phase)
    if wanted is None:
        raise CycleComplete(
            f"memory session {session.session_id} is over: all its phases are done, or it was closed",
            recovery='{"operation": "compliance_snapshot"} begins the next one.',
            details={"session_id": session.session_id},
        )
    if phase == wanted:
        return
    said = f"{phase} was asked for in session {session.session_id}, and {wanted} was next"

    def leaves(tx: Tx) -> None:
        violated(tx, found(tx, session.session_id), PHASE_ORDER, said)

    coming = ahead(session)
    raise PhaseViolation(
        f"{phase} is not the next phase of memory session {session.session_id}: {wanted} is",
        leaves=leaves,
        recovery=f"Send {json.dumps(coming.call)}." if coming.call else coming.step,
        details={"session_id": session.session_id, "asked": phase, "next_phase": wanted},
    )
