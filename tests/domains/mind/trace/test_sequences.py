"""The graph of a sequential trace, the warnings for incomplete numbers, and the rules of the whole."""

from __future__ import annotations

import random
from typing import Any

import pytest

from thoughtbox.domains.mind.trace.lint import lint
from thoughtbox.domains.mind.trace.sequential import sequential
from thoughtbox.domains.mind.trace.steps import TraceStep
from thoughtbox.domains.mind.trace.validation import validate


def step(seq: int, format: str | None = "trace_sequential_step", title: str | None = None, **meta: Any) -> TraceStep:
    return TraceStep(seq, seq * 1000, format, title, f"thought at {seq}", meta)


def thought(seq: int, number: int, **meta: Any) -> TraceStep:
    whole: dict[str, Any] = {"thoughtNumber": number, "totalThoughts": 9, "nextThoughtNeeded": True, **meta}
    return step(seq, **whole)


def codes(entries: list[TraceStep]) -> list[tuple[int, str]]:
    return [(error.seq, error.code) for error in validate(entries).errors]


def test_the_graph_shows_what_branched_and_what_was_revised():
    graph = sequential(
        [
            thought(10, 1),
            thought(11, 2, title="Look at the cache"),
            thought(12, 3, branchFromThought=1, branchId="alt"),
            thought(13, 4, isRevision=True, revisesThought=2),
            thought(14, 5, revisesThought=2),
        ]
    )

    assert graph is not None
    assert [(node["thoughtNumber"], node["seq"]) for node in graph["nodes"]] == [
        (1, 10),
        (2, 11),
        (3, 12),
        (4, 13),
        (5, 14),
    ]
    assert graph["nodes"][2] == {
        "thoughtNumber": 3,
        "seq": 12,
        "totalThoughts": 9,
        "nextThoughtNeeded": True,
        "branchFromThought": 1,
        "branchId": "alt",
    }
    assert graph["edges"] == [
        {"rel": "branch", "from": 1, "to": 3, "branchId": "alt"},
        {"rel": "revision", "from": 2, "to": 4},
    ]
    assert graph["missing"] == {"branchFromThought": [], "revisesThought": []}


def test_a_thought_written_twice_is_one_node_of_each_field_the_newest_given():
    graph = sequential(
        [
            thought(20, 1, goal="old", branchId="alt"),
            step(21, thoughtNumber=1, goal="new", totalThoughts=3, confidence=0.5),
        ]
    )

    assert graph is not None
    assert graph["nodes"] == [
        {
            "thoughtNumber": 1,
            "seq": 21,
            "totalThoughts": 3,
            "nextThoughtNeeded": True,
            "branchId": "alt",
            "goal": "new",
            "confidence": 0.5,
        }
    ]


def test_what_is_not_among_the_entries_is_named_once_and_its_edge_stays():
    graph = sequential(
        [
            thought(5, 7, branchFromThought=4),
            thought(6, 8, branchFromThought=4),
            thought(7, 9, isRevision=True, revisesThought=2),
        ]
    )

    assert graph is not None
    assert graph["missing"] == {"branchFromThought": [4], "revisesThought": [2]}
    assert [(edge["from"], edge["to"]) for edge in graph["edges"]] == [(4, 7), (4, 8), (2, 9)]


def test_edges_stand_by_relation_ends_and_branch_whatever_order_the_entries_came_in():
    entries = [
        thought(1, 1),
        thought(2, 2, branchFromThought=1, branchId="b"),
        thought(3, 2, branchFromThought=1, branchId="a"),
        thought(4, 3, branchFromThought=2, isRevision=True, revisesThought=1),
        thought(5, 3, branchFromThought=2),
    ]
    graph = sequential(entries)
    shuffled = random.Random(7).sample(entries, len(entries))

    assert graph is not None
    assert [tuple(edge.values()) for edge in graph["edges"]] == [
        ("branch", 1, 2, "a"),
        ("branch", 1, 2, "b"),
        ("branch", 2, 3),
        ("revision", 1, 3),
    ]
    assert sequential(shuffled) == graph


def test_a_plain_step_with_numbers_is_part_of_the_graph_and_other_entries_are_not():
    entries = [
        step(1, "trace_step", thoughtNumber=1.0),
        step(2, "trace_step", thoughtNumber=2, branchFromThought=1),
        step(3, "trace_step", branchFromThought=1),
        step(4, "think_card", thoughtNumber=4),
        step(5, None, thoughtNumber=5),
        step(6, "trace_step", thoughtNumber=True),
        step(7, "trace_step", thoughtNumber="7"),
        step(8, "trace_step", thoughtNumber=0),
        step(9, "trace_step", thoughtNumber=1.5),
        step(10, "trace_step", thoughtNumber=float("inf")),
    ]
    graph = sequential(entries)

    assert graph is not None
    assert [node["thoughtNumber"] for node in graph["nodes"]] == [1, 2]
    assert [tuple(edge.values()) for edge in graph["edges"]] == [("branch", 1, 2)]


def test_without_a_numbered_thought_there_is_no_graph():
    assert sequential([]) is None
    assert sequential([step(1, "trace_step"), step(2, "trace_step", branchId="alt")]) is None


