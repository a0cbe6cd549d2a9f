"""Verbs about other verbs: the gateway runs one by its name, `batch` many as one, `describe` tells what each takes."""

from __future__ import annotations

from typing import Any

from thoughtbox.domains.calls import descriptions
from thoughtbox.domains.calls.gateway_route import route
from thoughtbox.domains.calls.gateway_schema import properties
from thoughtbox.domains.calls.gateway_text import described
from thoughtbox.domains.calls.models import (
    Batch,
    BatchAnswered,
    BatchedCall,
    Describe,
    Described,
    GatewayCall,
    Routed,
)
from thoughtbox.errors import InvalidOperation, InvalidPayload, RecordedRefusal, ThoughtboxError
from thoughtbox.operations import TABLE, Example, Gateway, Room, Tx

BATCH_CEILING = 8_000_000
"""Every answer stands whole in its place."""

room = Room(
    "calls",
    summary="Calls on other operations: one by its name, many in one transaction.",
    gateway="batch {calls}: all or none",
    echo=lambda operation, answer: f"{operation} of {len(answer['answers'])}" if "answers" in answer else operation,
)


@room.operation(
    "thoughtbox_gateway",
    writes=True,
    effect="removes",  # what it leads to may
    title="Thoughtbox",
    toolsets=["default"],
    gateway=Gateway(route=route, described=described, properties=properties),
    app="session",
    errors=[InvalidOperation],
    example=Example({"operation": "thought_plan", "sessionId": "s1", "planDescription": "Move the cache"}),
)
def thoughtbox_gateway(tx: Tx, call: GatewayCall) -> Routed:
    """Run any operation by its name."""
    raise InvalidOperation("the gateway leads to other operations and does nothing itself")


@room.operation(
    "batch",
    writes=True,
    effect="removes",  # the calls in it may
    title="Run calls together, all or none",
    ceiling=BATCH_CEILING,
    errors=[InvalidOperation, RecordedRefusal],
    example=Example(
        {
            "calls": [
                {"operation": "thought_plan", "arguments": {"sessionId": "s1", "planDescription": "Move the cache"}},
                {"operation": "thought_decision", "arguments": {"sessionId": "s1", "decision": "Use a read-through."}},
            ]
        }
    ),
)
def batch(tx: Tx, call: Batch) -> BatchAnswered:
    """Run calls one after the other in one transaction: all of them, or none.

    Each sees what the ones before it have written. When one fails, nothing of the others stays, and the error says
    which it was.
    """
    with tx.together():
        return BatchAnswered(answers=[_answer(tx, index, one) for index, one in enumerate(call.calls)])


@room.operation(
    "describe",
    describes=True,
    title="Describe an operation",
    errors=[InvalidOperation],
    example=Example({"name": "thought_plan"}),
)
def describe(tx: Tx, call: Describe) -> Described:
    """What an operation takes and answers, with an example; of a family, a room or all, which operations there are."""
    name = _named(call)
    if name is None:
        return descriptions.of_all(TABLE)
    if family := TABLE.family(name):
        return descriptions.of_several(TABLE, [f"{name}.{sub}" for sub in family])
    if name in TABLE.rooms and name not in TABLE.operations:
        among = [known.name for known in TABLE.known.values() if known.room == name and not known.hidden]
        return descriptions.of_several(TABLE, among)
    return descriptions.of_one(TABLE.find(name))


def _named(call: Describe) -> str | None:
    """What is to be described, however it was folded."""
    if call.name is not None and call.operation is not None and call.name != call.operation:
        raise InvalidPayload(
            "`name` and `operation` are given, and differ",
            recovery="Send name alone.",
            details={"fields": ["name", "operation"]},
        )
    named = call.name or call.operation
    return ".".join(filter(None, (named, call.sub_operation))) or None


def _answer(tx: Tx, index: int, one: BatchedCall) -> dict[str, Any]:
    try:
        return tx.call_enveloped(one.operation, one.arguments)
    except ThoughtboxError as error:
        error.message = f"calls[{index}], {one.operation}: {error.message.rstrip('.')}; nothing of the batch was done"
        error.details = {**error.details, "index": index, "operation": one.operation}
        raise
