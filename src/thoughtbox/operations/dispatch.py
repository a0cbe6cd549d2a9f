"""The one way to run an operation: look up, check, run in a transaction, shape the answer."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, TypeVar

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
from thoughtbox.ledger.record import Draft
from thoughtbox.ledger.view import NOW, Views
from thoughtbox.operations.arguments import bind, wire_name
from thoughtbox.operations.budget import fit
from thoughtbox.operations.caller import ANONYMOUS, Caller
from thoughtbox.operations.models import Input
from thoughtbox.operations.registry import TABLE, Operation, Table
from thoughtbox.operations.tx import Progress, Tx
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


class Dispatcher:
    """Runs calls against one engine."""

    def __init__(self, engine: Engine, views: Views, *, world: World, keyring: Keyring, table: Table = TABLE) -> None:
        self._engine = engine
        self._views = views
        self._world = world
        self._keyring = keyring
        self.table = table

    def submit(self, call: Call) -> Future[Answer]:
        """Run the call; raises at once when it is not well formed, before anything is touched."""
        operation = self.table.find(call.operation)
        arguments = bind(operation, call.arguments)
        _check_options(operation, call)
        if operation.writes:
            return self._engine.write(call.workspace, lambda sql: self._write(sql, operation, arguments, call))
        return self._engine.read(lambda sql: self._read(sql, operation, arguments, call))

    def call(self, call: Call) -> Answer:
        """Run the call and wait for its answer."""
        return self.submit(call).result()

    def ask(self, workspace: str, caller: Caller, question: Callable[[Tx], T]) -> Future[T]:
        """Put a question to the store that no operation asks, such as which names begin with a prefix."""

        def answered(sql: Sql) -> T:
            return question(
                Tx(
                    sql,
                    workspace=workspace,
                    views=self._views,
                    caller=caller,
                    world=self._world,
                    keyring=self._keyring,
                    surface="door",
                    operation="ask",
                )
            )

        return self._engine.read(answered)

    def _read(self, sql: Sql, operation: Operation, arguments: Input, call: Call) -> Answer:
        answer = operation.function(self._tx(sql, operation, call), arguments).answer()
        return _within_budget(answer, getattr(arguments, "max_chars", None), operation)

    def _write(self, sql: Sql, operation: Operation, arguments: Input, call: Call) -> Answer:
        tx = self._tx(sql, operation, call)
        if call.key is None:
            return operation.function(tx, arguments).answer()
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
        )


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
    # A way out that can be sent as it stands: under the name that the argument has on this room's wire.
    spelled = wire_name(operation.input, "max_chars")
    told = [{name: text.replace("max_chars", spelled) for name, text in warning.items()} for warning in warnings]
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
    answer = operation.function(tx, arguments).answer()
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
