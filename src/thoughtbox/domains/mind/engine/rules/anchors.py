"""BM2 and BM3: what is pinned should rest on something."""

from __future__ import annotations

from collections.abc import Iterator

from thoughtbox.domains.mind.engine.argument import Argument
from thoughtbox.domains.mind.engine.calls import playbook
from thoughtbox.domains.mind.engine.confidence import Confidence
from thoughtbox.domains.mind.engine.evidence import worth
from thoughtbox.domains.mind.engine.findings import Finding, action, signal
from thoughtbox.domains.mind.engine.reading import is_open, is_pinned, named
from thoughtbox.domains.mind.engine.wording import lacking
from thoughtbox.domains.mind.slice import Card, Place

STRONG_ENOUGH = 60
MOST_WEAK = 2
LOW_DECISION = 0.55
LOW_HYPOTHESIS = 0.45


def weak_evidence(argument: Argument, place: Place) -> Iterator[Finding]:
    """The weakest evidence that is pinned or bears on a pinned decision."""
    rated = [(worth(card, argument), card) for card in argument.of_type("evidence") if _matters(card, argument)]
    weak = sorted(
        ((rating, card) for rating, card in rated if rating.score < STRONG_ENOUGH),
        key=lambda found: (found[0].score, -found[1].last_seq, found[1].id),
    )
    for rating, card in weak[:MOST_WEAK]:
        yield signal(
            "BM2_EVIDENCE_WEAK",
            (card, *_pinned_decisions(card, argument)),
            {"card": named(card), "score": rating.score, "lacking": lacking(rating.lacking)},
        )


def low_confidence(argument: Argument, place: Place) -> Iterator[Finding]:
    """The pinned decision that can be relied on least; without any, the open hypothesis."""
    confidence = Confidence(argument)
    pinned = [card for card in argument.of_type("decision") if is_pinned(card)]
    if pinned:
        card, value = _worst(pinned, confidence)
        if value <= LOW_DECISION:
            about, values = _balance(card, value, argument)
            yield signal("BM3_DECISION_LOW_CONFIDENCE", about, values)
            yield action("use_playbook.experiment", "medium", about, [playbook("experiment", place)], values)
        return
    hypotheses = [card for card in argument.of_type("hypothesis") if is_open(card)]
    if hypotheses:
        card, value = _worst(hypotheses, confidence)
        if value <= LOW_HYPOTHESIS:
            about, values = _balance(card, value, argument)
            yield signal("BM3_HYPOTHESIS_LOW_CONFIDENCE", about, values)


def _matters(evidence: Card, argument: Argument) -> bool:
    return is_pinned(evidence) or bool(_pinned_decisions(evidence, argument))


def _pinned_decisions(evidence: Card, argument: Argument) -> list[Card]:
    return [card for card in argument.touched_by(evidence) if card.type == "decision" and is_pinned(card)]


def _worst(cards: list[Card], confidence: Confidence) -> tuple[Card, float]:
    """The first of several that are equally bad: they come newest first."""
    return min(((card, confidence.of(card)) for card in cards), key=lambda found: found[1])


def _balance(card: Card, value: float, argument: Argument) -> tuple[tuple[Card, ...], dict[str, object]]:
    pro, contra = argument.supporters(card), argument.blockers(card)
    values = {"card": named(card), "confidence": f"{value:.2f}", "supports": len(pro), "blocks": len(contra)}
    return (card, *contra, *pro), values
