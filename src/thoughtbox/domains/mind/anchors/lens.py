"""An anchor and what is known about it: its cards, canon first."""

from __future__ import annotations

from typing import Any, NamedTuple

from thoughtbox.domains.mind.anchors.anchor import ANCHOR_ID, ID_RULE, Anchor, unnamed
from thoughtbox.domains.mind.envelope import warn
from thoughtbox.domains.mind.graph.shown import node_shown
from thoughtbox.domains.mind.opening import first_line
from thoughtbox.domains.mind.view.anchors import Anchors, Link
from thoughtbox.domains.mind.view.documents import Documents
from thoughtbox.domains.mind.view.graph import Graph
from thoughtbox.ledger.record import present
from thoughtbox.operations import Tx

MOST_COUNTED = 200
"""Links that are counted; where there are more, it is said."""


class Found(NamedTuple):
    """What an id leads to."""

    id: str
    anchor: Anchor | None
    tags: list[str]


def find(tx: Tx, id: str) -> Found:
    """The anchor that an id or an alias leads to; it warns when it was an alias."""
    view = tx.ask(Anchors)
    known = view.resolved(id)
    if known != id:
        warn(
            tx,
            "ANCHOR_ALIAS_RESOLVED",
            f"`{id}` is an alias of `{known}`, which the answer is about.",
            f"Say {known} from now on; what is tagged {id} belongs to it.",
        )
    return Found(known, view.anchor(known), view.tags_of(known))


def shown(anchor: Anchor, aliases: list[str]) -> dict[str, Any]:
    """An anchor as it is shown."""
    return present(
        {
            "id": anchor.id,
            "title": anchor.title,
            "kind": anchor.kind,
            "status": anchor.status,
            "description": anchor.description,
            "refs": list(anchor.refs),
            "aliases": aliases or None,
            "parent_id": anchor.parent_id,
            "depends_on": list(anchor.depends_on),
            "created_at_ms": anchor.created_ms,
            "updated_at_ms": anchor.updated_ms,
        }
    )


def stats(tx: Tx, tags: list[str]) -> dict[str, Any]:
    """How many cards name the anchor, whatever a read shows of them."""
    count = tx.ask(Anchors).count(tags, most=MOST_COUNTED + 1)
    return {"links_count": min(count, MOST_COUNTED), "links_has_more": count > MOST_COUNTED}


def cards(tx: Tx, tags: list[str], *, limit: int, include_drafts: bool) -> tuple[list[dict[str, Any]], bool]:
    """The first cards of an anchor, and whether there are more."""
    links = tx.ask(Anchors).links(tags, drafts=include_drafts, limit=limit + 1)
    names = tx.ask(Documents).names({link.branch for link in links})
    return [_card(tx, link, names[link.branch]) for link in links[:limit]], len(links) > limit


def _card(tx: Tx, link: Link, branch: str) -> dict[str, Any]:
    node = tx.ask(Graph).of_source(link.branch, link.doc).node(link.id)
    assert node is not None
    told = node_shown(node)
    del told["deleted"]
    return {**told, "branch": branch, "graph_doc": link.doc}


def anchor(tx: Tx, id: str, *, limit: int, include_drafts: bool) -> dict[str, Any]:
    """What opening `a:…` shows. It never fails: of an anchor that nobody registered it shows what is tagged so."""
    asked = id.strip().lower()
    found = find(tx, asked)
    if found.anchor is None:
        is_one = ANCHOR_ID.fullmatch(found.id) is not None
        warn(
            tx,
            "ANCHOR_UNREGISTERED",
            f"`{found.id[:80]}` is not registered; what is tagged with it is shown.",
            f"macro_anchor_note registers it: anchor={found.id}, title, kind, content."
            if is_one
            else f"Choose another id: {ID_RULE}.",
        )
    standing = shown(found.anchor or unnamed(found.id, 0), [tag for tag in found.tags if tag != found.id])
    if found.anchor is None:
        standing |= {"created_at_ms": None, "updated_at_ms": None}
    chosen, _ = cards(tx, found.tags, limit=limit, include_drafts=include_drafts)
    return {
        "kind": "anchor",
        "id": found.id,
        "summary": first_line(f"{standing['title']}: {standing.get('description', standing['kind'])}"),
        "anchor": {**standing, "registered": found.anchor is not None},
        "stats": stats(tx, found.tags),
        "cards": chosen,
        "count": len(chosen),
        "truncated": False,
    }
