"""Changing cards that stand: links, status, pins."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from thoughtbox.domains.mind import records
from thoughtbox.domains.mind.arguments import OneOrMany, listed
from thoughtbox.domains.mind.cards.models import (
    CardsChanged,
    CardState,
    InGraph,
    Link,
    Linked,
    Pin,
    SetStatus,
)
from thoughtbox.domains.mind.cards.parsing import RESERVED_IDS
from thoughtbox.domains.mind.cards.stamping import PINNED
from thoughtbox.domains.mind.nodes import nodes_of
from thoughtbox.domains.mind.refusals import invalid
from thoughtbox.domains.mind.room import IN_FULL, room
from thoughtbox.domains.mind.scope import Scope, scope_of
from thoughtbox.domains.mind.view.graph import Graph, Node, edge_state
from thoughtbox.errors import UnknownId
from thoughtbox.operations import Example, Tx

HYPOTHESIS = ("think_card", {"card": {"id": "H1", "type": "hypothesis", "title": "The cache is cold after a deploy"}})
TEST = ("think_card", {"card": {"id": "T1", "type": "test", "title": "Warm the cache before switching over"}})


def graph_scope(tx: Tx, call: InGraph, trace: str | None = None) -> Scope:
    return scope_of(tx, target=call.target, branch=call.ref, graph=call.graph_doc, trace=trace, named="ref")


@room.operation(
    "think_link",
    writes=True,
    effect="overwrites",
    idempotent=True,
    title="Link two cards",
    toolsets=IN_FULL,
    errors=[UnknownId],
    example=Example({"from": "T1", "rel": "supports", "to": "H1"}, given=[HYPOTHESIS, TEST]),
)
def think_link(tx: Tx, call: Link) -> Linked:
    """Link two cards that are there, by any relation: supports and blocks are what is reasoned with."""
    if call.source == call.to:
        raise invalid(f"`from` and `to` are both `{call.to}`", recovery="Link two different cards.", field="to")
    scope = graph_scope(tx, call)
    nodes_of(tx, scope, [call.source, call.to])
    meta = told(call.message, call.meta)
    known = tx.ask(Graph).of(scope.branch, scope.graph).edge((call.source, call.rel, call.to))
    changed = known is None or known.meta != meta
    edge = edge_state(call.source, call.rel, call.to, meta)
    if known is not None and not changed:
        seq = known.last_seq
    else:
        seq = records.write_edge(tx, scope.branch.id, scope.branch.name, scope.graph, edge, why="think_link").seq
    return Linked(
        branch=scope.branch.name,
        graph_doc=scope.graph,
        edge={**edge, "last_seq": seq},
        changed=changed,
        last_seq=seq,
        graph_ref=f"{scope.graph}@{seq}",
    )


@room.operation(
    "think_set_status",
    writes=True,
    effect="overwrites",
    idempotent=True,
    title="Set the status of cards",
    toolsets=IN_FULL,
    errors=[UnknownId],
    example=Example({"targets": "H1", "status": "accepted"}, given=[HYPOTHESIS]),
)
def think_set_status(tx: Tx, call: SetStatus) -> CardsChanged:
    """Give cards a status, and say why if you like. What has it already is left as it is."""
    scope, said = graph_scope(tx, call), told(call.message, call.meta)
    return _changed(tx, scope, call.targets, lambda node: node._replace(status=call.status, meta={**node.meta, **said}))


@room.operation(
    "think_pin",
    writes=True,
    effect="overwrites",
    idempotent=True,
    title="Pin cards",
    toolsets=IN_FULL,
    errors=[UnknownId],
    example=Example({"targets": ["H1"]}, given=[HYPOTHESIS]),
)
def think_pin(tx: Tx, call: Pin) -> CardsChanged:
    """Pin cards, so that every view of relevance shows them first; or take their pins away."""
    scope = graph_scope(tx, call)

    def pinned(node: Node) -> Node:
        tags = {*node.tags, PINNED} if call.pinned else {*node.tags} - {PINNED}
        return node._replace(tags=tuple(sorted(tags)))

    return _changed(tx, scope, call.targets, pinned)


def told(message: str | None, meta: dict[str, Any] | None) -> dict[str, Any]:
    return {**(meta or {}), **({"message": message} if message is not None else {})}


def _changed(tx: Tx, scope: Scope, targets: OneOrMany, change: Callable[[Node], Node]) -> CardsChanged:
    """Change some cards, all or none, and write down those that are not so already."""
    wanted = listed(targets)
    must_be_cards(wanted)
    if not wanted:
        raise invalid("`targets` is empty", recovery="Name at least one card.", field="targets")
    states = [changed_node(tx, scope, node, change(node)) for node in nodes_of(tx, scope, wanted)]
    return CardsChanged(
        branch=scope.branch.name,
        graph_doc=scope.graph,
        cards=states,
        changed=sum(state.changed for state in states),
    )


def must_be_cards(ids: list[str]) -> None:
    """Refuse nodes that stand for tasks and steps: what they say comes from there."""
    for id in ids:
        if id.startswith(RESERVED_IDS):
            raise invalid(
                f"`{id[:60]}` stands for a task or a step, and is no card",
                recovery="Change the task itself with the tasks_ tools.",
                field="targets",
            )


def changed_node(tx: Tx, scope: Scope, before: Node, after: Node) -> CardState:
    """Write a card as it is now, if that is anything new."""
    changed, seq = before.said != after.said, before.last_seq
    if changed:
        why = tx.task.operation
        seq = records.write_node(tx, scope.branch.id, scope.branch.name, scope.graph, after.state(), why=why).seq
    return CardState(
        card_id=after.id,
        status=after.status,
        pinned=PINNED in after.tags,
        changed=changed,
        last_seq=seq,
        graph_ref=f"{scope.graph}@{seq}",
    )
