"""Operations that work in slices."""

from __future__ import annotations

import threading

import pytest

from tests.operations.workshop import Workshop
from tests.support.forks import PATIENCE
from thoughtbox.errors import InvalidOperation, InvalidPayload


def test_the_answer_is_what_the_generator_returns(workshop: Workshop):
    answer = workshop.call("make_in_slices", texts=["a", "b"])

    assert answer == {"ids": ["th:1", "th:2"], "refused": ["2 records more"]}


def test_it_says_how_far_it_has_come(workshop: Workshop):
    heard: list[tuple[int, int]] = []

    workshop.call("make_in_slices", texts=["a", "b", "c"], progress=lambda *news: heard.append(news))

    assert heard == [(1, 3), (2, 3), (3, 3)]


def test_others_write_between_two_slices(workshop: Workshop):
    others = [
        workshop.submit("make", text="other"),
        workshop.submit("make_in_slices", texts=[f"{number}" for number in range(20)]),
        *(workshop.submit("make", text="other") for _ in range(20)),
    ]
    for other in others:
        other.result(PATIENCE)

    texts = [text for text, _ in workshop.records()]

    assert texts.index("19") > 20, "the last slice has let the others go first"


def test_a_slice_that_fails_ends_it_and_what_was_written_before_stays(workshop: Workshop):
    with pytest.raises(InvalidPayload, match="it broke"):
        workshop.call("make_in_slices", texts=["a", "bad", "c"])

    assert [text for text, _ in workshop.records()] == ["a"]


def test_whoever_gives_up_ends_it_at_its_next_slice(workshop: Workshop):
    begun = threading.Event()
    running = workshop.submit(
        "make_in_slices", texts=[f"{number}" for number in range(10_000)], progress=lambda *_: begun.set()
    )
    assert begun.wait(PATIENCE)

    assert running.cancel()

    workshop.call("make", text="behind it")
    after = len(workshop.records())
    workshop.call("make", text="last")
    assert len(workshop.records()) == after + 1 < 10_000


def test_its_records_name_it(workshop: Workshop):
    workshop.call("make_in_slices", texts=["a"])

    [(_, source)] = workshop.records()
    assert (source["operation"], source["via"]) == ("make", ["make_in_slices"])


def test_it_is_known_to_take_long_and_has_the_answer_of_its_generator(workshop: Workshop):
    operation = workshop.dispatcher.table.find("make_in_slices")

    assert operation.long
    assert operation.works_in_steps
    assert operation.output.__name__ == "SeveralMade"


def test_a_key_is_refused_since_there_is_no_one_transaction_that_could_remember_it(workshop: Workshop):
    with pytest.raises(InvalidOperation, match="takes no idempotency key"):
        workshop.call("make_in_slices", texts=["a"], key="k")

    assert workshop.records() == []
