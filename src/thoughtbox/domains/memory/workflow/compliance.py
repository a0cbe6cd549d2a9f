"""Whether a gate can be passed: what it asks for, and what was really done.

A tool counts as done in a workflow session when one of these says so, since the session counts:

- a record of this room that the tool wrote, for the same caller;
- a call that the host's hooks have put on a chain of invocations: what an agent says of itself with
  `record_invocation` counts as nothing else than that;
- an answer that this server process has given the same caller, which no other session has counted: reads leave no
  record. Once a verification has seen it, it is in the session's own record.

Nobody can claim a step: there is no argument for it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from thoughtbox.domains.memory.configuration import Gate, GateLevel, active_config, enforcement_of, gates_of, ttl_of
from thoughtbox.domains.memory.folder import project_of
from thoughtbox.domains.memory.view.activity import ANYBODY, OF_THE_CYCLE, RESET, ActivityLog, bare
from thoughtbox.domains.memory.view.tokens import Tokens
from thoughtbox.domains.memory.view.workflow import WorkflowSession, WorkflowSessions
from thoughtbox.ledger.view import NOW
from thoughtbox.operations import Tx
from thoughtbox.world import milliseconds

PASS = "verify_compliance"
"""What passes a gate."""


class Missing(NamedTuple):
    """A tool that a gate asks for, and that was not used."""

    gate: str
    tool: str


class Compliance(NamedTuple):
    """How a session stands before a gate."""

    session: WorkflowSession
    gate: Gate
    preset: str
    enforcement: str
    done: tuple[str, ...]
    """All tools that any gate asks for and that were used in this session, in the order of the gates."""
    missing: tuple[Missing, ...]
    is_fast_track: bool

    @property
    def is_compliant(self) -> bool:
        return not self.missing or self.is_fast_track or self.gate.level == "lenient"


def compliance(tx: Tx, session_id: str, phase: str) -> Compliance:
    """How a session stands before a gate, now."""
    config = active_config(project_of(tx))
    gates, now = gates_of(config), tx.now_ms
    session = session_at(tx, session_id, now)
    done = done_in(tx, session, gates)
    gate = next(gate for gate in gates if gate.name == phase)
    return Compliance(
        session=session,
        gate=gate,
        preset=str(config["name"]),
        enforcement=enforcement_of(config),
        done=done,
        missing=tuple(_missing(gates, gate, session, done)),
        is_fast_track=is_fast_track(tx, session_id, gate.level, now),
    )


def session_at(tx: Tx, session_id: str, now_ms: int) -> WorkflowSession:
    """The session as it stands, or, where there is none or it is over, as it would begin now.

    What was done before counts for a new one as long as a session lives, but not beyond the last reset.
    """
    found = tx.ask(WorkflowSessions).session(session_id)
    if found is not None and found.stands(now_ms):
        return found
    config = active_config(project_of(tx))
    lifetime, last_reset = ttl_of(config).session, last_reset_ms(tx)
    counts_from = now_ms - lifetime if last_reset is None else max(now_ms - lifetime, last_reset)
    return WorkflowSession(session_id, str(config["name"]), (), (), now_ms, now_ms + lifetime, counts_from, active=True)


def last_reset_ms(tx: Tx) -> int | None:
    """When a workflow of this workspace was last reset."""
    return tx.ask(ActivityLog).last_use(RESET, ANYBODY)


def done_in(tx: Tx, session: WorkflowSession, gates: Sequence[Gate]) -> tuple[str, ...]:
    """The tools that any gate asks for and that were used in this session, in the order of the gates."""
    asked = dict.fromkeys(tool for gate in gates for tool in gate.required_tools)
    return tuple(tool for tool in asked if is_done(tx, session, tool))


def is_done(tx: Tx, session: WorkflowSession, tool: str) -> bool:
    if tool in session.steps_completed:
        return True
    last = tx.ask(ActivityLog).last_use(bare(tool), tx.caller.agent)
    return (last is not None and last >= session.counts_from) or _was_answered(tx, session, bare(tool)) is not None


def count(tx: Tx, session: WorkflowSession, tools: Sequence[str]) -> None:
    """What was answered counts for this session from now on, and for no other."""
    for tool in tools:
        name = _was_answered(tx, session, bare(tool))
        if name is not None:
            tx.answered.count(tx.workspace, tx.caller.agent, name, _counted(session))


def _was_answered(tx: Tx, session: WorkflowSession, tool: str) -> str | None:
    """The operation of that name that this process has answered the caller, where that counts for this session."""
    if tool in OF_THE_CYCLE or tx.as_of != NOW:
        return None
    for name in (tool, f"memory.{tool}"):
        answer = tx.answered.last(tx.workspace, tx.caller.agent, name)
        if answer is None or answer.counted_for not in (None, _counted(session)):
            continue
        if answer.seq is None or _stands(tx, session, name, answer.seq):
            return name
    return None


def _stands(tx: Tx, session: WorkflowSession, operation: str, seq: int) -> bool:
    """Whether a record is there that says so: a write may have been answered, and then come to nothing."""
    record = tx.ledger.record(seq)
    if record is None or milliseconds(record.ts) < session.counts_from:
        return False
    source = record.envelope["source"]
    return operation == source.get("operation") or operation in source.get("via", ())


def _counted(session: WorkflowSession) -> str:
    return f"{session.session_id}@{session.created_at}"


def _missing(gates: Sequence[Gate], gate: Gate, session: WorkflowSession, done: Collection[str]) -> Iterator[Missing]:
    """What a gate asks for and is not done; a strict one asks for those before it as well, passed one by one."""
    for earlier in gates[: gates.index(gate)] if gate.level == "strict" else ():
        if earlier.required_tools and earlier.name not in session.gates_passed:
            yield from (Missing(earlier.name, tool) for tool in earlier.required_tools if tool not in done)
            yield Missing(earlier.name, PASS)
    yield from (Missing(gate.name, tool) for tool in gate.required_tools if tool not in done)


def is_fast_track(tx: Tx, session_id: str, level: GateLevel, now_ms: int) -> bool:
    """Whether the session may go on without being asked: it has a live session token, and the gate is not strict."""
    if level == "strict":
        return False
    live = tx.ask(Tokens).live(now_ms, session=session_id)
    return any(token.token_type == "session" for token in live)
