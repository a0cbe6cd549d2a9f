"""The verbs of the workflow: what a gate asks for, passing it, and what that allows."""

from __future__ import annotations

from typing import Any

from thoughtbox.domains.memory.configuration import active_config, enforcement_of, gates_of
from thoughtbox.domains.memory.folder import project_of
from thoughtbox.domains.memory.hashing import digest
from thoughtbox.domains.memory.room import TOOLS, room
from thoughtbox.domains.memory.tokens.files import remove, sweep
from thoughtbox.domains.memory.tokens.minting import Verified, mint, revoke, spend
from thoughtbox.domains.memory.view.tokens import Tokens
from thoughtbox.domains.memory.view.workflow import WorkflowSession, WorkflowSessions
from thoughtbox.domains.memory.workflow.compliance import (
    Compliance,
    compliance,
    count,
    done_in,
    is_fast_track,
    session_at,
)
from thoughtbox.domains.memory.workflow.models import (
    ActiveToken,
    AuthorizeOperation,
    CheckCompliance,
    ComplianceChecked,
    ComplianceVerified,
    GateStatus,
    OperationAuthorized,
    ReadWorkflow,
    ResetWorkflow,
    ShownSession,
    VerifyCompliance,
    WorkflowReset,
    WorkflowStatus,
)
from thoughtbox.domains.memory.workflow.records import write_workflow
from thoughtbox.domains.memory.workflow.steps import step
from thoughtbox.errors import ConfigInvalid, ConfigurationError, ProjectUnavailable, SessionNotFound
from thoughtbox.operations import Example, Tx

MOST_TOKENS = 100
"""Live tokens that are shown."""
MOST_SESSIONS = 10_000

_LEARN = {"current_phase": "learn", "action": "edit_files", "session_id": "s1"}
_CONFIG = (ConfigInvalid, ProjectUnavailable)


@room.operation(
    "check_compliance",
    title="See what a gate still asks for",
    toolsets=TOOLS,
    errors=_CONFIG,
    example=Example(_LEARN),
)
def check_compliance(tx: Tx, call: CheckCompliance) -> ComplianceChecked:
    """What a gate asks for, what of it was really done in this workflow session, and the calls that are missing.

    A tool counts once it has been used: it left a record, this server answered it, or the host's hooks saw it.
    """
    found = compliance(tx, _session_id(tx, call.session_id), call.current_phase)
    return ComplianceChecked(**_checked(tx, found, call))


@room.operation(
    "verify_compliance",
    writes=True,
    title="Pass a gate",
    toolsets=TOOLS,
    errors=(*_CONFIG, ConfigurationError),
    example=Example(_LEARN),
)
def verify_compliance(tx: Tx, call: VerifyCompliance) -> ComplianceVerified:
    """Pass a gate: an operation token, good for one authorize_operation, if what the gate asks for was really done.

    Otherwise there is none, and the answer says which calls are missing.
    """
    found = compliance(tx, _session_id(tx, call.session_id), call.current_phase)
    session = found.session
    steps = dict.fromkeys([*session.steps_completed, *found.done])
    gates = dict.fromkeys([*session.gates_passed, *([found.gate.name] if found.is_compliant else [])])
    session = session._replace(preset=found.preset, steps_completed=tuple(steps), gates_passed=tuple(gates))
    change, missing = ("verified", None) if found.is_compliant else ("refused", [one.tool for one in found.missing])
    said = (
        f"Workflow session {session.session_id} {'passes' if found.is_compliant else 'does not pass'} {found.gate.name}"
    )
    write_workflow(tx, change, session._asdict(), said, phase=call.current_phase, action=call.action, missing=missing)
    count(tx, session, found.done)
    if not found.is_compliant:
        return ComplianceVerified(
            **_checked(tx, found, call), operation_token=None, expires_at=None, expires_in_seconds=None
        )
    token = _token(tx, "operation", session, phase=call.current_phase, action=call.action)
    return ComplianceVerified(
        **_checked(tx, found, call),
        operation_token=token["token_id"],
        expires_at=token["expires_at"],
        expires_in_seconds=(token["expires_at"] - token["created_at"]) // 1000,
    )


