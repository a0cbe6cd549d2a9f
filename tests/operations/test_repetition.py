"""Idempotency keys: whose they are, and what a repeated call does."""

from __future__ import annotations

from tests.operations.workshop import Bench, Workshop


def test_the_same_key_of_another_caller_is_another_key(workshop: Workshop):
    mine = workshop.call("make", text="mine", key="k")
    yours = workshop.call("make", text="yours", key="k", agent="tom")

    assert mine["id"] != yours["id"]
    assert workshop.call("make", text="mine", key="k") == mine
    assert workshop.call("make", text="yours", key="k", agent="tom") == yours


def test_the_same_key_a_hundred_times_leaves_one_record(workshop: Workshop):
    answers = [workshop.call("make", text="once", key="k") for _ in range(100)]

    assert all(answer == answers[0] for answer in answers)
    assert [text for text, _ in workshop.records()].count("once") == 1


def test_a_repeated_call_moves_the_focus_again(workshop: Workshop):
    first = workshop.landed("make", text="on the bench", key="k")
    before = len(workshop.records())

    again = workshop.landed("make", text="on the bench", key="k")

    assert first.of(Bench) == again.of(Bench) == Bench("on the bench")
    assert len(workshop.records()) == before


def test_a_repeated_call_that_moved_nothing_leaves_the_focus_where_it_is(workshop: Workshop):
    workshop.call("make_several", texts=["bad"], tolerant=True, key="k")
    workshop.focus = workshop.landed("make", text="elsewhere")

    assert workshop.landed("make_several", texts=["bad"], tolerant=True, key="k").of(Bench) == Bench("elsewhere")


def test_calls_inside_a_call_with_a_key_are_repeated_with_it(workshop: Workshop):
    first = workshop.call("make_several", texts=["a", "b"], key="k")

    assert workshop.call("make_several", texts=["a", "b"], key="k") == first
    assert [text for text, _ in workshop.records()].count("a") == 1
