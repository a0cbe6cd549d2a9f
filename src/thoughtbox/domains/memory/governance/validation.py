"""Whether a session is what it says: over its records, not over what a view makes of them."""

from __future__ import annotations

from typing import NamedTuple

from thoughtbox.domains.memory.cycle.phases import Phase, missing
from thoughtbox.domains.memory.governance.chain import verified
from thoughtbox.domains.memory.governance.records import stream_of
from thoughtbox.domains.memory.governance.sessions import found
from thoughtbox.domains.memory.view.sessions import (
    CLOSED,
    INVOCATION,
    PHASE,
    SESSION,
    Invocation,
    Session,
    Sessions,
    after,
    invocation_from,
)
from thoughtbox.errors import ThoughtboxError
from thoughtbox.ledger.ledger import settle_heads
from thoughtbox.ledger.verify import verify_stream
from thoughtbox.operations import Tx

REBUILD = "run `thoughtbox rebuild memory_sessions`"


class Validation(NamedTuple):
    """What was found; valid when there is no error."""

    errors: list[str]
    warnings: list[str]
    chain_count: int
    chain_head: str | None
    context_hash_match: bool | None
    """None when no hash was given to compare."""
    ledger_head: str | None

    @property
    def valid(self) -> bool:
        return not self.errors


class _Told(NamedTuple):
    """A session as its records tell it."""

    session: Session
    chain: list[Invocation]


def validate(
    tx: Tx, session_id: int, context_hash: str | None = None, *, until: Phase = "FINALIZE_RESPONSE"
) -> Validation:
    """The session's records and their chain, its invocations, its phases, its context, its verdict.

    `until` is the phase that must be behind it where a cycle was begun; a session without one has its chain alone.
    """
    stored = found(tx, session_id)
    errors = _ledger_errors(tx, session_id)
    try:
        told = _told(tx, session_id)
    except (ThoughtboxError, LookupError, TypeError, ValueError) as error:
        errors = errors or [f"the records of session {session_id} cannot be read: {error}"]
        told = None
    session, chain = told if told is not None else (stored, tx.ask(Sessions).invocations(session_id))
    errors += verified(chain).errors
    if told is not None:
        errors += _view_errors(tx, stored, told)
    warnings = _phases(session, until, errors)
    _verdict(session, errors, warnings)
    match = None if context_hash is None else context_hash == session.last_context_hash
    if match is False:
        what = "another one" if session.last_context_hash else "none"
        errors.append(f"the context hash is not that of the session's pack; it has {what}")
    rules = sorted({violation.rule for violation in tx.ask(Sessions).violations_of(session_id)})
    if rules:
        warnings.append(f"violations were recorded in this session: {', '.join(rules)}")
    head = tx.ledger.stream_head(stream_of(session_id))
    return Validation(
        errors, warnings, len(chain), chain[-1].hash if chain else None, match, head.hash.hex() if head else None
    )


def _ledger_errors(tx: Tx, session_id: int) -> list[str]:
    settle_heads(tx.sql)
    problem = verify_stream(tx.sql, tx.workspace, stream_of(session_id)).problem
    return [f"the ledger of session {session_id} is broken: {problem.message}"] if problem is not None else []


def _told(tx: Tx, session_id: int) -> _Told:
    session: Session | None = None
    chain: list[Invocation] = []
    for record in tx.ledger.stream(stream_of(session_id)):
        if record.topic in (SESSION, PHASE, CLOSED):
            session = after(session, record)
        elif record.topic == INVOCATION:
            chain.append(invocation_from(record))
    if session is None:
        raise LookupError("the first of them is not there")
    return _Told(session, chain)


def _view_errors(tx: Tx, stored: Session, told: _Told) -> list[str]:
    """Where the tables say something else than the records: they have been changed behind the ledger's back."""
    errors = []
    if stored != told.session:
        errors.append(f"the table of sessions does not say what the records say; {REBUILD}")
    if tx.ask(Sessions).invocations(stored.session_id) != told.chain:
        errors.append(f"the table of invocations does not say what the records say; {REBUILD}")
    return errors


def _phases(session: Session, until: Phase, errors: list[str]) -> list[str]:
    if not session.done:
        return ["no guarded cycle was begun: the chain alone was validated"]
    if lacking := missing(session.done, session.skipped, until):
        errors.append(f"phases are missing: {', '.join(lacking)}")
    return [f"skipped, since a draft was there: {', '.join(session.skipped)}"] if session.skipped else []


def _verdict(session: Session, errors: list[str], warnings: list[str]) -> None:
    if session.integrity == "BLOCKED":
        errors.append("the response is BLOCKED: it goes against a policy")
    elif session.integrity == "NEEDS_VERIFICATION":
        warnings.append("the response NEEDS_VERIFICATION")
