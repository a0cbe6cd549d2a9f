"""What a memory session writes, and how it is opened when it comes from elsewhere.

All of it stands in the session's own stream, so that the ledger's chain covers what the chain of invocations does not:
the session itself, what goes with an invocation, and that nothing was cut off at the end.
"""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field

from thoughtbox.domains.memory.cycle.phases import PHASES, next_phase
from thoughtbox.domains.memory.governance.chain import link
from thoughtbox.domains.memory.view.sessions import (
    CLOSED,
    INVOCATION,
    PHASE,
    RECEIPT,
    SESSION,
    VIOLATION,
    Session,
    Sessions,
)
from thoughtbox.errors import InvalidRecord
from thoughtbox.ledger.ledger import Ledger
from thoughtbox.ledger.record import Draft, Record, present
from thoughtbox.operations import RecordData, Room, Time, Tx, must_stand_in

Hash = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
Scope = Annotated[str, Field(pattern=r"^(project|global)$")]
Ids = list[int]


def stream_of(session: int) -> str:
    """The stream of a session: all that was done in it."""
    return f"memory/session/{session}"


class SessionData(RecordData):
    scope: Scope
    flags: dict[str, Any]
    host: str | None = None
    host_session: str | None = None


class ChangesData(RecordData):
    flags: dict[str, Any] | None = None
    snapshot: str | None = None
    snapshot_hash: Hash | None = None
    context_keys: list[str] | None = None
    user_input: str | None = None
    draft: str | None = None
    skipped: list[str] | None = None
    context_hash: Hash | None = None
    packed: Ids | None = None
    used: Ids | None = None
    inferred: Ids | None = None
    integrity: Annotated[str, Field(pattern=r"^(OK|NEEDS_VERIFICATION|BLOCKED)$")] | None = None


class PhaseData(RecordData):
    session: int
    phase: str
    changes: ChangesData


class ClosedData(RecordData):
    session: int


class InvocationData(RecordData):
    session: int
    position: Annotated[int, Field(ge=1)]
    tool_name: str
    input_hash: Hash
    output_hash: Hash
    ts: Time
    meta: str
    prev_hash: Hash | None = None
    hash: Hash


class ReceiptData(RecordData):
    session: int
    receipt_type: str
    payload: str
    payload_hash: Hash
    signature: Hash
    public_meta: str


class ViolationData(RecordData):
    session: int
    position: Annotated[int, Field(ge=1)]
    scope: Scope
    rule: str
    episode: int | None = None


def write_session(tx: Tx, scope: str, *, host: str | None = None, host_session: str | None = None) -> Record:
    """Begin a session; its id is the number of this record."""
    id = tx.ledger.last_seq_held() + 1
    data = {"scope": scope, "flags": {}, **present({"host": host, "hostSession": host_session})}
    said = f"A memory session begins, of scope {scope}" + (f", for {host}" if host else "")
    return _append(tx, SESSION, id, said, data)


def write_phase(tx: Tx, session: int, phase: str, changes: Mapping[str, Any]) -> Record:
    """A phase is done, and this is what came of it."""
    return _append(tx, PHASE, session, f"{phase} is done", {"session": session, "phase": phase, "changes": changes})


def write_closed(tx: Tx, session: int) -> Record:
    return _append(tx, CLOSED, session, f"Memory session {session} is closed", {"session": session})


def write_violation(
    tx: Tx, session: int, *, scope: str, rule: str, position: int, said: str, episode: int | None
) -> Record:
    data = {"session": session, "scope": scope, "rule": rule, "position": position, **present({"episode": episode})}
    return _append(tx, VIOLATION, session, said, data)


def write_invocation(tx: Tx, session: int, said: str, data: Mapping[str, Any]) -> Record:
    return _append(tx, INVOCATION, session, said, {"session": session, **data})


def write_receipt(tx: Tx, session: int, data: Mapping[str, Any]) -> Record:
    return _append(tx, RECEIPT, session, f"Receipt for memory session {session}", {"session": session, **data})


def _append(tx: Tx, topic: str, session: int, said: str, data: Mapping[str, Any]) -> Record:
    stream = stream_of(session)
    return tx.append(Draft(kind="observation", topic=topic, text=said, session=stream, data=data), stream=stream)


def opened_session(record: Record, before: Ledger) -> None:
    must_stand_in(record, stream_of(record.seq))
    SessionData.read(record.data)


def _known(record: Record, before: Ledger, session: int) -> Session:
    must_stand_in(record, stream_of(session))
    known = before.ask(Sessions).session(session)
    if known is None:
        raise InvalidRecord(f"`data.session`: there is no memory session {session} before it")
    return known


def opened_phase(record: Record, before: Ledger) -> None:
    data = PhaseData.read(record.data)
    known = _known(record, before, data.session)
    if data.phase != next_phase(known.last_phase):
        raise InvalidRecord(f"`data.phase`: {data.phase} is not the next phase of session {data.session}")
    skipped, index = data.changes.skipped or [], PHASES.index(data.phase)
    if tuple(skipped) != PHASES[index + 1 : index + 1 + len(skipped)]:
        raise InvalidRecord("`data.changes.skipped`: these are not the phases behind it")


def opened_closed(record: Record, before: Ledger) -> None:
    _known(record, before, ClosedData.read(record.data).session)


def opened_invocation(record: Record, before: Ledger) -> None:
    data = InvocationData.read(record.data)
    _known(record, before, data.session)
    last = before.ask(Sessions).last_invocation(data.session)
    if data.position != (last.position if last else 0) + 1 or data.prev_hash != (last.hash if last else None):
        raise InvalidRecord("`data.prevHash`: it is not the link behind the last one of its session")
    if data.hash != link(data.prev_hash, data.tool_name, data.input_hash, data.output_hash, data.ts):
        raise InvalidRecord("`data.hash` is not the hash of what it says")


def opened_receipt(record: Record, before: Ledger) -> None:
    _known(record, before, ReceiptData.read(record.data).session)


def opened_violation(record: Record, before: Ledger) -> None:
    data = ViolationData.read(record.data)
    _known(record, before, data.session)
    last = before.ask(Sessions).last_violation(data.scope, data.rule)
    if data.position != (last.position if last else 0) + 1:
        raise InvalidRecord("`data.position` is not the next one of its rule")


def declare(room: Room) -> None:
    for topic, opened in (
        (SESSION, opened_session),
        (PHASE, opened_phase),
        (CLOSED, opened_closed),
        (INVOCATION, opened_invocation),
        (RECEIPT, opened_receipt),
        (VIOLATION, opened_violation),
    ):
        room.topic(topic, opened, streams="memory")
