"""BM_LANE: a decision that was made in a draft and might be lost there."""

from __future__ import annotations

from collections.abc import Iterator

from thoughtbox.domains.mind.engine.argument import Argument
from thoughtbox.domains.mind.engine.calls import publish
from thoughtbox.domains.mind.engine.findings import Finding, action, signal
from thoughtbox.domains.mind.engine.freshness import DAY_MS
from thoughtbox.domains.mind.engine.reading import PUBLISHED, is_draft, is_pinned, named
from thoughtbox.domains.mind.slice import Card, Place

MOST = 8
RECENT_MS = 14 * DAY_MS


def unpublished_decisions(argument: Argument, place: Place) -> Iterator[Finding]:
    drafts = [card for card in argument.of_type("decision") if is_draft(card) and _unpublished(card, argument)]
    for card in [card for card in drafts if is_pinned(card) or _recent(card, argument)][:MOST]:
        values = {"card": named(card)}
        yield signal("BM_LANE_DECISION_NOT_PUBLISHED", [card], values)
        yield action("publish_decision", "medium", [card], [publish(card, place)], values)


def _unpublished(card: Card, argument: Argument) -> bool:
    return not card.id.startswith(PUBLISHED) and card.id not in argument.published


def _recent(card: Card, argument: Argument) -> bool:
    return argument.reference_ts - card.last_ts_ms <= RECENT_MS
