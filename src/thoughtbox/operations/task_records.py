"""Calls that go on without their caller: tasks, as the ledger keeps them.

A task is a stream of its own. It begins with a `tool_call` and ends with a `tool_result` that holds the answer, word
for word; between them may stand what its client was asked, and what it said. So the ledger alone tells what became of
it, in any process and after any restart. Only whether somebody is still at work on one without an end is told by a
lease beside it.

A stream is named after the hash of its task's id: whoever reads the ledger learns no id.
"""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from typing import Any, Literal, NamedTuple

import orjson

from thoughtbox.ledger import leases
from thoughtbox.ledger.leases import Lease
from thoughtbox.ledger.record import Draft, Record
from thoughtbox.ledger.tasks import ASKED, BEGUN, ENDED, STREAMS, TOLD
from thoughtbox.operations.tx import Tx
from thoughtbox.redaction import redacted
from thoughtbox.world import milliseconds

Status = Literal["completed", "failed", "cancelled"]


class Begin(NamedTuple):
    """A call that is to go on by itself."""

    operation: str
    arguments: Mapping[str, Any]
    principal: str | None
    """Who may ask for it; None where nobody is told apart."""
    ttl_ms: int
    """How long it is kept after its end."""
    holder: str
    """Whose tasks it is counted among."""
    most: int
    """How many of them may be under way in a workspace."""


class Outcome(NamedTuple):
    """How a task has ended."""

    status: Status
    answer: str | None = None
    """Of one that is completed: the answer as JSON."""
    is_error: bool = False
    """Whether that is a refusal."""
    error: Mapping[str, Any] | None = None
    """Of one that has failed: a `code` and a `message`."""


class TaskState(NamedTuple):
    """A task as the store has it."""

    workspace: str
    stream: str
    operation: str
    principal: str | None
    ttl_ms: int
    created: str
    updated: str
    asked: Mapping[str, Any]
    """What its client was asked and has not answered, by key."""
    told: Mapping[str, Any]
    """What its client has answered."""
    outcome: Outcome | None
    lease: Lease | None
    """That somebody is at work on it."""
    last_seq: int
    now_ms: int
    """When it was looked at."""

    @property
    def age_ms(self) -> int:
        """From its beginning to its end; of one that is worked on, until now. A clock may have been set back."""
        if self.outcome is None and self.lease is None:
            return 0
        until = self.now_ms if self.outcome is None else milliseconds(self.updated)
        return max(0, until - milliseconds(self.created))

    @property
    def lifetime_ms(self) -> int:
        """How long it is known, from its beginning on."""
        return self.age_ms + self.ttl_ms

    @property
    def is_over(self) -> bool:
        """Whether its lifetime is."""
        return self.now_ms >= milliseconds(self.created) + self.lifetime_ms


def stream_of(task_id: str) -> str:
    return f"{STREAMS}/{sha256(task_id.encode()).hexdigest()}"


def begin(tx: Tx, stream: str, what: Begin) -> TaskState | None:
    """Write down that a task begins; None when too many are under way."""
    if leases.count(tx.sql, tx.workspace, what.holder, tx.now_ms) >= what.most:
        return None
    tx.append(
        Draft(
            kind="tool_call",
            topic=BEGUN,
            text=what.operation,
            session=STREAMS,
            # Nothing is run from them again, and of a plain read they would not be kept at all.
            attrs={"toolName": what.operation, "args": redacted(dict(what.arguments))},
            data={"ttlMs": what.ttl_ms, **({"principal": what.principal} if what.principal is not None else {})},
        ),
        stream=stream,
    )
    leases.renew(tx.sql, [Lease(tx.workspace, stream, what.holder)], tx.now_ms)
    return task_in(tx, stream)


def ask(tx: Tx, stream: str, key: str, request: Mapping[str, Any]) -> None:
    """Write down what the client of a task is asked."""
    _note(tx, stream, ASKED, "input_requested", {"key": key, "request": orjson.dumps(request).decode()})


def tell(tx: Tx, stream: str, responses: Mapping[str, str]) -> None:
    """Write down what the client says, as JSON and by key; what it was not asked, or has answered, is passed over."""
    task = task_in(tx, stream)
    if task is None or task.outcome is not None:
        return
    for key, response in responses.items():
        if key in task.asked:
            _note(tx, stream, TOLD, "input_given", {"key": key, "response": response})


def end(tx: Tx, stream: str, outcome: Outcome) -> bool:
    """Write down how a task has ended; false when it had ended before."""
    records = list(tx.ledger.stream(stream))
    if not records or any(one.topic == ENDED for one in records):
        return False
    is_ok = outcome.status == "completed" and not outcome.is_error
    said = {"answer": outcome.answer, "isError": outcome.is_error} if outcome.answer is not None else {}
    tx.append(
        Draft(
            kind="tool_result",
            topic=ENDED,
            text=f"{records[0].text} {outcome.status}",
            session=STREAMS,
            attrs={"callId": records[0].id, "status": "ok" if is_ok else "error"},
            data={"status": outcome.status, **said, **({"error": outcome.error} if outcome.error is not None else {})},
        ),
        stream=stream,
    )
    leases.release(tx.sql, tx.workspace, stream)
    return True


def task_in(tx: Tx, stream: str) -> TaskState | None:
    """The task that is kept in a stream; None when there is none, or its lifetime is over."""
    records = list(tx.ledger.stream(stream))
    if not records or records[0].topic != BEGUN:
        return None
    first, last, now_ms = records[0], records[-1], tx.now_ms
    asked = {one.data["key"]: one.data["request"] for one in records if one.topic == ASKED}
    told = {one.data["key"]: one.data["response"] for one in records if one.topic == TOLD}
    ended = next((one for one in records if one.topic == ENDED), None)
    outcome = _outcome(ended) if ended is not None else None
    task = TaskState(
        workspace=tx.workspace,
        stream=stream,
        operation=first.attrs["toolName"],
        principal=first.data.get("principal"),
        ttl_ms=first.data["ttlMs"],
        created=first.ts,
        updated=last.ts,
        asked={key: orjson.loads(request) for key, request in asked.items() if key not in told},
        told={key: orjson.loads(response) for key, response in told.items()},
        outcome=outcome,
        lease=leases.held(tx.sql, tx.workspace, stream, now_ms) if outcome is None else None,
        last_seq=last.seq,
        now_ms=now_ms,
    )
    return None if task.is_over else task


def _outcome(record: Record) -> Outcome:
    data = record.data
    return Outcome(data["status"], data.get("answer"), data.get("isError", False), data.get("error"))


def _note(tx: Tx, stream: str, topic: str, event: str, data: Mapping[str, Any]) -> None:
    tx.append(
        Draft(kind="hub_event", topic=topic, text=event, session=STREAMS, attrs={"eventType": event}, data=dict(data)),
        stream=stream,
    )
