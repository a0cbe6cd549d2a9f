"""Pure logic of the trail: trees, shapes, truncation, and how a thought becomes a record."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thoughtbox.domains.trail.thoughts import DEEPEST, Thought, draft, shorten
from thoughtbox.domains.trail.trees import forest
from thoughtbox.ledger.record import Draft


def thought(number: int, parent: str | None = None, content: str = "because") -> Thought:
    return Thought(
        thought_id=f"th:{number}",
        thought_type="analysis",
        session_id="s1",
        step_index=number - 1,
        content=content,
        parent_id=parent,
        action_id=None,
        context_id=None,
        recorded_at="2026-01-01T00:00:00.000Z",
        seq=number,
        chain_hash="0" * 64,
    )


def nested(*thoughts: Thought) -> list[dict[str, Any]]:
    return forest(thoughts, whole=False, nested=True)


def ids(entries: list[dict[str, Any]]) -> list[str]:
    return [entry["thoughtId"] for entry in entries]


def test_children_stand_below_their_parent_in_order_of_recording():
    (root,) = nested(thought(1), thought(2, "th:1"), thought(3, "th:1"), thought(4, "th:2"))

    assert ids(root["children"]) == ["th:2", "th:3"]
    assert ids(root["children"][0]["children"]) == ["th:4"]


def test_a_thought_without_a_parent_is_a_root():
    assert ids(nested(thought(1), thought(2), thought(3, "th:1"))) == ["th:1", "th:2"]


def test_an_orphan_is_a_root():
    assert ids(nested(thought(1), thought(2, "th:99"), thought(3, "lost"))) == ["th:1", "th:2", "th:3"]


def test_a_parent_that_came_to_be_later_stays_unknown_so_that_no_circle_can_close():
    assert ids(nested(thought(1, "th:2"), thought(2, "th:1"))) == ["th:1"]


def test_children_are_not_nested_unless_asked_for():
    shown = forest([thought(1), thought(2, "th:1")], whole=False, nested=False)

    assert [entry["thoughtId"] for entry in shown] == ["th:1"]
    assert "children" not in shown[0]


def test_a_branch_deeper_than_readers_can_nest_goes_on_at_the_top_and_loses_nothing():
    chain = [thought(1), *(thought(n, f"th:{n - 1}") for n in range(2, 3 * DEEPEST))]

    shown = nested(*chain)

    assert [entry.get("continues") for entry in shown] == [None, f"th:{DEEPEST}", f"th:{2 * DEEPEST}"]
    assert _count(shown) == len(chain)
    assert _depth(shown) <= DEEPEST
    json.dumps(shown)


@given(st.lists(st.integers(min_value=0, max_value=60), max_size=60))
def test_every_thought_of_any_forest_is_shown_once(parents: list[int]):
    thoughts = [thought(n, f"th:{parent}" if parent else None) for n, parent in enumerate(parents, 1)]

    shown = forest(thoughts, whole=True, nested=True)

    assert sorted(_ids(shown)) == sorted(t.thought_id for t in thoughts)


@pytest.mark.parametrize("length", [16, 100, 150, 200])
def test_a_text_of_exactly_the_limit_stays_whole_and_one_more_character_is_cut(length: int):
    assert shorten("x" * length, length) == "x" * length
    assert shorten("x" * (length + 1), length) == "x" * length + "…"


def test_truncation_counts_characters_and_never_splits_one():
    assert shorten("🙂" * 101, 100) == "🙂" * 100 + "…"


@pytest.mark.parametrize(
    ("thought_type", "kind"),
    [
        ("plan", "plan"),
        ("analysis", "claim"),
        ("decision", "decision"),
        ("reflection", "observation"),
        ("evidence", "evidence"),
        ("question", "question"),
        ("anything at all", "observation"),
    ],
)
def test_each_type_of_thought_becomes_a_record_of_a_fitting_kind(thought_type: str, kind: str):
    assert _draft(thought_type=thought_type).kind == kind


def test_a_known_parent_becomes_a_relation_and_an_unknown_one_is_only_kept():
    known = _draft(parent_id="th:1", parent_is_known=True)
    unknown = _draft(parent_id="elsewhere", parent_is_known=False)

    assert known.attrs["relations"] == [{"type": "derived_from", "to": "th:1"}]
    assert unknown.attrs["relations"] == []
    assert unknown.data["parentId"] == "elsewhere"


def _draft(**given: Any) -> Draft:
    fields: dict[str, Any] = {
        "session_id": "s1",
        "thought_type": "analysis",
        "content": "because",
        "context_id": None,
        "action_id": None,
        "parent_id": None,
        "parent_is_known": False,
    }
    return draft(**{**fields, **given})


def _ids(shown: list[dict[str, Any]]) -> list[str]:
    return [entry["thoughtId"] for entry in shown] + [
        deeper for entry in shown for deeper in _ids(entry.get("children", []))
    ]


def _count(shown: list[dict[str, Any]]) -> int:
    return len(_ids(shown))


def _depth(shown: list[dict[str, Any]]) -> int:
    return 1 + max((_depth(entry["children"]) for entry in shown if entry.get("children")), default=0)
