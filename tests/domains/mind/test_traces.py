"""Steps of traces, told through their tools."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.mind import Mind

FIRST: dict[str, Any] = {"thought": "one", "thoughtNumber": 1, "totalThoughts": 3, "nextThoughtNeeded": True}


def test_a_step_is_an_entry_of_the_trace_with_all_that_was_said_of_it(quick: Mind):
    answer = quick.trace_step(
        step="Ran it twice", message="Load test", mode="verify", supports=["CARD-1"], blocks=["H2"], meta={"x": 1}
    )

    entry = answer["entry"]
    assert (entry["format"], entry["title"], entry["content"]) == ("trace_step", "Load test", "Ran it twice")
    assert entry["meta"] == {"x": 1, "mode": "verify", "supports": ["CARD-1"], "blocks": ["H2"]}
    assert answer["trace_ref"] == f"trace@{entry['seq']}"
    assert quick.open(id=answer["trace_ref"])["entry"] == entry


def test_incomplete_numbers_are_warned_of_twice_at_most_and_written_all_the_same(quick: Mind):
    bad = {"branchFromThought": 0, "branchId": 7, "totalThoughts": "many", "nextThoughtNeeded": "yes"}
    answer = quick.whole("trace_step", step="s", meta=bad)

    codes = [warning["code"] for warning in answer["warnings"]]
    assert codes == ["TRACE_SEQ_META_MISSING_THOUGHT_NUMBER", "TRACE_SEQ_META_INVALID_BRANCH_FROM"]
    assert quick.trace_hydrate()["pagination"]["count"] == 1
    assert quick.warnings("trace_step", step="s") == []


def test_a_numbered_thought_keeps_its_numbers(quick: Mind):
    entry = quick.trace_sequential_step(**FIRST, confidence=0.5, goal="g")["entry"]

    assert (entry["format"], entry["content"]) == ("trace_sequential_step", "one")
    assert entry["meta"] == {
        "thoughtNumber": 1,
        "totalThoughts": 3,
        "nextThoughtNeeded": True,
        "confidence": 0.5,
        "goal": "g",
    }


@pytest.mark.parametrize(
    "wrong",
    [
        {"thoughtNumber": 0},
        {"totalThoughts": 0},
        {"thoughtNumber": 4},
        {"isRevision": True},
        {"revisesThought": 0},
        {"branchFromThought": -1},
        {"confidence": 1.5},
        {"thought": " "},
    ],
)
def test_numbers_that_cannot_be_are_refused(quick: Mind, wrong: dict[str, Any]):
    assert quick.refused("trace_sequential_step", **{**FIRST, **wrong}).code == "INVALID_INPUT"


@pytest.mark.parametrize("missing", ["thought", "thoughtNumber", "totalThoughts", "nextThoughtNeeded"])
def test_each_number_is_needed(quick: Mind, missing: str):
    error = quick.refused("trace_sequential_step", **{name: value for name, value in FIRST.items() if name != missing})
    assert error.details["hints"] == [{"kind": "missing_required", "field": missing}]


def test_every_read_of_a_trace_shows_the_graph_that_its_numbers_make(quick: Mind):
    quick.trace_sequential_step(**FIRST)
    quick.trace_step(step="two", meta={"thoughtNumber": 2, "branchFromThought": 1, "branchId": "alt"})
    last = quick.trace_sequential_step(
        **{**FIRST, "thoughtNumber": 3, "thought": "three"}, isRevision=True, revisesThought=9
    )["entry"]

    expected = quick.trace_hydrate()["sequential"]
    assert [(node["thoughtNumber"], node["seq"]) for node in expected["nodes"]] == [(1, 3), (2, 4), (3, last["seq"])]
    assert expected["edges"] == [
        {"rel": "branch", "from": 1, "to": 2, "branchId": "alt"},
        {"rel": "revision", "from": 9, "to": 3},
    ]
    assert expected["missing"] == {"branchFromThought": [], "revisesThought": [9]}
    assert quick.show()["sequential"] == expected
    assert quick.show(limit=1)["sequential"]["missing"] == {"branchFromThought": [], "revisesThought": [9]}


def test_a_trace_without_numbers_has_no_graph(quick: Mind):
    quick.trace_step(step="s")
    assert "sequential" not in quick.show()


def test_a_trace_is_validated_as_far_back_as_two_hundred_numbered_thoughts(mind: Mind):
    for number in range(1, 204):
        mind.trace_sequential_step(
            **{**FIRST, "thoughtNumber": number, "totalThoughts": 203, "nextThoughtNeeded": number < 203}
        )
    answer = mind.trace_validate()
    assert (answer["ok"], answer["checked"], answer["has_more"], answer["errors"]) == (True, 200, True, [])

    mind.trace_sequential_step(**{**FIRST, "thoughtNumber": 2, "totalThoughts": 203})
    mind.trace_sequential_step(**{**FIRST, "thoughtNumber": 1, "totalThoughts": 203})
    answer = mind.trace_validate()
    (error,) = answer["errors"]
    assert (answer["ok"], error["code"]) == (False, "thought_out_of_order")
    assert mind.open(id=error["ref"])["entry"]["meta"]["thoughtNumber"] == 1
