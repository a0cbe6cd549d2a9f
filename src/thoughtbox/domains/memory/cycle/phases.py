"""The seven phases, and which one may come when: pure logic."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, get_args

Phase = Literal[
    "SNAPSHOT", "ROUTER", "CONTEXT_PACK", "DRAFT", "FINALIZE_RESPONSE", "GOVERNANCE_VALIDATE", "MEMORY_UPDATE"
]
PHASES: tuple[Phase, ...] = get_args(Phase)

Status = Literal["ok", "blocked", "waiting", "failed"]
"""What a phase came to; only `ok` moves a session on."""

CALLED: Mapping[Phase, str] = {
    "SNAPSHOT": "compliance_snapshot",
    "ROUTER": "compliance_router",
    "CONTEXT_PACK": "context_pack",
    "DRAFT": "draft",
    "FINALIZE_RESPONSE": "finalize_response",
    "GOVERNANCE_VALIDATE": "governance_validate",
    "MEMORY_UPDATE": "memory_update",
}
"""What each phase is called in the chain: by its tool, where it has one of its own."""

WITHOUT_A_TOOL: frozenset[Phase] = frozenset({"DRAFT", "MEMORY_UPDATE"})
"""Phases that only `guarded_cycle` runs."""

SKIPPED_WITH_A_DRAFT: tuple[Phase, ...] = ("CONTEXT_PACK", "DRAFT")


def next_phase(last: str | None) -> Phase | None:
    """The phase behind this one, the first one when there is none; None behind the last."""
    if last is None:
        return PHASES[0]
    place = PHASES.index(last) + 1
    return PHASES[place] if place < len(PHASES) else None


def missing(done: Sequence[str], skipped: Sequence[str], until: Phase = "FINALIZE_RESPONSE") -> list[Phase]:
    """The phases up to this one that were neither done nor skipped, in order."""
    behind = {*done, *skipped}
    return [phase for phase in PHASES[: PHASES.index(until) + 1] if phase not in behind]
