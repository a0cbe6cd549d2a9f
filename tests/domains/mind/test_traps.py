"""Where it is easy to end up somewhere else than was meant, the answer says so."""

from __future__ import annotations

import pytest

from tests.support.mind import Mind

TRIAL = {"name": "try", "from": "task/TASK-001", "content": "What if?"}
CARD = {"id": "D-1", "type": "decision", "title": "One queue"}


@pytest.fixture
def focused(quick: Mind) -> Mind:
    """A task in focus."""
    quick.tasks_create(kind="plan", title="In time")
    steps = [{"title": "First", "success_criteria": ["done"]}]
    steps.append({"title": "Second", "success_criteria": ["done"], "proof_tests_mode": "require"})
    quick.tasks_create(parent="PLAN-001", title="Mend it", steps=steps)
    quick.tasks_focus_set(target="TASK-001")
    return quick


def test_who_switches_with_a_focus_set_is_told_that_the_focus_goes_first(focused: Mind):
    noted = focused.whole("macro_branch_note", **TRIAL)
    (warning,) = noted["warnings"]
    assert warning["code"] == "FOCUS_ELSEWHERE"
    assert "go to task/TASK-001, not to try" in warning["message"]
    assert focused.think_card(card=CARD)["branch"] == "task/TASK-001", "as the warning says"
    assert focused.warnings("checkout", ref="main") == ["FOCUS_ELSEWHERE"]

    assert focused.warnings("checkout", ref="task/TASK-001") == []
    focused.tasks_focus_clear()
    assert focused.warnings("checkout", ref="try") == []
    assert focused.think_card(card={**CARD, "id": "D-2"})["branch"] == "try", "as the recovery says"


@pytest.mark.parametrize("dry_run", [False, True])
def test_a_merge_that_looks_where_nothing_was_written_says_where_something_was(focused: Mind, dry_run: bool):
    focused.macro_branch_note(**TRIAL)
    assert focused.warnings("graph_merge", **{"from": "try"}, merge_to_base=True) == [], "nothing was written at all"
    focused.think_card(branch="try", graph_doc="TASK-001-graph", card=CARD)

    told = focused.whole("graph_merge", **{"from": "try"}, merge_to_base=True, dry_run=dry_run)

    assert (told["result"]["merged"], [warning["code"] for warning in told["warnings"]]) == (0, ["NOTHING_TO_MERGE"])
    (suggestion,) = told["suggestions"]
    assert suggestion["params"].get("dry_run", False) is dry_run
    assert focused.send(suggestion)["result"]["merged"] == 1


def test_proof_that_is_missing_is_asked_for_the_step_that_lacks_it(focused: Mind):
    refused = focused.refused("tasks_close_step", path="s:1", checkpoints="gate")

    assert refused.code == "PROOF_REQUIRED"
    assert refused.recovery is not None
    assert 'task="TASK-001", step_id="STEP-00000002", checkpoint="tests"' in refused.recovery
    focused.tasks_evidence_capture(
        task="TASK-001", step_id="STEP-00000002", checkpoint="tests", checks=["CMD: make test"]
    )
    assert focused.tasks_close_step(path="s:1", checkpoints="gate")["step"]["completed"]


def test_a_lint_does_not_send_its_reader_to_itself(focused: Mind):
    focused.tasks_close_step(path="s:0", checkpoints="gate")
    capsule = focused.tasks_snapshot()["capsule"]
    assert capsule["action"]["tool"] == "tasks_lint"
    lint = focused.tasks_lint(task="TASK-001")
    assert "MISSING_PROOF_TESTS" in [issue["code"] for issue in lint["issues"]]
    assert lint["actions"] == []

    focused.tasks_evidence_capture(checkpoint="tests", checks=["CMD: make test"])

    assert [action["tool"] for action in focused.tasks_lint(task="TASK-001")["actions"]] == ["tasks_close_step"]


def test_a_card_beside_those_of_the_task_that_its_branch_was_made_from_says_so(focused: Mind):
    focused.branch_create(name="what-if", **{"from": "task/TASK-001"})
    card = {"type": "note", "title": "aside"}

    (warning,) = focused.whole("think_card", branch="what-if", card=card)["warnings"]

    assert warning["code"] == "DOCS_OF_TARGET"
    assert warning["recovery"].startswith("Send trace_doc=TASK-001-trace and graph_doc=TASK-001-graph ")
    named = {"trace_doc": "TASK-001-trace", "graph_doc": "TASK-001-graph"}
    assert focused.warnings("think_card", branch="what-if", card=card, **named) == []
    assert focused.warnings("think_card", card=card) == []
