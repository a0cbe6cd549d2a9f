"""What is new about a plan or task since it was last looked at."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, takewhile
from typing import Any

from thoughtbox.domains.mind.cards.card import TYPES
from thoughtbox.domains.mind.entries import opened
from thoughtbox.domains.mind.facets import ANY
from thoughtbox.domains.mind.graph.shown import node_shown
from thoughtbox.domains.mind.records import write_place
from thoughtbox.domains.mind.scope import NOTES
from thoughtbox.domains.mind.tasks.cards import graph_of
from thoughtbox.domains.mind.tasks.events import canonical_branch
from thoughtbox.domains.mind.view.documents import Documents, Narrowed, Place
from thoughtbox.domains.mind.view.graph import Node
from thoughtbox.domains.mind.view.tasks import Target
from thoughtbox.operations import Tx

MOST = 20
"""Of each kind, the newest."""
MOST_LOOKED_AT = 1_000
KINDS = {"decision": "decisions", "evidence": "evidence"}


def news(tx: Tx, target: Target, *, drafts: bool, keep: bool = True) -> dict[str, Any]:
    """Notes and cards since the last look, which this one becomes with `keep`. The first look sees nothing new."""
    place = f"snapshot:{target.id}"
    known, now = tx.ask(Documents).place(place), tx.ledger.last_seq()
    since = int(known) if known is not None else now
    notes = _notes(tx, target, since, drafts=drafts)
    found: dict[str, list[Node]] = {"cards": [], "decisions": [], "evidence": []}
    for node in _changed(tx, target, since, drafts=drafts):
        found[KINDS.get(node.type, "cards")].append(node)
    counts = {"notes": len(notes), **{kind: len(nodes) for kind, nodes in found.items()}}
    if keep and (known is None or any(counts.values())):
        write_place(tx, place, now, f"{target.id} was looked at")
    return {
        "since_seq": since,
        "first": known is None,
        "notes": opened(tx, notes[:MOST]),
        **{kind: [node_shown(node) for node in nodes[:MOST]] for kind, nodes in found.items()},
        "dropped": {kind: max(count - MOST, 0) for kind, count in counts.items()},
    }


def _notes(tx: Tx, target: Target, since: int, *, drafts: bool) -> list[Place]:
    """Where the notes since then stand, the newest first."""
    places = tx.ask(Documents).entries(
        canonical_branch(tx, target.id),
        NOTES,
        before=None,
        limit=MOST_LOOKED_AT,
        narrowed=Narrowed(kind="note", drafts=drafts),
    )
    return [place for place in places if place.seq > since]


def _changed(tx: Tx, target: Target, since: int, *, drafts: bool) -> Iterator[Node]:
    """Cards that were written or changed since then, the newest first."""
    walk = graph_of(tx, target.id).walk(ANY, drafts=drafts)
    new = takewhile(lambda node: node.last_seq > since, walk)
    return islice((node for node in new if node.type in TYPES), MOST_LOOKED_AT)
