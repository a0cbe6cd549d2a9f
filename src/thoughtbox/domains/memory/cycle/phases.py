"""The seven phases, and which one may come when: pure logic."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple, get_args

Phase = Literal[
    "SNAPSHOT", "ROUTER", "CONTEXT_PACK", "DRAFT", "FINALIZE_RESPONSE", "GOVERNANCE_VALIDATE", "MEMORY_UPDATE"
]
PHASES: tuple[Phase, ...] = get_args(Phase)

Status = Literal["ok", "blocked", "waiting", "failed"]
"""What a phase came to; only `ok` moves a session on."""

SKIPPED_WITH_A_DRAFT: tuple[Phase, ...] = ("CONTEXT_PACK", "DRAFT")


class State(NamedTuple):
    """How far a session has come."""

    last: Phase | None = None
    """The phase that is behind it: done, or skipped."""
    done: tuple[Phase, ...] = ()
    skipped: tuple[Phase, ...] = ()


def next_phase(last: str | None) -> Phase | None:
    """The phase behind this one, the first one when there is none; None behind the last."""
    if last is None:
        return PHASES[0]
    place = PHASES.index(last) + 1
    return PHASES[place] if place < len(PHASES) else None


def moved(state: State, phase: Phase, status: Status, skips: Sequence[Phase] = ()) -> State:
    """Where a session stands once its next phase has come to this; any other phase is no move at all."""
    if status != "ok" or phase != next_phase(state.last):
        return state
    return State(skips[-1] if skips else phase, (*state.done, phase), (*state.skipped, *skips))


def missing(done: Sequence[str], skipped: Sequence[str], until: Phase = "FINALIZE_RESPONSE") -> list[Phase]:
    """The phases up to this one that were neither done nor skipped, in order."""
    behind = {*done, *skipped}
    return [phase for phase in PHASES[: PHASES.index(until) + 1] if phase not in behind]
