"""What can be read off a single card."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from thoughtbox.domains.mind.slice import Card

LONGEST_LABEL = 64
PUBLISHED = "CARD-PUB-"
"""How the id of a published copy begins; the id of its source follows."""
SETTLED = frozenset({"closed", "done", "resolved", "merged"})


def label(card: Card) -> str:
    """Its title, or else the first line of its text, cut to what fits in a line; nothing when it has neither."""
    lines = [*(card.title or "").splitlines(), *(card.text or "").splitlines()]
    first = next((" ".join(line.split()) for line in lines if line.strip()), "")
    return first if len(first) <= LONGEST_LABEL else f"{first[: LONGEST_LABEL - 1]}…"


def named(card: Card) -> str:
    """The card for a sentence: its id, by which it can be opened, and its label."""
    return f"{card.id} “{label(card)}”" if label(card) else card.id


def is_open(card: Card) -> bool:
    """A card without a status is open, as it is when one is written without."""
    return (card.status or "open") == "open"


def is_active(card: Card) -> bool:
    return card.status not in SETTLED


def is_pinned(card: Card) -> bool:
    return "pinned" in card.tags


def is_draft(card: Card) -> bool:
    """Marked as a draft, or by an agent's own lane of older times and not called canon."""
    if "v:draft" in card.tags:
        return True
    return "v:canon" not in card.tags and any(tag.startswith("lane:agent:") for tag in card.tags)


def metas(card: Card) -> Iterator[Mapping[str, Any]]:
    """Where a card's settings are looked for: in its meta, and one level below for cards that wrap theirs."""
    yield card.meta
    if isinstance(inner := card.meta.get("meta"), Mapping):
        yield inner


def run_of(meta: Mapping[str, Any]) -> Mapping[str, Any]:
    run = meta.get("run")
    return run if isinstance(run, Mapping) else {}


def newest_first(cards: Iterable[Card]) -> list[Card]:
    return sorted(cards, key=lambda card: (-card.last_seq, card.id))
