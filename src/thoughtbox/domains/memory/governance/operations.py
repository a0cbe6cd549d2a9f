"""The verbs of governance: the chain of invocations, receipts, where a session stands, and the sessions of hosts."""

from __future__ import annotations

from typing import Any

from thoughtbox.domains.memory.cycle.steps import ahead
from thoughtbox.domains.memory.governance.models import (
    CloseHostSession,
    HostSession,
    HostSessionClosed,
    HostSessionFound,
    InvocationRecorded,
    ReadSessionStatus,
    ReceiptVerified,
    RecordInvocation,
    SessionStatus,
    VerifyReceipt,
    ViolationShown,
)
from thoughtbox.domains.memory.governance.receipts import verify
from thoughtbox.domains.memory.governance.recording import record_invocation as append
from thoughtbox.domains.memory.governance.records import write_closed
from thoughtbox.domains.memory.governance.sessions import begin, found, kept_text, open_for_writing
from thoughtbox.domains.memory.governance.validation import validate
from thoughtbox.domains.memory.hashing import canonical, digest
from thoughtbox.domains.memory.room import BESIDE, TOOLS, room
from thoughtbox.domains.memory.view.sessions import Sessions
from thoughtbox.errors import ProjectUnavailable, SessionNotFound, ValidationFailed
from thoughtbox.operations import Example, Tx

_SESSION = ("compliance_snapshot", {"context": "Why are builds slow?"})
_HOST = ("memory_host_session", {"client": "claude-code", "host_session": "s1"})


@room.operation(
    "record_invocation",
    writes=True,
    title="Record a tool's invocation",
    toolsets=TOOLS,
    errors=[SessionNotFound],
    example=Example(
        {"session_id": 1, "tool_name": "Bash", "input": {"command": "make"}, "output": {"exit": 0}}, given=[_SESSION]
    ),
)
def record_invocation(tx: Tx, call: RecordInvocation) -> InvocationRecorded:
    """Append a tool call to a session's hash chain: what went in and what came out, as hashes."""
    hashes = [_hash_of(call, name) for name in ("input", "output")]
    _must_be_json("meta", call.meta)
    invocation = append(tx, call.session_id, call.tool_name, *hashes, call.ts, call.meta)
    return InvocationRecorded(
        id=invocation.id, hash=invocation.hash, prev_hash=invocation.prev_hash, chain_count=invocation.position
    )


def _hash_of(call: RecordInvocation, name: str) -> str:
    """The hash of a part: the one given, or that of the value given; exactly one of them is."""
    value, hashed = getattr(call, name), getattr(call, f"{name}_hash")
    is_there = name in call.model_fields_set
    if is_there == (hashed is not None):
        wanted = "one of them, not both" if is_there else "one of them"
        raise ValidationFailed(
            f"`{name}` and `{name}_hash`: {wanted} must be given",
            recovery=f"Send `{name}` as it was: its hash is made here.",
            details={"fields": [name, f"{name}_hash"]},
        )
    if hashed is not None:
        return hashed
    _must_be_json(name, value)
    return digest(value)


def _must_be_json(name: str, value: Any) -> None:
    try:
        canonical(value)
    except (TypeError, ValueError, RecursionError) as error:
        raise ValidationFailed(
            f"`{name}` cannot be hashed: {error}", recovery="Send less of it.", details={"fields": [name]}
        ) from None


@room.operation(
    "verify_receipt",
    title="Verify a receipt",
    toolsets=BESIDE,
    example=Example({"receipt_id": 1}),
)
def verify_receipt(tx: Tx, call: VerifyReceipt) -> ReceiptVerified:
    """Whether a receipt is what this project signed: its signature, its hash, and whether the ledger has it."""
    return ReceiptVerified(**verify(tx, receipt_id=call.receipt_id, receipt=call.receipt)._asdict())


@room.operation(
    "memory_session_status",
    title="See where a memory session stands",
    toolsets=BESIDE,
    errors=[SessionNotFound],
    example=Example({"session_id": 1}, given=[_SESSION]),
)
def memory_session_status(tx: Tx, call: ReadSessionStatus) -> SessionStatus:
    """Where a session stands and what comes next, for whoever has lost track: phases, draft, hashes, violations."""
    session, view = found(tx, call.session_id), tx.ask(Sessions)
    last, coming = view.last_invocation(session.session_id), ahead(session)
    return SessionStatus(
        session_id=session.session_id,
        scope_mode=session.scope_mode,
        created_at=session.created_at,
        closed_at=session.closed_at,
        phase=session.last_phase,
        next_phase=coming.phase,
        next_call=coming.call,
        next_step=coming.step,
        phases_done=session.done,
        phases_skipped=session.skipped,
        flags=session.flags,
        context_keys=session.context_keys,
        snapshot_hash=session.snapshot_hash,
        context_hash=session.last_context_hash,
        integrity=session.integrity,
        user_input=kept_text(tx, session.asked_seq, "userInput"),
        draft=kept_text(tx, session.draft_seq, "draft"),
        chain_count=last.position if last else 0,
        chain_head=last.hash if last else None,
        violations=[
            ViolationShown(id=violation.id, rule=violation.rule, said=violation.said, ts=violation.ts)
            for violation in view.violations_of(session.session_id)
        ],
        receipts=[receipt.id for receipt in view.receipts(session.session_id)],
    )


@room.operation(
    "memory_host_session",
    writes=True,
    hidden=True,
    title="Find or begin a host's memory session",
    example=Example(_HOST[1]),
)
def memory_host_session(tx: Tx, call: HostSession) -> HostSessionFound:
    """The open memory session of a host's session; one is begun where there is none, unless told not to."""
    session = tx.ask(Sessions).of_host(call.client, call.host_session)
    if session is not None:
        return HostSessionFound(session_id=session.session_id, is_new=False, phase=session.last_phase)
    if not call.create:
        return HostSessionFound(session_id=None, is_new=False, phase=None)
    fresh = begin(tx, call.scope, host=call.client, host_session=call.host_session)
    return HostSessionFound(session_id=fresh.session_id, is_new=True, phase=None)


@room.operation(
    "memory_host_close",
    writes=True,
    effect="ends",
    hidden=True,
    title="Validate and close a memory session",
    errors=[SessionNotFound, ProjectUnavailable],
    example=Example({"session_id": 1}, given=[_HOST]),
)
def memory_host_close(tx: Tx, call: CloseHostSession) -> HostSessionClosed:
    """Validate a session to its end, certify it if it holds, and close it in either case."""
    from thoughtbox.domains.memory.governance.proof import proven

    session = open_for_writing(tx, call.session_id)
    validation = validate(tx, session.session_id, until="MEMORY_UPDATE")
    proof = proven(tx, session, validation, "session") if validation.valid else None
    write_closed(tx, session.session_id)
    return HostSessionClosed(
        session_id=session.session_id,
        valid=validation.valid,
        errors=validation.errors,
        warnings=validation.warnings,
        chain_count=validation.chain_count,
        context_hash_match=validation.context_hash_match,
        receipt=proof.receipt if proof else None,
        token=proof.token if proof else None,
    )
