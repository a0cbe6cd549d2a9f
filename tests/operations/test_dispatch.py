"""The one way to run an operation."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.support.box import Box
from tests.support.boxes import OpenBox, open_box
from thoughtbox.errors import (
    IdempotencyConflict,
    InternalError,
    InvalidOperation,
    InvalidPayload,
    SessionNotFound,
    ThoughtboxError,
    all_codes,
)
from thoughtbox.operations.dispatch import fault

__all__ = ["open_box"]

PLAN = {"sessionId": "s1", "planDescription": "once"}


@pytest.fixture
def box(tmp_path: Path) -> Iterator[Box]:
    box = Box(tmp_path)
    yield box
    box.close()


def refused(box: Box, operation: str, arguments: dict[str, Any], **options: Any) -> ThoughtboxError:
    with pytest.raises(ThoughtboxError) as error:
        box.call(operation, arguments, **options)
    assert box.ledger_status()["records"] == 0
    return error.value


def test_an_unknown_operation_is_refused_with_the_nearest_name(box: Box):
    error = refused(box, "thought_plam", {})

    assert isinstance(error, InvalidOperation)
    assert error.recovery == "Did you mean `thought_plan`?"


def test_an_unknown_argument_is_refused_with_the_nearest_name(box: Box):
    error = refused(box, "thought_plan", {**PLAN, "parentid": "th:1"})

    assert isinstance(error, InvalidPayload)
    assert "`parentid`" in error.message
    assert error.recovery == "Did you mean `parentId`?"
    assert error.details == {"fields": ["parentid"]}


def test_python_names_are_not_spelled_that_way_on_the_wire(box: Box):
    assert "session_id" in refused(box, "thought_plan", {"session_id": "s1", "planDescription": "p"}).message


def test_all_that_is_wrong_is_said_at_once(box: Box):
    error = refused(box, "thought_record", {"sessionId": 7, "content": "x", "colour": "red"})

    assert all(name in error.message for name in ("`sessionId`", "`thoughtType`", "`colour`"))


def test_null_means_left_out_and_is_no_value_for_what_is_needed(box: Box):
    assert "`planDescription` is missing" in refused(box, "thought_plan", {**PLAN, "planDescription": None}).message
    assert box.call("thought_plan", {**PLAN, "parentId": None})["success"]


def test_a_nul_character_is_refused_wherever_it_hides(box: Box):
    assert "NUL" in refused(box, "thought_plan", {**PLAN, "planDescription": "a\0b"}).message
    assert "NUL" in refused(box, "thought_plan", {**PLAN, "extra": {"deep": ["x", "a\0b"]}}).message


def test_the_same_key_again_returns_the_first_answer_even_after_a_restart(tmp_path: Path):
    box = Box(tmp_path)
    first = box.call("thought_plan", PLAN, key="k1")
    box.close()

    again = Box(tmp_path)

    assert again.call("thought_plan", PLAN, key="k1") == first
    assert again.thought_tree(sessionId="s1")["count"] == 1
    again.close()


def test_a_key_repeated_a_hundred_times_and_over_ten_restarts_leaves_one_record(open_box: OpenBox):
    answers = []
    for _ in range(10):
        box = open_box()
        answers += [box.call("thought_plan", PLAN, key="k1") for _ in range(10)]
        box.close()

    again = open_box()
    assert all(answer == answers[0] for answer in answers)
    assert again.thought_tree(sessionId="s1")["count"] == 1
    assert again.ledger_status()["records"] == 3, "the call, the thought, the answer"
    assert again.ledger_verify(deep=True)["standing"] == "valid"


def test_a_key_used_for_another_call_is_refused(box: Box):
    box.call("thought_plan", PLAN, key="k1")

    with pytest.raises(IdempotencyConflict, match="thought_plan"):
        box.call("thought_plan", {**PLAN, "planDescription": "another"}, key="k1")
    with pytest.raises(IdempotencyConflict):
        box.call("thought_decision", {"sessionId": "s1", "decision": "d"}, key="k1")
    assert box.thought_tree(sessionId="s1")["count"] == 1


def test_a_failed_call_does_not_use_up_its_key(box: Box):
    with pytest.raises(SessionNotFound):
        box.call("thought", {"sessionId": "nowhere", "thought": "so"}, key="k1")

    assert box.call("thought_plan", PLAN, key="k1")["success"]


def test_concurrent_calls_with_one_key_are_run_once(box: Box):
    with ThreadPoolExecutor(8) as threads:
        answers = list(threads.map(lambda _: box.call("thought_plan", PLAN, key="k1"), range(24)))

    assert all(answer == answers[0] for answer in answers)
    assert box.thought_tree(sessionId="s1")["count"] == 1


@pytest.mark.parametrize("key", ["", "k" * 257])
def test_a_key_has_a_bounded_length(box: Box, key: str):
    assert isinstance(refused(box, "thought_plan", PLAN, key=key), InvalidPayload)


def test_a_write_cannot_be_made_as_of_an_earlier_record(box: Box):
    assert isinstance(refused(box, "thought_plan", PLAN, as_of=0), InvalidOperation)


def test_as_of_the_very_beginning_there_is_nothing(box: Box):
    box.thought_plan(**PLAN)

    with pytest.raises(SessionNotFound):
        box.call("thought_tree", {"sessionId": "s1"}, as_of=0)
    assert box.call("ledger_status", {}, as_of=0)["records"] == 0


def test_a_read_that_is_cut_says_so_and_how_to_see_more(box: Box):
    for number in range(40):
        box.thought_record(sessionId="s1", thoughtType="note", content=f"{number} " + "x" * 400)

    answer = box.thought_tree(sessionId="s1", includeContent=True, maxChars=3000)

    assert answer["truncated"] is True
    (warning,) = answer["budget"]["warnings"]
    assert warning["code"] == "BUDGET_TRUNCATED"
    assert warning["recovery"].startswith("Send maxChars=")


def test_a_page_of_records_ends_where_the_budget_does_and_goes_on_from_there(box: Box):
    for number in range(30):
        box.thought_record(sessionId="s1", thoughtType="note", content=f"{number} " + "x" * 400)

    seen, after = [], 0
    while after is not None:
        page = box.ledger_tail(after=after, max_chars=3000)
        seen += [record["id"] for record in page["records"]]
        after = page["next_after"]

    assert seen == [f"th:{number}" for number in range(1, 31)]


def test_what_is_not_ours_to_tell_goes_to_the_log_under_an_id(caplog: pytest.LogCaptureFixture):
    with caplog.at_level(logging.ERROR):
        error = fault(ZeroDivisionError("secret detail"))

    assert isinstance(error, InternalError)
    assert "secret" not in str(error.payload())
    assert error.details["incident"] in caplog.text
    assert "secret detail" in caplog.text


def test_every_code_is_carried_by_one_class():
    codes = all_codes()

    assert len(codes) == len(set(codes.values()))
    assert all(error.meaning.endswith(".") for error in codes.values())


def test_an_error_reads_as_sentences():
    error = InvalidPayload("the field is wrong", recovery="Send another.", details={"field": "x"})

    assert str(error) == "INVALID_PAYLOAD: the field is wrong. Send another."
    assert error.payload() == {
        "code": "INVALID_PAYLOAD",
        "message": "the field is wrong",
        "recovery": "Send another.",
        "details": {"field": "x"},
    }
