"""How a session stands, and whether all is well."""

from __future__ import annotations

import platform
from typing import Any

from thoughtbox.domains.memory.automation.models import (
    Checked,
    CheckHealth,
    Health,
    ReadSessionState,
    SessionState,
)
from thoughtbox.domains.memory.folder import project_of
from thoughtbox.domains.memory.room import TOOLS, room
from thoughtbox.domains.memory.view.activity import ActivityLog
from thoughtbox.domains.memory.view.experiences import Experiences
from thoughtbox.domains.memory.view.reasoning import Reasoning
from thoughtbox.domains.memory.view.sessions import Session, Sessions
from thoughtbox.domains.memory.view.workflow import WorkflowSessions
from thoughtbox.errors import (
    ThoughtboxError,
)
from thoughtbox.operations import Example, Tx

MOST_ACTIVITY = 20


@room.operation(
    "get_session_state",
    title="See how a session stands",
    toolsets=TOOLS,
    example=Example(
        {"session_id": "s1"},
        given=[("verify_compliance", {"current_phase": "learn", "action": "edit_files", "session_id": "s1"})],
    ),
)
def get_session_state(tx: Tx, call: ReadSessionState) -> SessionState:
    """What is known of a session of that id: its reasoning, its workflow, its memory, and what happened in it last."""
    workflow = tx.ask(WorkflowSessions).session(call.session_id)
    memory = tx.ask(Sessions).session(int(call.session_id)) if _is_number(call.session_id) else None
    reasoning = tx.ask(Reasoning).session(call.session_id)
    thoughts = [] if reasoning is None else tx.ask(Reasoning).thoughts(call.session_id)
    is_open = (memory is not None and memory.closed_at is None) or (
        reasoning is not None and reasoning.phase != "finalized"
    )
    log = tx.ask(ActivityLog)
    stream = f"memory/session/{call.session_id}" if memory is not None else call.session_id
    return SessionState(
        session_id=call.session_id,
        active=is_open or (workflow is not None and workflow.stands(tx.now_ms)),
        reasoning_session=None if reasoning is None else reasoning._asdict(),
        thoughts=[thought._asdict() for thought in thoughts],
        thought_count=len(thoughts),
        workflow_session=None if workflow is None else _plain(workflow._asdict()),
        memory_session=None if memory is None else _of_memory(memory),
        activity=[event._asdict() for event in log.events(stream, MOST_ACTIVITY)],
    )


@room.operation("health_check", title="See whether all is well", toolsets=TOOLS, example=Example({}))
def health_check(tx: Tx, call: CheckHealth) -> Health:
    """Whether store, chain, key, configuration, tokens and hooks are well, and what to do where they are not."""
    from thoughtbox.domains.memory.automation.health import checks

    found = checks(tx)
    issues = [f"{check.name}: {check.detail}" for check in found if not check.ok and check.is_serious]
    warnings = [f"{check.name}: {check.detail}" for check in found if not check.ok and not check.is_serious]
    return Health(
        healthy=not issues,
        status="DEGRADED" if issues else "OK",
        issues=issues,
        warnings=warnings,
        checks=[Checked(name=check.name, ok=check.ok, detail=check.detail, fix=check.fix) for check in found],
        stats=_stats(tx),
        database_backend=tx.sql.dialect,
        database_path=str(tx.data_dir) if tx.data_dir is not None else None,
        token_dir=_token_dir(tx),
        python_version=platform.python_version(),
    )


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= 16


def _plain(row: dict[str, Any]) -> dict[str, Any]:
    return {name: list(value) if isinstance(value, tuple) else value for name, value in row.items()}


def _of_memory(session: Session) -> dict[str, Any]:
    return {
        "session_id": session.session_id,
        "created_at": session.created_at,
        "scope_mode": session.scope_mode,
        "flags": session.flags,
        "last_phase": session.last_phase,
        "last_context_hash": session.last_context_hash,
        "closed_at": session.closed_at,
    }


def _stats(tx: Tx) -> dict[str, int]:
    return {
        "experiences": tx.ask(Experiences).count(),
        "reasoning_sessions": tx.ask(Reasoning).count(),
        "workflow_sessions": tx.ask(WorkflowSessions).count(),
    }


def _token_dir(tx: Tx) -> str | None:
    try:
        return str(project_of(tx).tokens)
    except ThoughtboxError:
        return None
