"""The cards about a plan or task: those of a step, the newest decisions and evidence, and what they rest on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from thoughtbox.domains.mind.cards.card import TYPES
from thoughtbox.domains.mind.facets import of_tag
from thoughtbox.domains.mind.scope import docs_of
from thoughtbox.domains.mind.slice import Card, Link, Place
from thoughtbox.domains.mind.steps import StepRef
from thoughtbox.domains.mind.tasks.events import canonical_branch
from thoughtbox.domains.mind.toolsets import disclosing, shown_in
from thoughtbox.domains.mind.view.graph import Graph, GraphDoc, Node
from thoughtbox.operations import Tx

RELATIONS = ("supports", "blocks")


def graph_of(tx: Tx, target: str) -> GraphDoc:
    return tx.ask(Graph).of(canonical_branch(tx, target), docs_of(target)[2])


def place_of(tx: Tx, target: str, step: StepRef | None) -> Place:
    """Where cards that are suggested go."""
    _, trace, graph = docs_of(target)
    return Place(
        workspace=tx.workspace,
        target=target,
        branch=canonical_branch(tx, target).name,
        trace_doc=trace,
        graph_doc=graph,
        step=step.step_id if step else None,
        step_tag=step.tag if step else None,
        shown=shown_in(tx.caller.toolset),
        disclosing=disclosing,
    )


def tagged(tx: Tx, target: str, tag: str, *, limit: int, drafts: bool = True) -> list[Node]:
    """Cards with a tag, the newest first."""
    walk = graph_of(tx, target).walk(of_tag(tag), drafts=drafts)
    return [node for node, _ in zip((node for node in walk if node.type in TYPES), range(limit), strict=False)]


def slice_around(tx: Tx, target: str, nodes: Sequence[Node]) -> tuple[list[Card], list[Link]]:
    """These cards, those that support or block them or that they do, and the links between all of them."""
    graph = graph_of(tx, target)
    ids = {node.id for node in nodes}
    touching = {edge.key: edge for edge in (*graph.edges(sources=ids), *graph.edges(targets=ids))}
    ends = {end for edge in touching.values() for end in (edge.source, edge.target)} - ids
    near = [node for node in graph.nodes(ends).values() if node.type in TYPES]
    cards = [card_of(node) for node in (*nodes, *near)]
    return cards, links_between(graph, cards)


def links_between(graph: GraphDoc, cards: Iterable[Card]) -> list[Link]:
    ids = {card.id for card in cards}
    return [
        Link(edge.source, edge.rel, edge.target, edge.last_seq, edge.last_ts_ms)
        for edge in graph.edges(sources=ids, targets=ids)
        if edge.rel in RELATIONS
    ]


def card_of(node: Node) -> Card:
    return Card(*node[:7], node.last_seq, node.last_ts_ms)
