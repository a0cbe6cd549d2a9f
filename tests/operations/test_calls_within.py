"""One operation inside another's transaction: `tx.call`."""

from __future__ import annotations

from typing import Any

import pytest

from tests.operations.workshop import Bench, Workshop
from tests.support.box import WORKSPACE
from thoughtbox.errors import InvalidOperation, InvalidPayload, PhaseViolation
from thoughtbox.operations.caller import ANONYMOUS
from thoughtbox.operations.dispatch import DEEPEST


def texts(workshop: Workshop) -> list[str]:
    return [text for text, _ in workshop.records()]


def within(workshop: Workshop, operation: str, **arguments: Any) -> Any:
    """A call from inside a transaction."""
    return workshop.dispatcher.do(WORKSPACE, ANONYMOUS, lambda tx: tx.call(operation, arguments), what="test").result()


def test_the_answer_of_the_other_operation_comes_back_whole(workshop: Workshop):
    assert workshop.call("make_several", texts=["a", "b"]) == {"ids": ["th:1", "th:2"], "refused": []}


def test_its_records_name_the_operation_and_what_called_it(workshop: Workshop):
    workshop.call("make", text="alone")
    workshop.call("nest", texts=["outer", "inner"])

    sources = {text: (source["surface"], source["operation"], source.get("via")) for text, source in workshop.records()}

    assert sources == {
        "alone": ("workshop", "make", None),
        "inner": ("workshop", "make", ["nest", "nest"]),
        "outer": ("workshop", "make", ["nest"]),
    }


def test_one_that_fails_leaves_nothing_and_takes_its_caller_along(workshop: Workshop):
    with pytest.raises(InvalidPayload, match="it broke"):
        workshop.call("make_several", texts=["a", "bad", "c"])

    assert texts(workshop) == []


def test_whoever_called_it_may_go_on_without_it(workshop: Workshop):
    answer = workshop.call("make_several", texts=["a", "bad", "c"], tolerant=True)

    assert answer == {"ids": ["th:1", "th:2"], "refused": ["it broke"]}
    assert texts(workshop) == ["a", "c"]
    assert workshop.call("count") == {"count": 2}


def test_operations_nest_as_deep_as_needed_and_no_deeper_than_is_sane(workshop: Workshop):
    deep = [f"{number}" for number in range(DEEPEST)]

    workshop.call("nest", texts=deep)

    assert texts(workshop) == list(reversed(deep))
    with pytest.raises(InvalidOperation, match="levels deep"):
        workshop.call("nest", texts=[*deep, "one", "two"])
    assert len(texts(workshop)) == DEEPEST


def test_calls_that_stand_or_fall_together_leave_all_or_nothing(workshop: Workshop):
    assert len(workshop.call("make_together", texts=["a", "b"])["ids"]) == 2
    with pytest.raises(InvalidPayload, match="it broke"):
        workshop.call("make_together", texts=["c", "bad"])

    assert texts(workshop) == ["a", "b"]


def test_what_fails_among_them_cannot_be_passed_over(workshop: Workshop):
    with pytest.raises(RuntimeError, match="stand or fall together"):
        workshop.call("make_together", texts=["a", "bad", "b"], tolerant=True)

    assert texts(workshop) == []


def test_a_call_inside_one_of_them_is_undone_by_itself(workshop: Workshop):
    assert workshop.call("make_tolerantly_together", texts=["a", "bad", "b"]) == {
        "ids": ["th:1", "th:2"],
        "refused": ["it broke"],
    }

    assert texts(workshop) == ["a", "b"]


def test_bad_arguments_are_refused_inside_as_they_are_outside(workshop: Workshop):
    with pytest.raises(InvalidPayload, match="`text` must be a text"):
        within(workshop, "make", text=7)
    with pytest.raises(InvalidOperation, match="no operation `mak`"):
        within(workshop, "mak", text="x")

    assert texts(workshop) == []


def test_what_only_reads_cannot_call_what_writes(workshop: Workshop):
    with pytest.raises(InvalidOperation, match="look_and_make only reads"):
        workshop.call("look_and_make", text="a")

    assert texts(workshop) == []


def test_a_search_inside_sees_what_the_transaction_has_just_written(workshop: Workshop):
    workshop.call("make", text="needle")

    assert workshop.call("make_and_find", text="needle") == {"found": [1, 2]}
    assert workshop.call("find", query="needle") == {"found": [1, 2]}


def test_a_read_cannot_pass_off_a_view_that_has_not_caught_up(workshop: Workshop):
    with pytest.raises(InvalidOperation, match="have not caught up"):
        workshop.call("look_and_find", query="x")


def test_what_works_in_steps_cannot_be_part_of_another_call(workshop: Workshop):
    with pytest.raises(InvalidOperation) as refused:
        within(workshop, "make_in_slices", texts=["a"])

    assert refused.value.recovery == "Send it by itself."


def test_the_focus_goes_along_and_one_that_fails_has_not_moved_it(workshop: Workshop):
    assert workshop.landed("make_several", texts=["a", "b"]).of(Bench) == Bench("b")
    assert workshop.landed("make_several", texts=["c", "bad"], tolerant=True).of(Bench) == Bench("c")
    assert workshop.landed("make_several", texts=["bad"], tolerant=True).of(Bench) == Bench()


def test_what_a_write_came_to_is_known_only_once_it_is_answered(workshop: Workshop):
    with pytest.raises(InvalidPayload):
        workshop.landed("make_several", texts=["a", "bad"])

    assert workshop.focus.of(Bench) == Bench()


def test_a_refusal_that_is_to_be_kept_is_written_once_the_call_is_undone(workshop: Workshop):
    with pytest.raises(PhaseViolation, match="it is locked"):
        workshop.call("try_the_lock", text="a")

    assert texts(workshop) == ["a was tried"]
    assert workshop.records()[0][1]["operation"] == "make"
    assert workshop.records()[0][1]["via"] == ["try_the_lock"]


def test_it_is_kept_from_inside_other_calls_and_with_a_key_as_well(workshop: Workshop):
    with pytest.raises(PhaseViolation):
        workshop.call("try_the_lock", text="a", key="once")
    with pytest.raises(PhaseViolation):
        workshop.call("try_the_lock", text="a", key="once")

    assert texts(workshop) == ["a was tried", "a was tried"]
