"""Cards as a view shows them, counted, and summed up by lane."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from thoughtbox.domains.mind.cards.card import TYPES
from thoughtbox.domains.mind.cards.stamping import PINNED
from thoughtbox.domains.mind.records import is_draft
from thoughtbox.domains.mind.selection import OPEN, Frontier
from thoughtbox.domains.mind.view.graph import Node
from thoughtbox.ledger.record import present

TOP = 3
LONGEST_LINE = 120
_AGENT_LANE = "lane:agent:"


def shown_card(node: Node) -> dict[str, Any]:
    """A card whole."""
    return {
        "id": node.id,
        "type": node.type,
        **present({"title": node.title, "text": node.text, "status": node.status}),
        "tags": list(node.tags),
        "meta": node.meta,
        "last_seq": node.last_seq,
        "last_ts_ms": node.last_ts_ms,
    }


def in_a_line(node: Node) -> dict[str, Any]:
    """A card in short, beside a list that has it whole."""
    lines = [*(node.title or "").splitlines(), *(node.text or "").splitlines()]
    first = next((" ".join(line.split()) for line in lines if line.strip()), "")
    title = first if len(first) <= LONGEST_LINE else f"{first[: LONGEST_LINE - 1]}…"
    return {"id": node.id, "type": node.type, "title": title, "last_seq": node.last_seq}


def shown_frontier(found: Frontier, *, whole: bool) -> dict[str, list[dict[str, Any]]]:
    show = shown_card if whole else in_a_line
    return {kind: [show(node) for node in nodes] for kind, nodes in found._asdict().items()}


def counted(nodes: Sequence[Node]) -> dict[str, Any]:
    """How many cards there are, and of which types."""
    types = Counter(node.type for node in nodes)
    return {"cards": len(nodes), "by_type": {type: types[type] for type in TYPES if type in types}}


def lane_summary(nodes: Iterable[Node]) -> dict[str, Any]:
    """The cards that are shown, by lane: how many, and the first that are pinned and open. The shared lane is first."""
    lanes: dict[str, list[Node]] = {}
    for node in nodes:
        lanes.setdefault(_lane(node), []).append(node)
    return {"lanes": [_summed(lane, lanes[lane]) for lane in sorted(lanes, key=lambda lane: (lane != "shared", lane))]}


def _lane(node: Node) -> str:
    """Agents had lanes of their own once; all else is in the one that is shared."""
    own = next((tag for tag in node.tags if tag.startswith(_AGENT_LANE)), None)
    return own.removeprefix("lane:") if own is not None else "shared"


def _summed(lane: str, nodes: Sequence[Node]) -> dict[str, Any]:
    pinned = [node for node in nodes if PINNED in node.tags]
    opened = [node for node in nodes if node.status == OPEN]
    return {
        "lane": lane,
        "counts": {
            "cards": len(nodes),
            "drafts": sum(is_draft(node.tags) for node in nodes),
            "pinned": len(pinned),
            "open": len(opened),
        },
        **present({"pinned": _top(pinned), "open": _top(opened)}),
    }


def _top(nodes: Sequence[Node]) -> list[dict[str, Any]] | None:
    return [in_a_line(node) for node in nodes[:TOP]] or None
