"""Visibility: the tags that a card gets when it is written, and who sees it for them.

Nothing is hidden for good. `v:canon` and `v:draft` are a lens, not a key: a draft is left out of what is read by
default, and is there for whoever asks for drafts.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from thoughtbox.domains.mind.cards.card import CardRefused, ParsedCard
from thoughtbox.domains.mind.names import bad_name
from thoughtbox.domains.mind.records import is_draft

CANON = "v:canon"
DRAFT = "v:draft"
PINNED = "pinned"
SHARED_LANE = "lane:shared"
PUBLISHED = "CARD-PUB-"
"""What the id of a published copy begins with."""

_LANE = "lane:"
_CANON_TYPES = frozenset({"decision", "evidence", "test", "hypothesis", "question", "update"})


def default_visibility(type: str) -> str:
    """What a card is that does not say: canon, where it can be acted on or relied on; otherwise a draft."""
    return CANON if type in _CANON_TYPES else DRAFT


def stamped(tags: Iterable[str], type: str) -> tuple[str, ...]:
    """The tags that a card is written with: the one lane there is, and its visibility said."""
    written = {*_without_lanes(tags), SHARED_LANE}
    if written.isdisjoint({CANON, DRAFT}):
        written.add(default_visibility(type))
    return tuple(sorted(written))


def is_visible(tags: Sequence[str], *, include_drafts: bool = False, step_tag: str | None = None) -> bool:
    """Whether a read shows a card: what is pinned or belongs to the step in focus is shown even as a draft."""
    return include_drafts or PINNED in tags or step_tag in tags or not is_draft(tags)


def published(card: ParsedCard, *, pin: bool = True, agent_id: str | None = None) -> ParsedCard:
    """The copy of a card that everybody sees. It is the same copy each time, so that publishing again updates it."""
    if card.id is None:
        raise CardRefused("card_id", "a card without an id cannot be published", "Write the card first.")
    published_id = PUBLISHED + card.id
    if wrong := bad_name(published_id):
        raise CardRefused(
            "card_id",
            f"the id of the published copy, `{published_id[:60]}…`, {wrong}",
            "Write the card again with a shorter id, and publish that.",
        )
    source = {"card_id": card.id}
    if lane := next((tag for tag in sorted(card.tags) if tag.startswith(_LANE)), None):
        source["lane"] = lane.removeprefix(_LANE)
    if agent_id is not None:
        source["agent_id"] = agent_id
    return replace(
        card,
        id=published_id,
        tags=published_tags(card.tags, pin=pin),
        meta={**card.meta, "published_from": source},
    )


def published_tags(tags: Iterable[str], *, pin: bool) -> tuple[str, ...]:
    """The tags of a card, its lane the shared one and its visibility canon; pinned if asked for."""
    kept = {*_without_lanes(tags), SHARED_LANE, CANON} - {DRAFT}
    return tuple(sorted(kept | {PINNED} if pin else kept))


def _without_lanes(tags: Iterable[str]) -> set[str]:
    return {tag for tag in tags if not tag.startswith(_LANE)}