@room.operation(
    "authorize_operation",
    writes=True,
    effect="ends",
    title="Spend an operation token",
    toolsets=TOOLS,
    errors=(*_CONFIG, ConfigurationError),
    example=Example({"operation_token": "op-1750000000000-abc123xyz", "create_session_token": True}),
)
def authorize_operation(tx: Tx, call: AuthorizeOperation) -> OperationAuthorized:
    """Spend an operation token, once, and if asked for get a session token, which opens the host's gate.

    One that is not good any more is answered with `authorized: false` and why.
    """
    spent = spend(tx, call.operation_token)
    token = spent.token
    if not spent.is_valid or token is None:
        if spent.status == "expired" and token is not None:
            remove(project_of(tx), token.token_id)
        return _refused(spent)
    minted = None
    if call.create_session_token:
        found = session_at(tx, token.session_id or tx.caller.agent, tx.now_ms)
        minted = _token(tx, "session", found, phase=token.phase, action=token.action)
    return OperationAuthorized(
        authorized=True,
        status="valid",
        phase=token.phase,
        action=token.action,
        session_id=token.session_id,
        session_token=minted["token_id"] if minted else None,
        session_token_expires_at=minted["expires_at"] if minted else None,
        message="The operation is authorized." + (" The host's gate is open." if minted else ""),
    )


