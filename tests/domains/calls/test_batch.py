"""`batch`: calls in one transaction, all or none."""

from __future__ import annotations

import pytest

from tests.support.box import Box
from tests.support.boxes import OpenBox, box, open_box
from tests.support.thinker import Client
from thoughtbox.errors import InvalidOperation, InvalidPayload, ThoughtboxError

__all__ = ["box", "open_box"]


def plan(text: str) -> dict[str, object]:
    return {"operation": "thought_plan", "arguments": {"sessionId": "s1", "planDescription": text}}


def thought(text: str, **more: object) -> dict[str, object]:
    return {"operation": "thought", "arguments": {"thought": text, **more}}


def test_each_answer_stands_in_its_place(box: Box):
    alone = box.thought_plan(sessionId="s0", planDescription="alone")

    answers = box.call("batch", {"calls": [plan("a"), {"operation": "ledger_status"}, plan("b")]})["answers"]

    assert [answer.keys() for answer in answers] == [alone.keys(), box.ledger_status().keys(), alone.keys()]
    assert [answers[0]["thought"]["thoughtId"], answers[2]["thought"]["thoughtId"]] == ["th:2", "th:3"]
    assert answers[1]["records"] == 2, "each sees what the ones before it have written"


def test_one_that_fails_undoes_all_and_its_place_is_said(box: Box):
    with pytest.raises(InvalidPayload) as refused:
        box.call("batch", {"calls": [plan("a"), plan("b"), plan("")]})

    assert refused.value.details["index"] == 2
    assert refused.value.details["operation"] == "thought_plan"
    assert "calls[2], thought_plan" in refused.value.message
    assert box.ledger_status()["records"] == 0


def test_an_unknown_operation_in_it_undoes_all(box: Box):
    with pytest.raises(InvalidOperation) as refused:
        box.call("batch", {"calls": [plan("a"), {"operation": "thought_plam"}]})

    assert refused.value.details["index"] == 1
    assert refused.value.recovery == "Did you mean `thought_plan`?"
    assert box.ledger_status()["records"] == 0


def test_a_whole_session_fits_into_one(box: Box):
    mia = Client(box)
    calls = [
        {"operation": "start_new", "arguments": {"sessionTitle": "Slow pages"}},
        {"operation": "cipher"},
        thought("S1|O|Pages are slow"),
        thought("S2|H|S1|The cache is cold"),
        {"operation": "read_thoughts"},
        {"operation": "session.search", "arguments": {"query": "cold"}},
    ]

    answers = mia.call("batch", calls=calls)["answers"]

    assert [one["thoughtNumber"] for one in answers[4]["thoughts"]] == [1, 2]
    assert answers[5]["sessions"], "what was written just now is found"
    assert (mia.session_id, mia.stage) == (answers[0]["sessionId"], 2)
    assert mia.think("S3|C|S2|∴ Warm it")["thoughtNumber"] == 3


def test_a_batch_that_fails_leaves_the_caller_where_it_was(box: Box):
    mia = Client(box).ready()
    before = mia.focus

    with pytest.raises(ThoughtboxError):
        mia.call("batch", calls=[{"operation": "start_new"}, thought("S1|O|x"), thought("")])

    assert mia.focus == before


def test_what_a_failed_batch_had_come_to_is_missed_by_nobody(open_box: OpenBox):
    """A search inside it counts its thoughts before they are there for good."""
    box = open_box()
    agent = Client(box).ready()
    agent.thought(thought="Kept")
    calls = [
        {"operation": "thought", "arguments": {"thought": "Lost"}},
        {"operation": "session.search", "arguments": {"query": "lost"}},
        {"operation": "thought", "arguments": {"thought": "Where?", "branchId": "nowhere"}},
    ]
    with pytest.raises(InvalidPayload):
        agent.batch(calls=calls)
    records = agent.ledger_status()["records"]
    box.close()

    again = Client(open_box())
    assert again.ledger_status()["records"] == records
    assert again.ledger_verify(deep=True)["valid"]


def test_stages_hold_inside_it(box: Box):
    with pytest.raises(ThoughtboxError) as refused:
        Client(box).call("batch", calls=[{"operation": "start_new"}, thought("too early")])

    assert refused.value.code == "STAGE_REQUIREMENT_NOT_MET"
    assert refused.value.details["index"] == 1


def test_its_key_repeats_all_of_it(box: Box):
    calls = {"calls": [plan("a"), plan("b")]}

    first = box.call("batch", calls, key="k")

    assert box.call("batch", calls, key="k") == first
    assert box.thought_tree(sessionId="s1")["count"] == 2


def test_it_may_hold_another_and_lead_through_the_gateway(box: Box):
    inner = {"operation": "batch", "arguments": {"calls": [plan("a")]}}
    routed = {"operation": "thoughtbox_gateway", "arguments": {"operation": "thought_tree", "sessionId": "s1"}}

    answers = box.call("thoughtbox_gateway", {"operation": "batch", "calls": [inner, routed]})["answers"]

    assert answers[0]["answers"][0]["success"]
    assert answers[1]["count"] == 1


@pytest.mark.parametrize("calls", [[], [plan("x")] * 1_001, "nonsense", [{"arguments": {}}], [{"operation": 7}]])
def test_nonsense_is_refused_and_changes_nothing(box: Box, calls: object):
    with pytest.raises(InvalidPayload):
        box.call("batch", {"calls": calls})

    assert box.ledger_status()["records"] == 0


def test_every_record_says_that_it_came_in_a_batch(box: Box):
    box.call("batch", {"calls": [plan("a")]})

    source = box.ledger_record(id="th:1")["record"]["source"]
    assert (source["surface"], source["operation"], source["via"]) == ("trail", "thought_plan", ["batch"])
