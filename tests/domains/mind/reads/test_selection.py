"""Which cards a view shows, and in which order."""

from __future__ import annotations

import pytest

from tests.domains.mind.reads.conftest import card, focus, ids, new_task, nodes
from tests.support.mind import Mind


def test_pinned_cards_come_first_then_what_is_open_then_what_was_changed_last(mind: Mind):
    card(mind, "D-old", "decision", status="accepted", tags=["pinned"])
    card(mind, "U-closed", "update", status="closed")
    card(mind, "T", "test")
    card(mind, "Q", "question")
    card(mind, "S", "question", tags=["subgoal"])
    card(mind, "H1", "hypothesis")
    card(mind, "H2", "hypothesis")
    card(mind, "D-new", "decision", status="accepted")
    card(mind, "H-closed", "hypothesis", status="rejected")

    found = ids(mind.think_context()["cards"])

    assert found == ["D-old", "H2", "H1", "S", "Q", "T", "H-closed", "D-new", "U-closed"]
    assert ids(mind.think_context(limit_cards=4)["cards"]) == found[:4]


def test_of_each_kind_so_many_are_shown_before_the_rest(quick: Mind):
    for number in range(10):
        card(quick, f"P{number}", "decision", status="accepted", tags=["pinned"])
    for number in range(8):
        card(quick, f"H{number}", "hypothesis")
        card(quick, f"Q{number}", "question", tags=["subgoal"] if number < 6 else [])
        card(quick, f"T{number}", "test")

    found = ids(quick.think_context(view="smart", limit_cards=40)["cards"])

    assert found[:8] == [f"P{number}" for number in range(9, 1, -1)]
    assert found[8:14] == [f"H{number}" for number in range(7, 1, -1)]
    # The six newest questions, and of the four newest subgoals those that were not among them.
    assert found[14:20] == [f"Q{number}" for number in range(7, 1, -1)]
    assert found[20:26] == [f"T{number}" for number in range(7, 1, -1)]
    assert found[26:] == ["T1", "Q1", "H1", "T0", "Q0", "H0"]
    assert len(set(found)) == len(found)


def test_four_subgoals_are_shown_however_many_newer_questions_there_are(quick: Mind):
    for number in range(6):
        card(quick, f"S{number}", "question", tags=["subgoal"])
    for number in range(20):
        card(quick, f"Q{number}", "question")

    found = ids(quick.think_context(limit_cards=10)["cards"])

    assert found == [*(f"Q{number}" for number in range(19, 13, -1)), "S5", "S4", "S3", "S2"]


def test_smart_and_audit_fill_with_what_is_open_and_explore_with_anything(quick: Mind):
    card(quick, "open", "update")
    card(quick, "closed", "update", status="closed")
    card(quick, "draft", "note")

    assert ids(quick.think_context(view="smart")["cards"]) == ["open"]
    assert ids(quick.think_context(view="explore")["cards"]) == ["closed", "open"]
    assert ids(quick.think_context(view="audit")["cards"]) == ["draft", "open"]


def test_without_a_view_it_is_smart_with_a_context_budget_and_explore_otherwise(quick: Mind):
    card(quick, "open", "update")
    card(quick, "closed", "update", status="closed")

    assert ids(quick.think_context(context_budget=50_000)["cards"]) == ["open"]
    assert ids(quick.think_context(max_chars=50_000)["cards"]) == ["closed", "open"]
    assert ids(quick.think_context()["cards"]) == ["closed", "open"]
    assert ids(quick.think_context(context_budget=50_000, view="explore")["cards"]) == ["closed", "open"]


def test_a_view_that_is_none_is_refused(quick: Mind):
    assert quick.refused("think_context", view="focus").code == "INVALID_INPUT"


@pytest.mark.parametrize("asked", [{"include_drafts": True}, {"all_lanes": True}, {"view": "audit"}])
def test_drafts_are_shown_to_whoever_asks_for_them(quick: Mind, asked: dict[str, object]):
    card(quick, "marked", "hypothesis", tags=["v:draft"])
    card(quick, "by-type", "note")
    card(quick, "both", "hypothesis", tags=["v:draft", "v:canon"])
    nodes(quick, {"op": "node_upsert", "id": "lane", "type": "question", "status": "open", "tags": ["lane:agent:x"]})
    nodes(
        quick,
        {"op": "node_upsert", "id": "canon", "type": "test", "status": "open", "tags": ["lane:agent:x", "v:canon"]},
    )

    assert set(ids(quick.think_context()["cards"])) == {"canon"}
    assert set(ids(quick.think_context(**asked)["cards"])) == {"marked", "by-type", "both", "lane", "canon"}
    everything = quick.think_frontier(**asked)["frontier"]
    assert {id for kind in everything.values() for id in ids(kind)} == {"both", "marked", "lane", "canon"}


def test_a_pinned_draft_is_shown_to_all(quick: Mind):
    card(quick, "draft", "hypothesis", tags=["v:draft"])
    assert quick.think_frontier()["frontier"]["hypotheses"] == []

    quick.think_pin(targets="draft")

    assert ids(quick.think_context()["cards"]) == ["draft"]
    assert ids(quick.think_frontier()["frontier"]["hypotheses"]) == ["draft"]
    assert ids(quick.think_query(status="open")["cards"]) == ["draft"]
    quick.think_pin(targets="draft", pinned=False)
    assert quick.think_context()["cards"] == []


