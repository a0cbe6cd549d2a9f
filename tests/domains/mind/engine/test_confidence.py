"""Confidence, held against values worked out by hand."""

from __future__ import annotations

from itertools import pairwise

import pytest

from tests.support.slices import card, links
from thoughtbox.domains.mind.engine.argument import argument_of
from thoughtbox.domains.mind.engine.confidence import Confidence
from thoughtbox.domains.mind.slice import Card

STRONG = card("STRONG", "evidence", "ci", meta={"cmd": "pytest", "link": "x"})
"""70 by itself, 80 for a claim, 90 for a test."""


def confidence(of: str, cards: list[Card], *said: str) -> float:
    argument = argument_of(cards, links(*said), [])
    return Confidence(argument).of(next(one for one in cards if one.id == of))


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ([], 0.5),
        (["STRONG supports D"], (1 + 4 * 0.8) / (2 + 4 * 0.8)),
        (["STRONG blocks D"], 1 / (2 + 4 * 0.8)),
        (["T supports D"], (1 + 1.5 * 0.5) / (2 + 1.5 * 0.5)),
        (["H supports D"], (1 + 0.75 * 0.5) / (2 + 0.75 * 0.5)),
        (["D2 supports D"], (1 + 0.75 * 0.5) / (2 + 0.75 * 0.5)),
        (["Q blocks D"], 1 / (2 + 0.25 * 0.5)),
        (["STRONG supports D", "T blocks D"], (1 + 4 * 0.8) / (2 + 4 * 0.8 + 1.5 * 0.5)),
        # The test is as good as its evidence: 4.6 / 5.6.
        (["STRONG supports T", "T supports D"], (1 + 1.5 * 4.6 / 5.6) / (2 + 1.5 * 4.6 / 5.6)),
        # A link of another kind, one to the card itself and one from outside the slice say nothing.
        (["T contains D", "D supports D", "GONE supports D"], 0.5),
    ],
)
def test_confidence_is_support_against_blocks_by_the_weight_of_each_type(said: list[str], expected: float):
    cards = [
        STRONG,
        card("D", "decision"),
        card("D2", "decision"),
        card("H", "hypothesis"),
        card("T", "test"),
        card("Q", "question"),
    ]

    assert confidence("D", cards, *said) == pytest.approx(expected, abs=1e-9)


def test_evidence_is_as_sure_as_its_score_whatever_is_said_of_it():
    assert confidence("STRONG", [STRONG, card("Q", "question")], "Q blocks STRONG") == 0.7


def test_a_circle_says_nothing_either_way():
    cards = [card("A", "hypothesis"), card("B", "hypothesis")]
    # B rests on A, which is being asked about and so counts as 0.5.
    b = (1 + 0.75 * 0.5) / (2 + 0.75 * 0.5)

    assert confidence("A", cards, "B supports A", "A supports B") == pytest.approx(
        (1 + 0.75 * b) / (2 + 0.75 * b), abs=1e-9
    )


def test_only_three_steps_are_looked_at():
    """A chain of notes to strong evidence: what it says arrives from three steps away, not from four."""
    notes = [card(f"N{number}", "note") for number in range(5)]
    chain = [f"{far.id} supports {near.id}" for near, far in pairwise(notes)]

    def moved(last: int) -> bool:
        with_evidence = confidence("N0", [*notes, STRONG], *chain, f"STRONG supports N{last}")
        return with_evidence != confidence("N0", [*notes, STRONG], *chain)

    assert [moved(last) for last in range(4)] == [True, True, True, False]


def test_a_circle_gives_the_same_from_wherever_it_is_entered():
    """Asking about one card first does not change what is answered about another."""
    cards = [card(name, "hypothesis") for name in "ABC"] + [STRONG]
    argument = argument_of(
        cards, links("A supports B", "B supports C", "C supports A", "B blocks A", "STRONG supports A"), []
    )
    one, other = Confidence(argument), Confidence(argument)

    forwards = {card.id: one.of(card) for card in cards}
    backwards = {card.id: other.of(card) for card in reversed(cards)}

    assert forwards == backwards
