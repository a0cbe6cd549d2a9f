"""A call that is sent again with its idempotency key: the first answer, and the focus that the first call came to."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from hashlib import sha256
from typing import Any

from thoughtbox.errors import IdempotencyConflict
from thoughtbox.ledger.answers import ANSWERED, CALLED, Answers
from thoughtbox.ledger.canonical import canonical
from thoughtbox.ledger.record import Draft, Record
from thoughtbox.ledger.view import astray
from thoughtbox.operations.caller import Focus
from thoughtbox.operations.table import Table
from thoughtbox.operations.tx import Answer, Tx

LONGEST_KEY = 256

RECORDS_BEFORE = 1
"""What stands before the records of a call with a key: that it was called."""


def answer_once(tx: Tx, table: Table, key: str, arguments: Mapping[str, Any], run: Callable[[Tx], Answer]) -> Answer:
    """The answer first given to this caller's key; without one, what `run` answers now, to be repeated from then on."""
    answer = repeated(tx, table, key, arguments)
    return _answered_once(tx, table, key, arguments, run) if answer is None else answer


def repeated(tx: Tx, table: Table, key: str, arguments: Mapping[str, Any]) -> Answer | None:
    """The answer first given to the same call with this key, and the focus it came to; None when there was none."""
    earlier = _earlier(tx, key)
    if earlier is None:
        return None
    if earlier.data["operation"] != tx.task.operation or earlier.data["arguments"] != _digest(arguments):
        raise IdempotencyConflict(
            f"key {key!r} was used for another call ({earlier.data['operation']})",
            recovery="Use a new key for a new call, or send the first call again unchanged.",
            details={"key": key, "operation": earlier.data["operation"], "record": earlier.id},
        )
    tx.focus = _moved(tx.focus, table, earlier.data.get("focus", {}))
    return earlier.data["answer"]


def known_answer(tx: Tx, key: str) -> Answer | None:
    """What this caller was answered under this key; None when it was not used."""
    earlier = _earlier(tx, key)
    return earlier.data["answer"] if earlier is not None else None


def _earlier(tx: Tx, key: str) -> Record | None:
    seq = tx.ask(Answers).seq_of(tx.caller.agent, key)
    if seq is None:
        return None
    record = tx.ledger.record(seq)
    if record is None or record.topic != ANSWERED or (record.agent, record.data["key"]) != (tx.caller.agent, key):
        raise astray(Answers, seq, f"the answer to key {key!r}")
    return record


def _answered_once(tx: Tx, table: Table, key: str, arguments: Mapping[str, Any], run: Callable[[Tx], Answer]) -> Answer:
    """Run the call between a `tool_call` and a `tool_result` that remembers the answer."""
    stream = f"calls/{tx.caller.agent}"
    operation, before = tx.task.operation, tx.focus
    called = tx.append(
        Draft(
            kind="tool_call",
            topic=CALLED,
            text=operation,
            session="calls",
            attrs={"toolName": operation, "args": dict(arguments)},
        ),
        stream=stream,
    )
    answer = run(tx)
    moves = _moves(before, tx.focus, table)
    tx.append(
        Draft(
            kind="tool_result",
            topic=ANSWERED,
            text=operation,
            session="calls",
            attrs={"callId": called.id, "status": "ok"},
            data={
                "key": key,
                "operation": operation,
                "arguments": _digest(arguments),
                "answer": answer,
                **({"focus": moves} if moves else {}),
            },
        ),
        stream=stream,
    )
    return answer


def _moves(before: Focus, after: Focus, table: Table) -> dict[str, Any]:
    """What a call has made of its caller's focus, by room."""
    return {
        room.name: asdict(after.of(kind))
        for room in table.rooms.values()
        if (kind := room.remembers) is not None and after.of(kind) != before.of(kind)
    }


def _moved(focus: Focus, table: Table, moves: Mapping[str, Any]) -> Focus:
    for name, values in moves.items():
        room = table.rooms.get(name)
        if room is not None and (kind := room.remembers) is not None:
            focus = focus.on(kind(**values))
    return focus


def _digest(arguments: Mapping[str, Any]) -> str:
    return sha256(canonical(dict(arguments))).hexdigest()
