"""What callers were answered lately."""

from __future__ import annotations

from thoughtbox.operations import answered
from thoughtbox.operations.answered import Answered


def test_the_last_answer_to_a_caller_is_kept_until_it_is_counted_or_forgotten():
    kept = Answered()
    kept.note("w", "ann", "search", None)
    assert kept.last("w", "ann", "search") == (None, None)
    assert kept.last("w", "ben", "search") is kept.last("v", "ann", "search") is None
    kept.count("w", "ann", "search", "s1")
    assert kept.last("w", "ann", "search") == (None, "s1")
    kept.note("w", "ann", "search", 7)
    assert kept.last("w", "ann", "search") == (7, None)
    kept.note("v", "ann", "search", None)
    kept.forget("w")
    assert kept.last("w", "ann", "search") is None
    assert kept.last("v", "ann", "search") == (None, None)


def test_of_many_answers_those_of_longest_ago_are_forgotten():
    kept = Answered()
    for number in range(answered.MOST):
        kept.note("w", "ann", f"o{number}", None)
    kept.note("w", "ann", "o0", None)
    kept.note("w", "ann", "more", None)
    assert kept.last("w", "ann", "o0") is not None
    assert kept.last("w", "ann", "o1") is None
