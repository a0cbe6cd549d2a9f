"""Publishing a card: a copy that every default view shows."""

from __future__ import annotations

from typing import Any

from thoughtbox.domains.mind.cards.card import DEFAULT_STATUS, CardRefused, ParsedCard
from thoughtbox.domains.mind.cards.models import Publish, Published
from thoughtbox.domains.mind.cards.stamping import PUBLISHED, published
from thoughtbox.domains.mind.cards.verbs.changing import HYPOTHESIS, graph_scope, must_be_cards
from thoughtbox.domains.mind.cards.writing import Written, as_written, state_of, write_anew, written_before
from thoughtbox.domains.mind.nodes import nodes_of
from thoughtbox.domains.mind.refusals import invalid
from thoughtbox.domains.mind.room import IN_FULL, room
from thoughtbox.domains.mind.scope import Scope
from thoughtbox.domains.mind.view.graph import Graph, Node
from thoughtbox.errors import UnknownId
from thoughtbox.ledger.canonical import canonical
from thoughtbox.operations import Example, Tx


@room.operation(
    "think_publish",
    writes=True,
    effect="overwrites",
    idempotent=True,
    title="Publish a card",
    toolsets=IN_FULL,
    errors=[UnknownId],
    example=Example({"card_id": "H1"}, given=[HYPOTHESIS]),
)
def think_publish(tx: Tx, call: Publish) -> Published:
    """Publish a card: make or renew its copy `CARD-PUB-<id>`, which is canon and pinned, so that it is found again.

    While the card has not changed, publishing it again changes nothing.
    """
    must_be_cards([call.card_id])
    if call.card_id.startswith(PUBLISHED):
        raise invalid(
            f"`{call.card_id}` is a published copy itself",
            recovery=f"Publish the card that it was made from: card_id={call.card_id.removeprefix(PUBLISHED)}.",
            field="card_id",
        )
    scope = graph_scope(tx, call, call.trace_doc)
    (source,) = nodes_of(tx, scope, [call.card_id])
    copy = _copy(source, pin=call.pin, agent=call.agent_id)
    written, was_there = _put(tx, scope, copy, source, call.agent_id)
    return Published(
        branch=scope.branch.name,
        trace_doc=written.trace_doc,
        graph_doc=written.graph_doc,
        card_id=source.id,
        published_id=written.card_id,
        inserted=written.inserted and not was_there,
        updated=written.inserted and was_there,
        trace_seq=written.seq,
        trace_ref=written.trace_ref,
        last_seq=written.seq,
        graph_ref=written.graph_ref,
    )


def _copy(source: Node, *, pin: bool, agent: str | None) -> ParsedCard:
    card = ParsedCard(
        id=source.id,
        type=source.type,
        title=source.title,
        text=source.text,
        status=source.status if source.status is not None else DEFAULT_STATUS,
        tags=source.tags,
        meta=source.meta,
    )
    try:
        return published(card, pin=pin, agent_id=agent)
    except CardRefused as refused:
        raise invalid(refused.message, recovery=refused.recovery, field="card_id") from None


def _put(tx: Tx, scope: Scope, copy: ParsedCard, source: Node, agent: str | None) -> tuple[Written, bool]:
    """Write the copy if it was never made, is gone, or was made of something else; and whether there was one."""
    assert copy.id is not None
    before = written_before(tx, scope, copy.id)
    stands = tx.ask(Graph).of(scope.branch, scope.graph).node(copy.id) is not None
    if before is not None and stands and _made_of(before.data["card"]) == _made_of(state_of(copy)):
        return as_written(before), True
    leads = tx.ask(Graph).of(scope.branch, scope.graph).edge((copy.id, "supports", source.id)) is not None
    return write_anew(tx, scope, copy, {} if leads else {"supports": [source.id]}, agent=agent), stands


def _made_of(state: dict[str, Any]) -> bytes:
    """What makes two copies the same: who published them does not."""
    meta = {name: value for name, value in state["meta"].items() if name != "published_from"}
    return canonical({**state, "meta": meta})
