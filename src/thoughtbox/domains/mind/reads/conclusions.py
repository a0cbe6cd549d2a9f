"""What follows from a slice: the engine's block, and the capsule that says it in short."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from thoughtbox.domains.mind.reads.lens import Lens
from thoughtbox.domains.mind.selection import is_card
from thoughtbox.domains.mind.slice import Card, Link, Place, TraceEntry
from thoughtbox.domains.mind.toolsets import disclosing, shown_in
from thoughtbox.domains.mind.view.graph import Node
from thoughtbox.operations import Tx

SIGNALS, ACTIONS = 6, 2
"""What a view says of the engine's, where it is not told how much: as many actions as its capsule has."""


class Conclusions(NamedTuple):
    """What a view says of its slice."""

    capsule: dict[str, Any]
    engine: dict[str, Any] | None


def concluded(
    tx: Tx,
    lens: Lens,
    nodes: Sequence[Node],
    entries: Sequence[Mapping[str, Any]],
    *,
    kind: str,
    docs: Mapping[str, str],
    signals_limit: int = SIGNALS,
    actions_limit: int = ACTIONS,
) -> Conclusions:
    """The engine's conclusions from the cards and trace entries that a view shows, and its capsule."""
    # They are needed by few calls, and cost a start.
    from thoughtbox.domains.mind.engine.capsule import capsule
    from thoughtbox.domains.mind.engine.engine import considered

    place = _place(tx, lens)
    engine = None
    if signals_limit or actions_limit:
        cards = {node.id: _card(node) for node in nodes if is_card(node)}
        links = [
            Link(edge.source, edge.rel, edge.target, edge.last_seq, edge.last_ts_ms)
            for edge in lens.graph.edges(sources=cards, targets=cards)
        ]
        engine = considered(
            list(cards.values()),
            links,
            [_entry(entry) for entry in entries],
            place,
            signals_limit=signals_limit,
            actions_limit=actions_limit,
        )
    return Conclusions(capsule(kind, place, engine, docs=docs, lane=lens.lane, step=lens.step_focus), engine)


def _place(tx: Tx, lens: Lens) -> Place:
    scope, step = lens.scope, lens.step
    return Place(
        workspace=tx.workspace,
        target=scope.target,
        branch=scope.branch.name,
        trace_doc=scope.trace,
        graph_doc=scope.graph,
        step=step.step_id if step is not None else None,
        step_tag=lens.step_tag,
        shown=shown_in(tx.caller.toolset),
        disclosing=disclosing,
    )


def _card(node: Node) -> Card:
    return Card(
        node.id,
        node.type,
        node.title,
        node.text,
        node.status,
        node.tags,
        node.meta,
        node.last_seq,
        node.last_ts_ms,
    )


def _entry(entry: Mapping[str, Any]) -> TraceEntry:
    meta = entry.get("meta")
    return TraceEntry(
        entry["seq"],
        entry["ts_ms"],
        entry["kind"],
        entry.get("format"),
        meta if isinstance(meta, Mapping) else {},
        entry.get("event_type"),
    )
