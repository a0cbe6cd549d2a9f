"""Reading what stands: pinned cards, templates, playbooks, and what is wrong with a graph."""

from __future__ import annotations

from thoughtbox.domains.mind.cards.card import TYPES, CardRefused
from thoughtbox.domains.mind.cards.models import (
    Lint,
    Linted,
    ListPins,
    Pins,
    Playbook,
    PlaybookShown,
    Template,
    TemplateShown,
)
from thoughtbox.domains.mind.cards.stamping import PINNED
from thoughtbox.domains.mind.cards.verbs.changing import HYPOTHESIS
from thoughtbox.domains.mind.facets import of_tag
from thoughtbox.domains.mind.graph.shown import node_shown
from thoughtbox.domains.mind.next_page import suggest_next
from thoughtbox.domains.mind.paging import clamped, paged, pages_of
from thoughtbox.domains.mind.refusals import invalid
from thoughtbox.domains.mind.room import IN_DAILY, IN_FULL, room
from thoughtbox.domains.mind.scope import scope_of
from thoughtbox.domains.mind.times import as_of
from thoughtbox.domains.mind.view.graph import Graph
from thoughtbox.errors import UnknownId
from thoughtbox.operations import Example, Tx

MOST_PINS = 200
MOST_ERRORS = 500


@room.operation(
    "think_pins",
    title="List pinned cards",
    toolsets=IN_FULL,
    errors=[UnknownId],
    keep=["pagination"],
    newest_first=frozenset({"pins"}),
    pages=pages_of("pins", "last_seq"),
    example=Example({}, given=[HYPOTHESIS, ("think_pin", {"targets": "H1"})]),
)
def think_pins(tx: Tx, call: ListPins) -> Pins:
    """The cards that are pinned, the last changed first; drafts among them, too."""
    at = as_of(tx, call.as_of)
    scope = scope_of(at, target=call.target, branch=call.ref, graph=call.graph_doc, named="ref")
    limit = clamped(call.limit, MOST_PINS)
    graph = at.ask(Graph).of(scope.branch, scope.graph)
    found = graph.newest(of_tag(PINNED), drafts=True, before=call.cursor, limit=limit + 1)
    shown, page = paged(found, call.cursor, limit, by="last_seq")
    suggest_next(tx, "think_pins", call, "See the pinned cards that changed earlier")
    return Pins(branch=scope.branch.name, graph_doc=scope.graph, pins=list(map(node_shown, shown)), pagination=page)


@room.operation(
    "think_template",
    title="See what a card of a type has",
    toolsets=IN_FULL,
    keep=["template"],
    newest_first=frozenset({"supported_types"}),
    example=Example({"type": "hypothesis"}),
)
def think_template(tx: Tx, call: Template) -> TemplateShown:
    """An empty card of a type, ready to be filled in and sent with think_card, and what to write into it."""
    from thoughtbox.domains.mind.cards.templates import guidance, template

    try:
        card = template(call.type)
    except CardRefused as refused:
        raise invalid(
            refused.message,
            recovery=refused.recovery,
            field="type",
            hints=[{"kind": "type", "field": "type", "expected": ", ".join(TYPES)}],
        ) from None
    return TemplateShown(type=card["type"], supported_types=list(TYPES), template=card, guidance=guidance(card["type"]))


@room.operation(
    "think_playbook",
    title="Read a playbook",
    toolsets=IN_DAILY,
    keep=["template"],
    newest_first=frozenset({"steps"}),
    example=Example({"name": "strict"}),
)
def think_playbook(tx: Tx, call: Playbook) -> PlaybookShown:
    """A way of working in cards, step by step, with its stop criteria.

    default, strict, skeptic, breakthrough, debug, bisect, criteria_matrix, experiment, contradiction; any other name
    gives a generic one. Nothing is written.
    """
    from thoughtbox.domains.mind.cards.playbooks import playbook

    return PlaybookShown(workspace=tx.workspace, **playbook(call.name))


@room.operation(
    "think_lint",
    title="Check the cards of a graph",
    toolsets=IN_FULL,
    errors=[UnknownId],
    keep=["stats"],
    newest_first=frozenset({"errors"}),
    example=Example({}, given=[("think_card", {"card": {"title": "t"}, "supports": ["H9"]})]),
)
def think_lint(tx: Tx, call: Lint) -> Linted:
    """Check that every edge of a graph leads from a node to a node: a card may name others before they are there."""
    from thoughtbox.domains.mind.graph.validation import validated

    at = as_of(tx, call.as_of)
    scope = scope_of(at, target=call.target, branch=call.ref, graph=call.graph_doc, named="ref")
    found = validated(at.ask(Graph).of(scope.branch, scope.graph), clamped(call.max_errors, MOST_ERRORS))
    return Linted(
        branch=scope.branch.name,
        graph_doc=scope.graph,
        ok=found.ok,
        stats={"nodes": found.nodes, "edges": found.edges},
        errors=[wrong.shown() for wrong in found.dangling],
        truncated=found.truncated,
    )
