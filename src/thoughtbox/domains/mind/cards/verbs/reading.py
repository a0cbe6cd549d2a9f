"""Reading what cards are pinned."""

from __future__ import annotations

from thoughtbox.domains.mind.cards.models import ListPins, Pins
from thoughtbox.domains.mind.cards.stamping import PINNED
from thoughtbox.domains.mind.cards.verbs.changing import HYPOTHESIS
from thoughtbox.domains.mind.facets import of_tag
from thoughtbox.domains.mind.nodes import shown_node
from thoughtbox.domains.mind.paging import Page
from thoughtbox.domains.mind.room import IN_FULL, room
from thoughtbox.domains.mind.scope import scope_of
from thoughtbox.domains.mind.times import as_of
from thoughtbox.domains.mind.view.graph import Graph
from thoughtbox.errors import UnknownId
from thoughtbox.operations import Example, Tx

MOST_PINS = 200


@room.operation(
    "think_pins",
    title="List pinned cards",
    toolsets=IN_FULL,
    errors=[UnknownId],
    keep=["pagination"],
    newest_first=frozenset({"pins"}),
    example=Example({}, given=[HYPOTHESIS, ("think_pin", {"targets": "H1"})]),
)
def think_pins(tx: Tx, call: ListPins) -> Pins:
    """The cards that are pinned, the last changed first; drafts among them, too."""
    tx = as_of(tx, call.as_of)
    scope = scope_of(tx, target=call.target, branch=call.ref, graph=call.graph_doc, named="ref")
    limit = min(max(call.limit, 1), MOST_PINS)
    graph = tx.ask(Graph).of(scope.branch, scope.graph)
    found = graph.newest(of_tag(PINNED), drafts=True, before=call.cursor, limit=limit + 1)
    page, has_more = found[:limit], len(found) > limit
    return Pins(
        branch=scope.branch.name,
        graph_doc=scope.graph,
        pins=[shown_node(node) for node in page],
        pagination=Page(
            cursor=call.cursor,
            next_cursor=page[-1].last_seq if has_more else None,
            has_more=has_more,
            limit=limit,
            count=len(page),
        ),
    )
