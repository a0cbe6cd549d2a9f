"""How far a card can be relied on, between 0 and 1: what supports it against what blocks it."""

from __future__ import annotations

from collections.abc import Iterable
from math import fsum

from thoughtbox.domains.mind.engine.argument import Argument
from thoughtbox.domains.mind.engine.evidence import worth
from thoughtbox.domains.mind.slice import Card

DEEPEST = 3
UNKNOWN = 0.5
WEIGHTS = {"evidence": 4.0, "test": 1.5, "decision": 0.75, "hypothesis": 0.75}
OTHER_WEIGHT = 0.25
DIGITS = 9
"""Rounded so far, a value on a border is on it: 2.2 / 4.0 is 0.55."""


class Confidence:
    """Confidences of the cards of one argument, worked out when asked for."""

    def __init__(self, argument: Argument) -> None:
        self._argument = argument
        self._evidence: dict[str, float] = {}
        self._shallow: dict[str, float] = {}

    def of(self, card: Card) -> float:
        return round(self._value(card, DEEPEST, frozenset()), DIGITS)

    def _value(self, card: Card, depth: int, path: frozenset[str]) -> float:
        """Evidence speaks for itself. A circle, like anything too far away, says nothing either way."""
        if card.type == "evidence":
            if card.id not in self._evidence:
                self._evidence[card.id] = worth(card, self._argument).score / 100
            return self._evidence[card.id]
        if card.id in path or depth == 0:
            return UNKNOWN
        if depth > 1:
            return self._balance(card, depth, path)
        # One step above the bottom the way there makes no difference: what is on it counts as unknown, and so does
        # whatever is not evidence. So this value holds for every way.
        if card.id not in self._shallow:
            self._shallow[card.id] = self._balance(card, depth, path)
        return self._shallow[card.id]

    def _balance(self, card: Card, depth: int, path: frozenset[str]) -> float:
        way = path | {card.id}

        def weighed(cards: Iterable[Card]) -> float:
            return 1 + fsum(WEIGHTS.get(one.type, OTHER_WEIGHT) * self._value(one, depth - 1, way) for one in cards)

        pro, contra = weighed(self._argument.supporters(card)), weighed(self._argument.blockers(card))
        return pro / (pro + contra)
