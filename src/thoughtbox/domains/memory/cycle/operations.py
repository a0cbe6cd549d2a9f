"""The verbs of the guarded cycle: five that run a phase of their own, and one that runs any."""

from __future__ import annotations

from typing import Any

from thoughtbox.domains.memory.cycle.given import Given
from thoughtbox.domains.memory.cycle.machine import Ran, run_phase
from thoughtbox.domains.memory.cycle.models import (
    ContextPacked,
    FinalizeResponse,
    GovernanceValidated,
    PackContext,
    PhaseRan,
    ResponseFinalized,
    Route,
    Routed,
    RunPhase,
    SnapshotTaken,
    TakeSnapshot,
    ValidateGovernance,
)
from thoughtbox.domains.memory.governance.sessions import begin
from thoughtbox.domains.memory.room import TOOLS, room
from thoughtbox.errors import (
    ConfigInvalid,
    ConfigurationError,
    CycleComplete,
    PhaseViolation,
    ProjectUnavailable,
    SessionNotFound,
)
from thoughtbox.operations import Example, Tx

WHOLE = 8_000_000
"""Answers that are given whole: what is cut is no longer what was hashed."""

_REFUSALS = (SessionNotFound, PhaseViolation, CycleComplete, ProjectUnavailable, ConfigInvalid, ConfigurationError)

_SNAPSHOT = ("compliance_snapshot", {"context": "Why are builds slow?", "context_keys": ["build"]})
_SNAPSHOT_HASH = "8eb7c723b319044c3a4b57d288cbafd7429c591f849cf403b3a6cd05db8783c8"
_ROUTE = ("guarded_cycle", {"session_id": 1, "phase": "ROUTER", "input": {"user_input": "Why are builds slow?"}})
_PACK = ("memory.context_pack", {"session_id": 1})
_DRAFT = (
    "guarded_cycle",
    {"session_id": 1, "phase": "DRAFT", "input": {"draft": "The cache is cold after every merge."}},
)
_FINALIZE = ("finalize_response", {"session_id": 1, "draft": "The cache is cold after every merge."})


@room.operation(
    "compliance_snapshot",
    writes=True,
    title="Begin a guarded cycle",
    toolsets=TOOLS,
    errors=_REFUSALS,
    example=Example(_SNAPSHOT[1]),
)
def compliance_snapshot(tx: Tx, call: TakeSnapshot) -> SnapshotTaken:
    """Begin a guarded cycle (SNAPSHOT): scope, policies, context under one hash, in a new session if none is named."""
    session_id = call.session_id if call.session_id is not None else begin(tx, call.scope or "project").session_id
    ran = run_phase(
        tx, session_id, "SNAPSHOT", Given(scope=call.scope, context=call.context, context_keys=_keys(call.context_keys))
    )
    names = ("snapshot_hash", "scope_mode", "flags", "context_keys")
    return SnapshotTaken(**_told(ran), **{name: ran.output[name] for name in names})


@room.operation(
    "compliance_router",
    writes=True,
    title="Route a guarded cycle",
    toolsets=TOOLS,
    errors=_REFUSALS,
    example=Example(
        {"session_id": 1, "snapshot_hash": _SNAPSHOT_HASH, "user_input": "Why are builds slow?"}, given=[_SNAPSHOT]
    ),
)
def compliance_router(tx: Tx, call: Route) -> Routed:
    """Say where the cycle goes (ROUTER): to the context pack, or, with a draft, straight to finalize_response."""
    given = Given(call.scope, snapshot_hash=call.snapshot_hash, user_input=call.user_input, draft=call.draft)
    ran = run_phase(tx, call.session_id, "ROUTER", given)
    output = ran.output
    return Routed(
        **_told(ran),
        route=output["next_action"],
        has_draft=output["has_draft"],
        missing=output["missing"],
        skipped=output["skipped"],
    )


