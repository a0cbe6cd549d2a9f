"""Cards about a step of a task."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.mind import Mind, node

H1 = {"id": "H1", "type": "hypothesis", "title": "The cache is cold"}
TRACE, GRAPH = "TASK-001-trace", "TASK-001-graph"


@pytest.fixture
def steps(quick: Mind) -> list[dict[str, str]]:
    """Of a task with two of them."""
    plan = quick.tasks_create(kind="plan", title="p")["id"]
    made = quick.tasks_create(
        parent=plan,
        title="t",
        steps=[{"title": name, "success_criteria": ["c"]} for name in ("one", "two")],
    )
    assert made["id"] == "TASK-001"
    return made["steps"]


def close(mind: Mind, step: dict[str, str]) -> None:
    mind.tasks_close_step(task="TASK-001", step_id=step["step_id"], checkpoints="all")


def test_a_card_about_a_target_stands_in_the_targets_own_documents(quick: Mind, steps: list[dict[str, str]]):
    answer = quick.think_card(card=H1, target="TASK-001")
    assert (answer["branch"], answer["trace_doc"], answer["graph_doc"]) == ("task/TASK-001", TRACE, GRAPH)
    assert answer["trace_ref"] == f"{TRACE}@{answer['trace_seq']}"

    quick.tasks_focus_set(task="TASK-001")
    assert quick.think_card(card=H1) == {**answer, "inserted": False}
    assert quick.think_pin(targets="H1")["graph_doc"] == GRAPH
    error = quick.refused("think_card", card=H1, target="TASK-001", branch="main")
    assert error.code == "INVALID_INPUT"
    assert error.details["hints"][0]["kind"] == "choose_one"


@pytest.mark.parametrize("named", ["focus", "id", "path"])
def test_a_card_about_a_step_is_tagged_with_it_and_says_so_in_meta(
    quick: Mind, steps: list[dict[str, str]], named: str
):
    step = steps[0] if named == "focus" else steps[1]
    given = {"focus": "focus", "id": step["step_id"], "path": step["path"]}[named]
    answer = quick.think_card(card={**H1, "tags": ["own"]}, target="TASK-001", step=given)

    found = node(quick, "H1", answer["branch"], GRAPH)
    assert found.tags == ("lane:shared", "own", f"step:{step['step_id'].lower()}", "v:canon")
    assert found.meta == {"step": {"task_id": "TASK-001", "step_id": step["step_id"], "path": step["path"]}}


def test_a_card_about_the_step_in_focus_is_the_same_after_the_focus_moved_on(quick: Mind, steps: list[dict[str, str]]):
    call: dict[str, Any] = {"card": H1, "target": "TASK-001", "step": "focus"}
    first = quick.think_card(**call)
    for step in steps:
        close(quick, step)
        head = quick.head()
        assert quick.think_card(**call) == {**first, "inserted": False}
        assert quick.head() == head
    assert quick.refused("think_card", card="new", target="TASK-001", step="focus").code == "INVALID_INPUT"


def test_a_step_goes_with_a_task_only(quick: Mind, steps: list[dict[str, str]]):
    for scope in ({"branch": "main"}, {"trace_doc": "trace"}, {"graph_doc": "graph"}, {"target": "PLAN-001"}):
        assert quick.refused("think_card", card=H1, step="focus", **scope).code == "INVALID_INPUT"
    assert quick.refused("think_card", card=H1, target="TASK-001", step="STEP-FFFFFFFF").code == "UNKNOWN_ID"
    assert quick.warnings("think_card", card=H1, step="focus") == ["STEP_CONTEXT_IGNORED"]
    assert node(quick, "H1").meta == {}


def test_all_stages_of_a_pipeline_and_its_note_are_about_the_same_step(quick: Mind, steps: list[dict[str, str]]):
    call: dict[str, Any] = {
        "target": "TASK-001",
        "step": "focus",
        "hypothesis": {"id": "H1", "title": "h"},
        "decision": {"id": "D1", "title": "d"},
    }
    first = quick.think_pipeline(**call)
    about = {"task_id": "TASK-001", "step_id": steps[0]["step_id"], "path": steps[0]["path"]}

    assert first["trace_doc"] == TRACE
    for id in ("H1", "D1"):
        found = node(quick, id, "task/TASK-001", GRAPH)
        assert (found.meta["step"], f"step:{about['step_id'].lower()}" in found.tags) == (about, True)
    (note,) = quick.show(target="TASK-001", doc_kind="notes")["entries"]
    assert note["meta"] == {"card_id": "D1", "step": about}
    close(quick, steps[0])
    head = quick.head()
    assert quick.think_pipeline(**call)["decision_note"] == first["decision_note"]
    assert quick.head() == head


def test_a_published_copy_keeps_the_tag_of_its_step(quick: Mind, steps: list[dict[str, str]]):
    quick.think_card(card=H1, target="TASK-001", step="focus")
    quick.think_publish(card_id="H1", target="TASK-001")

    copy = node(quick, "CARD-PUB-H1", "task/TASK-001", GRAPH)
    assert f"step:{steps[0]['step_id'].lower()}" in copy.tags
    assert copy.meta["step"]["step_id"] == steps[0]["step_id"]


def test_tools_that_change_cards_take_a_target_or_a_branch_and_documents(quick: Mind, steps: list[dict[str, str]]):
    quick.think_card(card=H1, target="TASK-001")
    quick.think_card(card={"id": "Q1", "type": "question", "title": "q"}, target="TASK-001")

    own = {"target": "TASK-001"}
    opened = quick.think_subgoal_open(question_id="Q1", **own)
    answers = [
        opened,
        quick.think_subgoal_close(card_id=opened["card_id"], **own),
        quick.think_link(**{"from": "H1", "rel": "supports", "to": "Q1"}, **own),
        quick.think_set_status(targets="H1", status="done", **own),
        quick.think_pins(**own),
        quick.think_lint(**own),
        quick.think_nominal_merge(**own),
        quick.think_pin(targets="H1", ref="task/TASK-001", graph_doc=GRAPH),
    ]
    assert {(answer["branch"], answer["graph_doc"]) for answer in answers} == {("task/TASK-001", GRAPH)}
    error = quick.refused("think_pins", target="TASK-001", ref="main")
    assert error.code == "INVALID_INPUT"
