"""Which cards of a plan or task are shown: pinned ones, what is open, those of the step in focus, and recent ones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

from thoughtbox.domains.mind.cards.card import TYPES
from thoughtbox.domains.mind.facets import ANY, of_state, of_status, of_tag, of_type
from thoughtbox.domains.mind.view.graph import GraphDoc, Node

PINNED, BLOCKER = "pinned", "blocker"
MOST_PINS = 8
MOST_OPEN = 6
MOST_OF_STEP = 4
FRONTIER = ("hypothesis", "question", "test")


def selected(graph: GraphDoc, view: str, limit: int, *, drafts: bool, step_tag: str | None) -> list[Node]:
    """The cards that matter most, each once. Pinned ones and those of the step in focus are shown even as drafts."""
    chosen: dict[str, Node] = {}
    for node in islice(_in_order(graph, view, limit, drafts=drafts, step_tag=step_tag), limit * 4 + MOST_PINS):
        if len(chosen) == limit:
            break
        chosen.setdefault(node.id, node)
    return list(chosen.values())


def _in_order(graph: GraphDoc, view: str, limit: int, *, drafts: bool, step_tag: str | None) -> Iterator[Node]:
    yield from cards(graph.walk(of_tag(PINNED), drafts=True), MOST_PINS)
    for type in FRONTIER:
        yield from cards(graph.walk(of_state(type, "open"), drafts=drafts), min(MOST_OPEN, limit))
    if step_tag is not None:
        yield from cards(graph.walk(of_tag(step_tag), drafts=True), MOST_OF_STEP)
    recent = of_status("open") if view in ("smart", "audit") else ANY
    yield from cards(graph.walk(recent, drafts=drafts), limit * 2)


def cards(nodes: Iterable[Node], limit: int) -> list[Node]:
    """Those of these nodes that are cards, so many at most."""
    return list(islice((node for node in nodes if node.type in TYPES), limit))


def of_kind(graph: GraphDoc, kind: str, limit: int, *, drafts: bool) -> list[Node]:
    """The newest decisions, evidence, or whatever is tagged as a blocker."""
    facet = of_tag(BLOCKER) if kind == "blockers" else of_type({"decisions": "decision"}.get(kind, kind))
    walk = graph.walk(facet, drafts=drafts)
    return list(islice(walk, limit)) if kind == "blockers" else cards(walk, limit)
