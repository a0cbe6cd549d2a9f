"""The one way to run an operation: look up, check, run in a transaction, shape the answer."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any, NamedTuple, TypeVar

from thoughtbox.engine.protocol import Engine, Sql
from thoughtbox.errors import (
    IdempotencyConflict,
    InternalError,
    InvalidOperation,
    InvalidPayload,
    LedgerBroken,
    ThoughtboxError,
)
from thoughtbox.ledger.answers import ANSWERED, CALLED, Answers
from thoughtbox.ledger.canonical import canonical
from thoughtbox.ledger.keyring import Keyring
from thoughtbox.ledger.ledger import readable_until
from thoughtbox.ledger.record import Draft
from thoughtbox.ledger.view import NOW, Views
from thoughtbox.operations.arguments import bind, wire_name
from thoughtbox.operations.budget import fit
from thoughtbox.operations.caller import ANONYMOUS, Caller, Focus, Root
from thoughtbox.operations.freshness import fresh_read
from thoughtbox.operations.models import Input
from thoughtbox.operations.registry import TABLE, Operation, Table
from thoughtbox.operations.tx import DEFAULT_RULES, Progress, Rules, Tx
from thoughtbox.world import World

logger = logging.getLogger(__name__)

T = TypeVar("T")
Answer = dict[str, Any]

LONGEST_KEY = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One call, as a door hands it over."""

    operation: str
    workspace: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    caller: Caller = ANONYMOUS
    key: str | None = None
    """Idempotency key: the same key again returns the first answer."""
    as_of: int | None = None
    """Read as if the record of this number were the newest."""
    progress: Progress | None = None
    focus: Focus | None = None
    """What the caller's connection remembers; none when there is no connection."""
    roots: Sequence[Root] | None = None
    """The client's root directories, for an operation that needs them; none when it does not tell."""


class Dispatcher:
    """Runs calls against one engine."""

    def __init__(
        self,
        engine: Engine,
        views: Views,
        *,
        world: World,
        keyring: Keyring,
        table: Table = TABLE,
        rules: Rules = DEFAULT_RULES,
    ) -> None:
        self._rules = rules
        self._engine = engine
        self._views = views
        self._world = world
        self._keyring = keyring
        self.table = table

    def submit(self, call: Call) -> Future[Answer]:
        """Run the call; raises at once when it is not well formed, before anything is touched."""
        operation, given = self.table.resolve(call.operation, call.arguments)
        if operation.name != call.operation:
            call = replace(call, operation=operation.name, arguments=given)
        arguments = bind(operation, call.arguments)
        _check_options(operation, call)
        if operation.writes:
            moves: list[_Move] = []
            written = self._engine.write(
                call.workspace, lambda sql: self._write(sql, operation, arguments, call, moves)
            )
            if call.focus is not None:
                written.add_done_callback(lambda done: _take_back(moves) if _has_failed(done) else None)
            return written
        if operation.fresh:
            return fresh_read(
                self._engine,
                operation.fresh,
                call.workspace,
                call.as_of,
                lambda sql: self._read(sql, operation, arguments, call),
            )
        return self._engine.read(lambda sql: self._read(sql, operation, arguments, call))

    def call(self, call: Call) -> Answer:
        """Run the call and wait for its answer."""
        return self.submit(call).result()

    def ask(self, workspace: str, caller: Caller, question: Callable[[Tx], T]) -> Future[T]:
        """Put a question to the store that no operation asks, such as which names begin with a prefix."""

        def asked(sql: Sql) -> T:
            return question(self._shown(self._own_tx(sql, workspace, caller, "ask")))

        return self._engine.read(asked)

    def do(self, workspace: str, caller: Caller, work: Callable[[Tx], T], *, what: str) -> Future[T]:
        """Do something in a transaction that no operation does, such as an import; `what` names it in its records."""

        def done(sql: Sql) -> T:
            tx = self._own_tx(sql, workspace, caller, what)
            tx.hold()
            return work(tx)

        return self._engine.write(workspace, done)

    def _own_tx(self, sql: Sql, workspace: str, caller: Caller, what: str) -> Tx:
        return Tx(
            sql,
            workspace=workspace,
            views=self._views,
            caller=caller,
            world=self._world,
            keyring=self._keyring,
            surface="door",
            operation=what,
        )

    def _read(self, sql: Sql, operation: Operation, arguments: Input, call: Call) -> Answer:
        return _run(self._shown(self._tx(sql, operation, call)), operation, arguments)

    def _shown(self, tx: Tx) -> Tx:
        """The transaction of a read, with nothing in sight that is still on its way in."""
        until = readable_until(tx.sql, tx.workspace, self._views)
        return tx if until >= tx.as_of else tx.at(until)

    def _write(self, sql: Sql, operation: Operation, arguments: Input, call: Call, moves: list[_Move]) -> Answer:
        tx = self._tx(sql, operation, call)
        tx.hold()
        before = replace(tx.focus)
        try:
            return self._answer(tx, operation, arguments, call)
        except BaseException:
            _restore(tx.focus, before)  # at once: the next call may be in the same batch
            raise
        finally:
            moves.append(_Move(tx.focus, before, replace(tx.focus)))

    def _answer(self, tx: Tx, operation: Operation, arguments: Input, call: Call) -> Answer:
        if call.key is None:
            return _run(tx, operation, arguments)
        if (earlier := _earlier_answer(tx, operation, call, call.key)) is not None:
            return earlier
        return _answered_once(tx, operation, arguments, call, call.key)

    def _tx(self, sql: Sql, operation: Operation, call: Call) -> Tx:
        return Tx(
            sql,
            workspace=call.workspace,
            views=self._views,
            caller=call.caller,
            world=self._world,
            keyring=self._keyring,
            surface=operation.room,
            operation=operation.name,
            as_of=NOW if call.as_of is None else call.as_of,
            progress=call.progress,
            focus=call.focus,
            roots=call.roots,
            rules=self._rules,
        )