def test_only_cards_are_shown_and_none_that_was_deleted(quick: Mind, task: str):
    card(quick, "H", "hypothesis", target=task)
    card(quick, "gone", "hypothesis", target=task)
    nodes(
        quick,
        {"op": "node_upsert", "id": "component", "type": "component", "status": "open", "tags": ["pinned"]},
        {"op": "node_delete", "id": "gone"},
        target=task,
    )

    read = quick.think_context(target=task)

    assert ids(read["cards"]) == ["H"]
    assert read["stats"] == {"cards": 1, "by_type": {"hypothesis": 1}}
    assert ids(quick.think_query(target=task)["cards"]) == ["H"]
    assert ids(quick.think_pack(target=task)["candidates"]) == ["H"]


def test_a_branch_shows_the_cards_it_was_made_from_as_they_stand_on_it(mind: Mind):
    for number in range(3):
        card(mind, f"H{number}", "hypothesis")
    mind.branch_create(name="what-if")
    card(mind, "main-only", "hypothesis")
    mind.think_set_status(ref="what-if", targets="H1", status="rejected")
    card(mind, "new", "question", branch="what-if")

    frontier = mind.think_frontier(ref="what-if")["frontier"]

    assert ids(frontier["hypotheses"]) == ["H2", "H0"]
    assert ids(mind.think_context(branch="what-if")["cards"]) == ["H2", "H0", "new", "H1"]
    assert ids(mind.think_frontier(ref="main")["frontier"]["hypotheses"]) == ["main-only", "H2", "H1", "H0"]
    assert ids(mind.think_query(ref="what-if", types=["hypothesis", "question"])["cards"]) == ["new", "H1", "H2", "H0"]


def test_with_a_step_only_its_cards_are_shown_beside_what_is_pinned(mind: Mind):
    task = new_task(mind)
    card(mind, "pinned", "decision", tags=["pinned"], target=task)
    card(mind, "elsewhere", "hypothesis", target=task)
    card(mind, "of-step", "hypothesis", target=task, step="s:1")
    card(mind, "closed", "test", status="closed", target=task, step="s:1")
    card(mind, "draft", "note", target=task, step="s:1")
    card(mind, "subgoal", "question", tags=["subgoal"], target=task, step="s:1")

    read = mind.think_context(target=task, step="s:1")

    assert ids(read["cards"]) == ["pinned", "of-step", "subgoal", "draft", "closed"]
    assert read["step_focus"] == {"task_id": task, "step_id": read["step_focus"]["step_id"], "path": "s:1"}
    smart = mind.think_context(target=task, step="s:1", view="smart")
    assert ids(smart["cards"]) == ["pinned", "of-step", "subgoal", "draft", "closed"]
    frontier = mind.think_frontier(target=task, step="s:1")["frontier"]
    assert {kind: ids(cards) for kind, cards in frontier.items()} == {
        "hypotheses": ["of-step"],
        "questions": [],
        "subgoals": ["subgoal"],
        "tests": [],
    }
    assert mind.think_next(target=task, step="s:1")["candidate"]["id"] == "subgoal"
    assert ids(mind.think_query(target=task, step="s:1")["cards"]) == ["subgoal", "draft", "closed", "of-step"]
    for tool in ("think_pack", "think_watch"):
        assert ids(getattr(mind, tool)(target=task, step="s:1")["candidates"]) == ids(read["cards"])
    assert mind.think_context(target=task, step="s:0.s:0")["cards"] == [read["cards"][0]]


def test_focus_is_the_first_open_step_and_a_step_goes_with_no_branch_or_document(quick: Mind, task: str):
    card(quick, "of-step", "hypothesis", target=task, step="focus")
    focus(quick, task)

    assert ids(quick.think_context(step="focus")["cards"]) == ["of-step"]
    for tool, overrides in {
        "think_context": {"branch": "main"},
        "think_query": {"ref": "main"},
        "think_frontier": {"graph_doc": "graph"},
        "think_next": {"ref": "main"},
        "think_pack": {"graph_doc": "graph"},
        "think_watch": {"trace_doc": "trace"},
        "context_pack": {"notes_doc": "notes"},
    }.items():
        error = quick.refused(tool, step="focus", **overrides)
        assert error.code == "INVALID_INPUT"
        assert next(iter(overrides)) in error.message
        assert quick.refused(tool, step="focus", target="PLAN-001").code == "INVALID_INPUT"
    assert quick.refused("think_context", step="s:7").code == "UNKNOWN_ID"


def test_a_step_without_a_task_in_focus_is_passed_over_with_a_warning(quick: Mind):
    card(quick, "H", "hypothesis")

    answer = quick.whole("think_context", step="focus")

    assert ids(answer["result"]["cards"]) == ["H"]
    assert [warning["code"] for warning in answer["warnings"]] == ["STEP_CONTEXT_IGNORED"]
