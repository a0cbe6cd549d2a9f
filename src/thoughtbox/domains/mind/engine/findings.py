"""What a rule comes to: signals that say what is so, actions that say what to do about it; and their order."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

from thoughtbox.domains.mind.engine.calls import Call
from thoughtbox.domains.mind.engine.wording import Values, action_text, message
from thoughtbox.domains.mind.slice import Card

MOST_REFS = 6
SEVERITIES = ("critical", "high", "warning", "info")
PRIORITIES = ("high", "medium", "low")
Priority = Literal["high", "medium", "low"]

SIGNALS = {
    "BM1_CONTRADICTION_SUPPORTS_BLOCKS": "high",
    "BM2_EVIDENCE_WEAK": "warning",
    "BM3_DECISION_LOW_CONFIDENCE": "warning",
    "BM3_HYPOTHESIS_LOW_CONFIDENCE": "info",
    "BM4_HYPOTHESIS_NO_TEST": "high",
    "BM4_HYPOTHESIS_NO_EVIDENCE": "warning",
    "BM5_RUNNABLE_TESTS_FRESH": "info",
    "BM6_ASSUMPTION_NOT_OPEN_BUT_USED": "warning",
    "BM8_EVIDENCE_STALE": "warning",
    "BM10_STUCK_NO_EVIDENCE": "warning",
    "BM10_NO_COUNTER_EDGES": "info",
    "BM_LANE_DECISION_NOT_PUBLISHED": "warning",
}
"""Every code, with how grave it is."""


@dataclass(frozen=True)
class Ref:
    """Something to look at: its id can be opened."""

    type: Literal["card", "doc_entry"]
    id: str


@dataclass(frozen=True)
class Signal:
    code: str
    message: str
    refs: tuple[Ref, ...]
    ts_ms: int

    @property
    def identity(self) -> tuple[str, str]:
        return self.code, self.message

    @property
    def order(self) -> tuple[int, int, str, str]:
        return SEVERITIES.index(SIGNALS[self.code]), -self.ts_ms, self.code, self.message

    def shown(self) -> dict[str, Any]:
        return {
            "code": self.code,
            "severity": SIGNALS[self.code],
            "message": self.message,
            "refs": shown_refs(self.refs),
        }


@dataclass(frozen=True)
class Action:
    kind: str
    priority: Priority
    title: str
    why: str
    refs: tuple[Ref, ...]
    calls: tuple[Call, ...]
    ts_ms: int

    @property
    def identity(self) -> tuple[str, str]:
        return self.kind, self.title

    @property
    def order(self) -> tuple[int, int, str, str]:
        return PRIORITIES.index(self.priority), -self.ts_ms, self.kind, self.title


Finding = Signal | Action


def signal(code: str, about: Iterable[Card], values: Values) -> Signal:
    """A signal about cards, the one that is judged first; its words come from the wording of its code."""
    cards = tuple(about)
    return Signal(code, message(code, values), card_refs(cards), cards[0].last_ts_ms)


def action(name: str, priority: Priority, about: Iterable[Card], calls: Iterable[Call], values: Values) -> Action:
    """An action about cards. Its name is its kind; what follows a dot there tells apart actions of one kind."""
    cards = tuple(about)
    title, why = action_text(name, values)
    kind = name.partition(".")[0]
    return Action(kind, priority, title, why, card_refs(cards), tuple(calls), cards[0].last_ts_ms)


def card_refs(cards: Iterable[Card]) -> tuple[Ref, ...]:
    return tuple(Ref("card", card.id) for card in cards)[:MOST_REFS]


def shown_refs(refs: Iterable[Ref]) -> list[dict[str, str]]:
    return [{"type": ref.type, "id": ref.id} for ref in refs]