@room.operation(
    "get_workflow_status",
    title="See how a workflow session stands",
    toolsets=TOOLS,
    errors=_CONFIG,
    example=Example({"session_id": "s1"}, given=[("verify_compliance", _LEARN)]),
)
def get_workflow_status(tx: Tx, call: ReadWorkflow) -> WorkflowStatus:
    """Which gates a workflow session has passed, what each still asks for, and which tokens are live."""
    session_id, now = _session_id(tx, call.session_id), tx.now_ms
    config = active_config(project_of(tx))
    gates, level = gates_of(config), enforcement_of(config)
    known, session = tx.ask(WorkflowSessions).session(session_id), session_at(tx, session_id, now)
    done = done_in(tx, session, gates)
    status: dict[str, GateStatus] = {}
    for gate in gates:
        missing = [tool for tool in gate.required_tools if tool not in done]
        stands = "passed" if gate.name in session.gates_passed else "pending" if missing else "ready"
        status[gate.name] = GateStatus(
            status=stands if gate.required_tools or stands == "passed" else "not_configured",
            level=gate.level,
            required_tools=list(gate.required_tools),
            missing_tools=missing,
        )
    current = next((gate.name for gate in gates if status[gate.name].status in ("pending", "ready")), "act")
    tokens = tx.ask(Tokens).live(now, session=session_id, limit=MOST_TOKENS)
    return WorkflowStatus(
        session_id=session_id,
        session=None if known is None else _shown(known),
        preset=str(config["name"]),
        enforcement=level,
        current_phase="teach" if known is None else current,
        gates_status=status,
        steps_completed=list(dict.fromkeys([*session.steps_completed, *done])),
        active_tokens=[
            ActiveToken(token_id=row.token_id, type=row.token_type, expires_in_seconds=(row.expires_at - now) // 1000)
            for row in tokens
        ],
        fast_track_active=all(gate.level != "strict" for gate in gates)
        and is_fast_track(tx, session_id, "moderate", now),
    )


@room.operation(
    "reset_workflow",
    writes=True,
    effect="ends",
    title="Reset a workflow session",
    toolsets=TOOLS,
    errors=(*_CONFIG, SessionNotFound),
    example=Example({"session_id": "s1"}, given=[("verify_compliance", _LEARN)]),
)
def reset_workflow(tx: Tx, call: ResetWorkflow) -> WorkflowReset:
    """Begin anew: the session's gates are closed, its live tokens revoked, and what was done before counts no more."""
    folder = project_of(tx)
    if call.cleanup_only:
        cleaned = len(sweep(folder, tx.now_ms))
        said = f"{cleaned} expired token files are gone; no session was reset."
        return _reset(call, reset=False, revoked=[], cleaned_up=cleaned, message=said)
    view = tx.ask(WorkflowSessions)
    if call.session_id is None:
        sessions = view.active(MOST_SESSIONS)
    else:
        found = view.session(call.session_id)
        if found is None:
            raise SessionNotFound(
                f"there is no workflow session `{call.session_id}`",
                recovery='{"operation": "get_workflow_status"} shows the one named after you.',
                details={"fields": ["session_id"]},
            )
        sessions = [found]
    for session in sessions:
        ended = session._replace(active=False, gates_passed=(), steps_completed=())
        write_workflow(tx, "reset", ended._asdict(), f"Workflow session {session.session_id} is reset")
    revoked = revoke(tx, session=call.session_id)
    cleaned = len(sweep(folder, tx.now_ms))
    tx.answered.forget(tx.workspace)
    named = f"Session {call.session_id} is" if call.session_id else f"{len(sessions)} sessions are"
    return _reset(
        call,
        reset=True,
        revoked=revoked,
        cleaned_up=cleaned,
        message=f"{named} reset; {len(revoked)} live tokens are revoked.",
    )


def _reset(call: ResetWorkflow, **fields: Any) -> WorkflowReset:
    return WorkflowReset(session_id=call.session_id, cleanup_only=call.cleanup_only, **fields)


def _session_id(tx: Tx, given: str | None) -> str:
    return given if given is not None else tx.caller.agent


def _checked(tx: Tx, found: Compliance, call: CheckCompliance) -> dict[str, Any]:
    """The part of the answer that says how things stand."""
    missing = [step(tx, one, found.session.session_id, call.action) for one in found.missing]
    names = ", ".join(dict.fromkeys(one.tool for one in found.missing))
    warnings = [f"Not done: {names}. Under `{found.enforcement}` that is no obstacle."] if _is_warned(found) else []
    return {
        "compliant": found.is_compliant,
        "current_phase": call.current_phase,
        "action": call.action,
        "session_id": found.session.session_id,
        "preset": found.preset,
        "enforcement": found.enforcement,
        "required_tools": list(found.gate.required_tools),
        "completed_tools": [tool for tool in found.gate.required_tools if tool in found.done],
        "missing": missing,
        "fast_track": found.is_fast_track,
        "warnings": warnings,
        "message": _message(found, names),
    }


def _is_warned(found: Compliance) -> bool:
    return bool(found.missing) and found.gate.level == "lenient"


def _message(found: Compliance, names: str) -> str:
    if not found.missing:
        return f"All that the gate {found.gate.name} asks for is done."
    if found.is_fast_track:
        return f"A live session token stands for this session: the gate {found.gate.name} asks for nothing more."
    if found.is_compliant:
        return f"The gate {found.gate.name} is open; not done: {names}."
    return f"The gate {found.gate.name} still asks for {names}. Make these calls, then verify_compliance."


def _token(tx: Tx, type: str, session: WorkflowSession, *, phase: str | None, action: str | None) -> dict[str, Any]:
    """A token of the session, tied to what it stood on: the gates and steps of the session, and the chain's head."""
    context = {
        "session_id": session.session_id,
        "preset": session.preset,
        "gates_passed": list(session.gates_passed),
        "steps_completed": list(session.steps_completed),
        "phase": phase,
        "action": action,
    }
    head = tx.ledger.stream_head("memory/workflow")
    return mint(
        tx,
        type="operation" if type == "operation" else "session",
        session=session.session_id,
        phase=phase,
        action=action,
        context_hash=digest(context),
        chain_head=head.hash.hex() if head is not None else None,
    )


def _refused(spent: Verified) -> OperationAuthorized:
    said = {"expired": "Token expired", "spent": "Token already spent"}.get(spent.status, "Invalid operation token")
    return OperationAuthorized(
        authorized=False,
        status=spent.status,
        phase=None,
        action=None,
        session_id=None,
        session_token=None,
        session_token_expires_at=None,
        message=f"{said}: {spent.reason}. Get a new one with verify_compliance.",
    )


def _shown(session: WorkflowSession) -> ShownSession:
    return ShownSession(
        session_id=session.session_id,
        preset=session.preset,
        gates_passed=list(session.gates_passed),
        steps_completed=list(session.steps_completed),
        created_at=session.created_at,
        expires_at=session.expires_at,
        active=session.active,
    )