def _run(tx: Tx, operation: Operation, arguments: Input) -> Answer:
    hint = operation.guard(tx, operation, arguments) if operation.guard is not None else None
    answer = operation.function(tx, arguments).answer()
    whole = answer if hint is None else {**answer, "hint": hint}
    return _within_budget(whole, getattr(arguments, "max_chars", None), operation)


class _Move(NamedTuple):
    """What a call made of its caller's focus. The next call may begin from there before this one is durable."""

    focus: Focus
    before: Focus
    after: Focus


def _has_failed(done: Future[Answer]) -> bool:
    return not done.cancelled() and done.exception() is not None


def _take_back(moves: list[_Move]) -> None:
    """What was not written has not happened. Where others have moved the focus meanwhile, it stays."""
    for focus, before, after in moves:
        if focus == after:
            _restore(focus, before)


def _restore(focus: Focus, before: Focus) -> None:
    focus.move(before.session_id, before.stage)
    focus.place = before.place


def fault(error: BaseException) -> ThoughtboxError:
    """Any failure as the one error type; what is not ours to tell goes to the log under an id."""
    if isinstance(error, ThoughtboxError):
        return error
    incident = f"{id(error):x}"[-8:]
    logger.error("incident %s", incident, exc_info=error)
    return InternalError(
        "something went wrong inside Thoughtbox; nothing was written",
        recovery=f"Look for incident {incident} in the server's log.",
        details={"incident": incident},
    )


def _within_budget(answer: Answer, max_chars: int | None, operation: Operation) -> Answer:
    """The answer cut to its budget; what was cut is said in the `budget` block, which does not count."""
    fitted, warnings = fit(
        answer, max_chars, ceiling=operation.ceiling, keep=operation.keep, newest_first=operation.newest_first
    )
    if not warnings:
        return fitted
    if "max_chars" in operation.input.model_fields:
        # A way out that can be sent as it stands: under the name that the argument has on this room's wire.
        spelled = wire_name(operation.input, "max_chars")
        told = [{name: text.replace("max_chars", spelled) for name, text in warning.items()} for warning in warnings]
    else:
        told = [
            {**warning, "recovery": "Read it in parts, from one of the ids that are shown."} for warning in warnings
        ]
    return {**fitted, "budget": {**fitted["budget"], "warnings": told}}


def _check_options(operation: Operation, call: Call) -> None:
    if call.as_of is not None:
        if operation.writes:
            raise InvalidOperation(f"{operation.name} writes; only reads can be made as of an earlier record")
        if call.as_of < 0:
            raise InvalidPayload("as-of must be the number of a record, 0 or more")
    if call.key is not None and not 1 <= len(call.key) <= LONGEST_KEY:
        raise InvalidPayload(f"an idempotency key has 1 to {LONGEST_KEY} characters")


def _earlier_answer(tx: Tx, operation: Operation, call: Call, key: str) -> Answer | None:
    seq = tx.ask(Answers).seq_of(key)
    if seq is None:
        return None
    record = tx.ledger.record(seq)
    if record is None:
        raise LedgerBroken(f"the answer to key {key!r} should be record th:{seq}, which is missing")
    if record.data["operation"] != operation.name or record.data["arguments"] != _digest(call.arguments):
        raise IdempotencyConflict(
            f"key {key!r} was used for another call ({record.data['operation']})",
            recovery="Use a new key for a new call, or send the first call again unchanged.",
            details={"key": key, "operation": record.data["operation"], "record": record.id},
        )
    return record.data["answer"]


def _answered_once(tx: Tx, operation: Operation, arguments: Input, call: Call, key: str) -> Answer:
    """Run the call between a `tool_call` and a `tool_result` that remembers the answer."""
    stream = f"calls/{tx.caller.agent}"
    called = tx.append(
        Draft(
            kind="tool_call",
            topic=CALLED,
            text=operation.name,
            session="calls",
            attrs={"toolName": operation.name, "args": dict(call.arguments)},
        ),
        stream=stream,
    )
    answer = _run(tx, operation, arguments)
    tx.append(
        Draft(
            kind="tool_result",
            topic=ANSWERED,
            text=operation.name,
            session="calls",
            attrs={"callId": called.id, "status": "ok"},
            data={"key": key, "operation": operation.name, "arguments": _digest(call.arguments), "answer": answer},
        ),
        stream=stream,
    )
    return answer


def _digest(arguments: Mapping[str, Any]) -> str:
    return sha256(canonical(dict(arguments))).hexdigest()
