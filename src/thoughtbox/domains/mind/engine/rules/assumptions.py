"""BM6: an assumption was settled one way or the other, and something still rests on it."""

from __future__ import annotations

from collections.abc import Iterator

from thoughtbox.domains.mind.engine.argument import Argument
from thoughtbox.domains.mind.engine.calls import ask
from thoughtbox.domains.mind.engine.findings import Finding, action, signal
from thoughtbox.domains.mind.engine.reading import is_open, is_pinned, named
from thoughtbox.domains.mind.slice import Card, Place


def assumptions_no_longer_open(argument: Argument, place: Place) -> Iterator[Finding]:
    """The newest of them only: what rests on it is looked at again, one assumption at a time."""
    for card in argument.subjects:
        if "assumption" not in card.tags or is_open(card):
            continue
        resting = [one for one in argument.supported_by(card) if _counts(one)]
        if not resting:
            continue
        values = {"card": named(card), "status": card.status, "resting": _listed(resting)}
        about = (card, *resting)
        yield signal("BM6_ASSUMPTION_NOT_OPEN_BUT_USED", about, values)
        calls = [ask("recheck", values, argument, place)]
        yield action("recheck_assumption", "medium", about, calls, values)
        return


def _counts(card: Card) -> bool:
    return card.type in {"decision", "hypothesis"} and (is_pinned(card) or is_open(card))


def _listed(cards: list[Card]) -> str:
    more = f" and {len(cards) - 1} more" if len(cards) > 1 else ""
    return f"{named(cards[0])}{more}"