VARIANTS = [
    ({"branchFromThought": 1}, ["MISSING_THOUGHT_NUMBER"]),
    ({"thoughtNumber": 0}, ["INVALID_THOUGHT_NUMBER"]),
    ({"thoughtNumber": "2"}, ["INVALID_THOUGHT_NUMBER"]),
    ({"thoughtNumber": 2, "branchFromThought": "1"}, ["INVALID_BRANCH_FROM"]),
    ({"thoughtNumber": 2, "branchId": " "}, ["INVALID_BRANCH_ID"]),
    ({"thoughtNumber": 2, "isRevision": True}, ["REVISION_WITHOUT_TARGET"]),
    ({"thoughtNumber": 2, "isRevision": True, "revisesThought": -1}, ["INVALID_REVISES"]),
    ({"thoughtNumber": 2, "revisesThought": 1}, ["INVALID_REVISES"]),
    ({"thoughtNumber": 2, "totalThoughts": 0}, ["INVALID_TOTAL_THOUGHTS"]),
    ({"thoughtNumber": 2, "totalThoughts": 1}, ["TOTAL_BELOW_NUMBER"]),
    ({"thoughtNumber": 2, "nextThoughtNeeded": "yes"}, ["INVALID_NEXT_THOUGHT_NEEDED"]),
]


@pytest.mark.parametrize(("meta", "expected"), VARIANTS)
def test_each_thing_that_is_incomplete_has_a_warning_of_its_own(meta: dict[str, Any], expected: list[str]):
    notices = lint(meta)

    assert [notice.code for notice in notices] == [f"TRACE_SEQ_META_{code}" for code in expected]
    assert all(notice.message and notice.recovery for notice in notices)


@pytest.mark.parametrize(
    "meta",
    [
        {},
        {"note": "no numbers at all"},
        {"thoughtNumber": 1},
        {"thoughtNumber": 2, "branchFromThought": None},
        {
            "thoughtNumber": 2,
            "totalThoughts": 2,
            "nextThoughtNeeded": False,
            "branchFromThought": 1,
            "branchId": "alt",
            "isRevision": True,
            "revisesThought": 1,
        },
    ],
)
def test_a_step_in_order_or_without_numbers_has_no_warning(meta: dict[str, Any]):
    assert lint(meta) == []


def test_of_many_warnings_the_two_that_matter_most_are_given():
    broken: dict[str, Any] = {"thoughtNumber": 5, "branchFromThought": 0, "branchId": 3, "isRevision": True}
    broken |= {"totalThoughts": 1, "nextThoughtNeeded": 1}
    order = []
    for repaired in ({}, {"branchFromThought": 1, "branchId": "b"}, {"revisesThought": 0}, {"revisesThought": 1}):
        broken |= repaired
        order.append([notice.code.removeprefix("TRACE_SEQ_META_") for notice in lint(broken)])

    assert order == [
        ["INVALID_BRANCH_FROM", "INVALID_BRANCH_ID"],
        ["REVISION_WITHOUT_TARGET", "TOTAL_BELOW_NUMBER"],
        ["INVALID_REVISES", "TOTAL_BELOW_NUMBER"],
        ["TOTAL_BELOW_NUMBER", "INVALID_NEXT_THOUGHT_NEEDED"],
    ]


def test_a_trace_whose_steps_are_whole_and_in_order_is_valid():
    result = validate(
        [
            thought(1, 1),
            thought(2, 2),
            thought(3, 3, branchFromThought=1, branchId="alt"),
            thought(4, 4, branchId="alt"),
            thought(5, 2, isRevision=True, revisesThought=2),
            thought(6, 3, nextThoughtNeeded=False),
            thought(7, 1),
            step(8, "trace_step"),
        ]
    )

    assert result == (True, 7, False, [])


@pytest.mark.parametrize(
    ("meta", "expected"),
    [
        ({}, ["missing_meta"]),
        ({"note": 1}, ["missing_meta"]),
        ({"totalThoughts": 2, "nextThoughtNeeded": True}, ["invalid_thought_number"]),
        ({"thoughtNumber": 0, "totalThoughts": 2, "nextThoughtNeeded": True}, ["invalid_thought_number"]),
        ({"thoughtNumber": 2, "nextThoughtNeeded": True}, ["invalid_total_thoughts"]),
        ({"thoughtNumber": 2, "totalThoughts": 1, "nextThoughtNeeded": True}, ["invalid_total_thoughts"]),
        ({"thoughtNumber": 2, "totalThoughts": 2}, ["missing_next_thought_needed"]),
        ({"thoughtNumber": 2, "totalThoughts": 2, "nextThoughtNeeded": 1}, ["missing_next_thought_needed"]),
        (
            {"thoughtNumber": 2, "totalThoughts": 2, "nextThoughtNeeded": True, "isRevision": True},
            ["invalid_revises_thought"],
        ),
        ({"thoughtNumber": 1}, ["invalid_total_thoughts", "missing_next_thought_needed"]),
    ],
)
def test_what_a_step_lacks_is_an_error_with_the_place_of_the_step(meta: dict[str, Any], expected: list[str]):
    result = validate([step(7, **meta)])

    assert not result.ok
    assert [(error.seq, error.code) for error in result.errors] == [(7, code) for code in expected]
    assert all(error.message and error.recovery for error in result.errors)


def test_on_one_line_a_lower_number_is_out_of_order():
    assert codes([thought(1, 1), thought(2, 3), thought(3, 2), thought(4, 3)]) == [(3, "thought_out_of_order")]
    assert codes([thought(2, 1), thought(1, 2)]) == [(2, "thought_out_of_order")]
    assert codes([thought(1, 5, branchFromThought=1, branchId="b"), thought(2, 4, branchId="b")]) == [
        (2, "thought_out_of_order")
    ]


def test_the_newest_two_hundred_sequential_steps_are_checked():
    entries = [step(1), *(thought(seq, seq) for seq in range(2, 202))]
    exact = validate(entries[1:])
    more = validate([*reversed(entries), step(500, "trace_step")])

    assert (exact.checked, exact.has_more) == (200, False)
    assert (more.checked, more.has_more) == (200, True)
    assert 1 not in [error.seq for error in more.errors]
