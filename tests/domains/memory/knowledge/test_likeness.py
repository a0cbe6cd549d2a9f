"""How alike two texts are: the Dice coefficient of their bigrams as multisets."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from thoughtbox.domains.memory.knowledge.likeness import THRESHOLD, Bigrams, lengths_alike, normalized

TEXTS = st.text("ab c", max_size=30)


def likeness(one: str, other: str) -> float:
    return Bigrams(one).likeness(Bigrams(other))


@settings(max_examples=25, deadline=None)
@given(TEXTS, TEXTS)
def test_likeness_is_the_same_both_ways_lies_between_0_and_1_and_is_1_for_the_same(one: str, other: str):
    assert likeness(one, other) == likeness(other, one)
    assert 0 <= likeness(one, other) <= 1
    assert likeness(one, one) == 1


@settings(max_examples=25, deadline=None)
@given(TEXTS, TEXTS)
def test_texts_that_come_up_to_the_threshold_are_about_as_long(one: str, other: str):
    shortest, longest = lengths_alike(len(one))

    assert likeness(one, other) < THRESHOLD or shortest <= len(other) <= longest


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("night", "nacht", 2 * 1 / 8),
        ("aaaa", "aa", 2 * 1 / 4),
        ("abab", "ab", 2 * 1 / 4),
        ("context", "contact", 2 * 3 / 12),
        ("a", "a", 1.0),
        ("a", "b", 0.0),
        ("", "ab", 0.0),
    ],
)
def test_a_bigram_counts_as_often_as_both_have_it(one: str, other: str, expected: float):
    assert likeness(one, other) == pytest.approx(expected)


def test_repetition_alone_makes_nothing_alike():
    assert likeness("ab" * 50, "ab") < 0.1


def test_case_and_blanks_make_no_difference():
    assert normalized(["The  Deploy\n", "", "\tSTOPPED ", "here"]) == "the deploy stopped here"
