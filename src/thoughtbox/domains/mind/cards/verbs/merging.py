"""Merging cards that say the same: one stays, the others lead to it."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

from thoughtbox.domains.mind import records
from thoughtbox.domains.mind.arguments import listed
from thoughtbox.domains.mind.cards.card import TYPES
from thoughtbox.domains.mind.cards.models import Group, Merged, NominalMerge
from thoughtbox.domains.mind.cards.stamping import PUBLISHED
from thoughtbox.domains.mind.cards.verbs.changing import changed_node, graph_scope
from thoughtbox.domains.mind.nodes import nodes_of
from thoughtbox.domains.mind.room import IN_FULL, room
from thoughtbox.domains.mind.scope import Scope
from thoughtbox.domains.mind.view.graph import Graph, GraphDoc, Node, edge_state
from thoughtbox.errors import UnknownId
from thoughtbox.operations import Example, Tx

MERGED = "merged"
DEDUP = "dedup"
MOST_LOOKED_AT = 10
"""Nodes that are looked at for each card that is compared: others stand between them."""

_TWICE = [("think_card", {"card": {"id": id, "type": "question", "title": "Who warms it?"}}) for id in ("Q1", "Q2")]


@room.operation(
    "think_nominal_merge",
    writes=True,
    effect="overwrites",
    idempotent=True,
    title="Merge equal cards",
    toolsets=IN_FULL,
    errors=[UnknownId],
    example=Example({}, given=_TWICE),
)
def think_nominal_merge(tx: Tx, call: NominalMerge) -> Merged:
    """Merge cards of one type that say the same: the others get the status merged, and an edge dedup to the one.

    Same means the same title and text, however they are spaced. A published copy is no duplicate of its card.
    """
    scope = graph_scope(tx, call)
    graph = tx.ask(Graph).of(scope.branch, scope.graph)
    ids = listed(call.ids)
    compared = _compared(graph, nodes_of(tx, scope, ids) if ids else _newest(graph, call.limit))
    groups = list(_groups(compared))
    leading = _led_to(graph, [node.id for group in groups for node in group])
    merged = [_sorted_out(group, leading) for group in groups[: call.limit_groups]]
    if not call.dry_run:
        for canonical, duplicates in merged:
            for node in duplicates:
                _merge(tx, scope, node, canonical)
    return Merged(
        branch=scope.branch.name,
        graph_doc=scope.graph,
        compared=len(compared),
        groups=[
            Group(canonical=canonical.id, duplicates=[node.id for node in duplicates])
            for canonical, duplicates in merged
        ],
        merged=0 if call.dry_run else sum(len(duplicates) for _, duplicates in merged),
        has_more=len(groups) > len(merged),
        dry_run=call.dry_run,
    )


def _newest(graph: GraphDoc, limit: int) -> Iterable[Node]:
    """The newest cards, and those among them that were merged: they do not count, but lead to the ones that stay."""
    counted = 0
    for node in islice(graph.walk(drafts=True, chunk=limit), MOST_LOOKED_AT * limit):
        counted += _may_be_merged(node)
        yield node
        if counted == limit:
            return


def _may_be_merged(node: Node) -> bool:
    return node.type in TYPES and node.status != MERGED and not node.id.startswith(PUBLISHED)


def _compared(graph: GraphDoc, chosen: Iterable[Node]) -> list[Node]:
    """The cards among them that may have duplicates, and those that merged ones lead to: they come before others."""
    found = {node.id: node for node in chosen}
    gone = [id for id, node in found.items() if node.status == MERGED]
    targets = {edge.target for edge in graph.edges(sources=gone) if edge.rel == DEDUP} if gone else set[str]()
    found |= graph.nodes(targets - found.keys())
    return sorted(filter(_may_be_merged, found.values()), key=_age)


def _groups(nodes: Iterable[Node]) -> Iterable[list[Node]]:
    """Those that say the same, the newest first; groups of two and more."""
    alike: dict[tuple[str, str, str], list[Node]] = {}
    for node in nodes:
        title, text = _spaced(node.title), _spaced(node.text)
        if title or text:
            alike.setdefault((node.type, title, text), []).append(node)
    return (group for group in alike.values() if len(group) > 1)


def _led_to(graph: GraphDoc, ids: list[str]) -> set[str]:
    """Those that others were merged into before."""
    return {edge.target for edge in graph.edges(targets=ids) if edge.rel == DEDUP}


def _sorted_out(group: list[Node], leading: set[str]) -> tuple[Node, list[Node]]:
    """The one that stays, and the others. Where others were merged into one before, it stays; otherwise the newest."""
    canonical = min(group, key=lambda node: (node.id not in leading, *_age(node)))
    return canonical, [node for node in group if node.id != canonical.id]


def _merge(tx: Tx, scope: Scope, node: Node, canonical: Node) -> None:
    changed_node(tx, scope, node, node._replace(status=MERGED))
    edge = edge_state(node.id, DEDUP, canonical.id)
    records.write_edge(tx, scope.branch.id, scope.branch.name, scope.graph, edge, why="think_nominal_merge")


def _age(node: Node) -> tuple[int, str]:
    return -node.last_seq, node.id


def _spaced(text: str | None) -> str:
    return " ".join((text or "").split())
