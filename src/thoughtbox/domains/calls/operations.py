"""Two verbs that lead to all others: the gateway runs one by its name, `batch` many in one transaction."""

from __future__ import annotations

from typing import Any

from thoughtbox.domains.calls.gateway_route import route
from thoughtbox.domains.calls.gateway_text import described
from thoughtbox.domains.calls.models import Batch, BatchAnswered, BatchedCall, GatewayCall, Routed
from thoughtbox.errors import InvalidOperation, ThoughtboxError
from thoughtbox.operations import Example, Gateway, Room, Tx

BATCH_CEILING = 8_000_000
"""Every answer stands whole in its place."""

room = Room(
    "calls",
    summary="Calls on other operations: one by its name, many in one transaction.",
    gateway="batch {calls: [{operation, arguments}]}: all or none.",
    echo=lambda operation, answer: f"{operation} of {len(answer['answers'])}" if "answers" in answer else operation,
)


@room.operation(
    "thoughtbox_gateway",
    writes=True,
    title="Thoughtbox",
    toolsets=["default"],
    gateway=Gateway(route=route, described=described),
    errors=[InvalidOperation],
    example=Example({"operation": "thought_plan", "sessionId": "s1", "planDescription": "Move the cache"}),
)
def thoughtbox_gateway(tx: Tx, call: GatewayCall) -> Routed:
    """Run any operation by its name."""
    raise InvalidOperation("the gateway leads to other operations and does nothing itself")


@room.operation(
    "batch",
    writes=True,
    title="Run calls together, all or none",
    ceiling=BATCH_CEILING,
    errors=[InvalidOperation],
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


def _answer(tx: Tx, index: int, one: BatchedCall) -> dict[str, Any]:
    try:
        return tx.call(one.operation, one.arguments)
    except ThoughtboxError as error:
        error.message = f"calls[{index}], {one.operation}: {error.message.rstrip('.')}; nothing of the batch was done"
        error.details = {**error.details, "index": index, "operation": one.operation}
        raise