@room.operation(
    "context_pack",
    shared=True,
    writes=True,
    title="Pack what memory knows",
    toolsets=TOOLS,
    errors=_REFUSALS,
    ceiling=WHOLE,
    example=Example(_PACK[1], given=[_SNAPSHOT, _ROUTE]),
)
def context_pack(tx: Tx, call: PackContext) -> ContextPacked:
    """Pack the cells and episodes that matter (CONTEXT_PACK), within a number of bytes, each with source and trust."""
    ran = run_phase(
        tx,
        call.session_id,
        "CONTEXT_PACK",
        Given(
            call.scope,
            context_keys=_keys(call.context_keys),
            byte_budget=call.byte_budget,
            max_cells=call.max_cells,
            max_experiences=call.max_experiences,
        ),
    )
    output = ran.output
    return ContextPacked(
        **_told(ran),
        packed_context={"cells": output["packed_cells"], "experiences": output["packed_experiences"]},
        context_hash=output["context_hash"],
        byte_count=output["byte_size"],
        notice=output["notice"],
    )


@room.operation(
    "finalize_response",
    writes=True,
    title="Check and label a draft",
    toolsets=TOOLS,
    errors=_REFUSALS,
    ceiling=WHOLE,
    example=Example(_FINALIZE[1], given=[_SNAPSHOT, _ROUTE, _PACK, _DRAFT]),
)
def finalize_response(tx: Tx, call: FinalizeResponse) -> ResponseFinalized:
    """Check a draft (FINALIZE_RESPONSE): labels what rests on unverified memory, notes conflicts, gives a verdict."""
    given = Given(draft=call.draft, context_hash=call.context_hash, cells=tuple(call.cells))
    ran = run_phase(tx, call.session_id, "FINALIZE_RESPONSE", given)
    return ResponseFinalized(**_told(ran), **ran.output)


@room.operation(
    "governance_validate",
    writes=True,
    title="Prove a session, and get its receipt",
    toolsets=TOOLS,
    errors=_REFUSALS,
    ceiling=WHOLE,
    example=Example({"session_id": 1}, given=[_SNAPSHOT, _ROUTE, _PACK, _DRAFT, _FINALIZE]),
)
def governance_validate(tx: Tx, call: ValidateGovernance) -> GovernanceValidated:
    """Prove a session from its records (GOVERNANCE_VALIDATE): chain, phases, context, verdict; certifies it."""
    ran = run_phase(tx, call.session_id, "GOVERNANCE_VALIDATE", Given(context_hash=call.context_hash))
    return GovernanceValidated(**_told(ran), **ran.output)


@room.operation(
    "guarded_cycle",
    writes=True,
    title="Run a phase of a guarded cycle",
    toolsets=TOOLS,
    errors=_REFUSALS,
    ceiling=WHOLE,
    example=Example(_ROUTE[1], given=[_SNAPSHOT]),
)
def guarded_cycle(tx: Tx, call: RunPhase) -> PhaseRan:
    """Run one phase of a session's cycle, if it is the next one; any other is refused, and that is recorded.

    SNAPSHOT, ROUTER, CONTEXT_PACK, DRAFT, FINALIZE_RESPONSE, GOVERNANCE_VALIDATE, MEMORY_UPDATE: in this order. What is
    blocked, waiting or failed does not move the session on.
    """
    given = call.input
    ran = run_phase(
        tx,
        call.session_id,
        call.phase,
        Given(
            given.scope,
            given.context,
            _keys(given.context_keys),
            given.snapshot_hash,
            given.user_input,
            given.draft,
            given.byte_budget,
            given.max_cells,
            given.max_experiences,
            tuple(given.cells),
            given.context_hash,
        ),
    )
    return PhaseRan(**_told(ran), output={**ran.output, "status": ran.status})


def _told(ran: Ran) -> dict[str, Any]:
    """What every phase says of itself."""
    return {
        "session_id": ran.session.session_id,
        "phase": ran.phase,
        "status": ran.status,
        "next_phase": ran.ahead.phase,
        "next_call": ran.ahead.call,
        "next_step": ran.ahead.step,
    }


def _keys(keys: list[str] | None) -> tuple[str, ...] | None:
    return tuple(keys) if keys is not None else None
