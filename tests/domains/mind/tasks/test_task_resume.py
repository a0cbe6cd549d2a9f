"""Whoever resumes a plan or task finds all that is needed, in a capsule when nothing else fits."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from tests.support.box import WORKSPACE, Box
from tests.support.boxes import OpenBox
from tests.support.mind import Mind
from tests.support.tasks import STEP, act, begun
from thoughtbox.domains.mind.tasks.opening import opened_target
from thoughtbox.operations.caller import ANONYMOUS


def _thought(mind: Mind) -> None:
    """A task with notes and cards."""
    begun(mind)
    scope = {"target": "TASK-001"}
    mind.notes_commit(content="Reads dominate.", **scope)
    mind.think_card(card={"id": "H1", "type": "hypothesis", "title": "The cache is cold"}, step="focus", **scope)
    mind.think_card(card={"id": "D1", "type": "decision", "title": "Warm it", "status": "accepted"}, **scope)
    mind.think_card(card={"id": "E1", "type": "evidence", "title": "0.11 after", "text": "CMD: make load"}, **scope)
    mind.think_card(card={"id": "N1", "type": "note", "title": "A thought"}, **scope)
    mind.think_card(card={"id": "B1", "type": "question", "title": "Who pays?", "tags": ["blocker"]}, **scope)


def test_a_resume_tells_all_that_is_known_of_a_task(mind: Mind):
    _thought(mind)
    answer = mind.tasks_resume_super(task="TASK-001")

    assert list(answer) == [
        *("requested", "focus", "focus_restored", "target", "reasoning_ref", "capsule", "radar", "steps"),
        *("timeline", "signals", "memory", "engine", "step_focus", "degradation", "truncated"),
    ]
    assert answer["target"]["id"] == "TASK-001"
    assert [event["type"] for event in answer["timeline"]["events"]] == ["task_created", "steps_added"]
    signals = answer["signals"]
    assert [card["id"] for card in signals["decisions"]] == ["D1"]
    assert [card["id"] for card in signals["evidence"]] == ["E1"]
    assert [card["id"] for card in signals["blockers"]] == ["B1"]
    assert signals["stats"] == {"blockers": 1, "decisions": 1, "evidence": 1}
    memory = answer["memory"]
    assert [entry["content"] for entry in memory["notes"]] == ["Reads dominate."]
    assert [card["id"] for card in memory["cards"]] == ["H1", "B1", "E1", "D1"]
    assert memory["cards_pagination"] == {"limit": 20, "count": 4, "has_more": False}
    assert memory["stats"]["by_type"] == {"decision": 1, "evidence": 1, "hypothesis": 1, "question": 1}
    assert answer["step_focus"] == {
        "task_id": "TASK-001",
        "step_id": "STEP-00000001",
        "path": "s:0",
        "title": "Count reads",
    }
    assert answer["engine"]["mode"] == "step_aware"
    assert answer["engine"]["signals"][0]["code"] == "BM4_HYPOTHESIS_NO_TEST"
    assert answer["degradation"] == {"signals": [], "truncated_fields": [], "minimal": False}
    assert [step["path"] for step in answer["steps"]["items"]] == ["s:0", "s:1"]


def test_views_differ_in_drafts_and_in_what_recent_means(quick: Mind):
    _thought(quick)

    def ids(**arguments: Any) -> list[str]:
        return [card["id"] for card in quick.tasks_resume_super(task="TASK-001", **arguments)["memory"]["cards"]]

    assert ids(view="explore") == ["H1", "B1", "E1", "D1"]
    assert ids(view="smart") == ["H1", "B1", "E1"]
    assert ids(view="audit") == ["H1", "B1", "N1", "E1"]
    assert ids(view="focus_only") == ["H1", "B1", "E1", "D1"]
    assert ids(include_drafts=True) == ids(all_lanes=True) == ["H1", "B1", "N1", "E1", "D1"]
    assert quick.tasks_resume_super(task="TASK-001")["requested"]["view"] == "full"
    assert quick.tasks_resume_super(task="TASK-001", context_budget=50_000)["requested"]["view"] == "smart"


def test_limits_are_those_of_the_view_or_of_the_call_and_what_is_left_out_is_said(quick: Mind):
    begun(quick)
    for number in range(30):
        quick.tasks_note(task="TASK-001", note=f"Note {number}")
    full = quick.tasks_resume_super(task="TASK-001")
    assert len(full["timeline"]["events"]) == 20
    assert [entry["content"] for entry in full["memory"]["notes"]] == [f"Note {number}" for number in range(20, 30)]
    assert len(full["memory"]["trace"]) == 20
    assert full["degradation"]["truncated_fields"] == ["timeline.events", "memory.notes", "memory.trace"]
    assert full["degradation"]["signals"] == ["LIMIT_REACHED"]
    narrow = quick.tasks_resume_super(task="TASK-001", view="focus_only")
    assert (len(narrow["timeline"]["events"]), len(narrow["memory"]["notes"])) == (12, 3)
    small = quick.tasks_resume_super(task="TASK-001", view="smart", max_chars=4_000)
    assert len(small["timeline"]["events"]) <= 4
    told = quick.tasks_resume_super(task="TASK-001", events_limit=1, notes_limit=0, trace_limit=2)
    assert (len(told["timeline"]["events"]), told["memory"]["notes"], len(told["memory"]["trace"])) == (1, [], 2)


def test_a_named_target_becomes_the_focus_unless_only_read(quick: Mind):
    begun(quick)
    quick.tasks_focus_set(plan="PLAN-001")
    before = quick.head()
    looked = quick.tasks_resume_super(task="TASK-001", read_only=True)
    assert (looked["focus"], "focus_restored" in looked, quick.head()) == ("PLAN-001", False, before)
    named = quick.tasks_resume_super(task="TASK-001")
    assert (named["focus"], named["focus_restored"], named["focus_previous"]) == ("TASK-001", True, "PLAN-001")
    again = quick.tasks_resume_super(task="TASK-001")
    assert (again["focus_restored"], quick.head()) == (False, before + 1)
    assert quick.tasks_resume_super()["target"]["id"] == "TASK-001"
    assert quick.tasks_snapshot(plan="PLAN-001")["focus"] == "PLAN-001"


def test_the_capsule_hands_over_what_is_needed_to_go_on(quick: Mind):
    _thought(quick)
    quick.tasks_edit(task="TASK-001", tags=["a:cache"])
    quick.tasks_close_step(task="TASK-001", path="s:0", checkpoints="gate")
    capsule = quick.tasks_snapshot(task="TASK-001")["capsule"]

    assert (capsule["type"], capsule["version"]) == ("handoff_capsule", 1)
    assert (capsule["workspace"], capsule["focus"], capsule["target"]["id"]) == ("tests", "TASK-001", "TASK-001")
    assert capsule["reasoning_ref"]["graph_doc"] == "TASK-001-graph"
    assert capsule["handoff"] == {"done": ["Count reads"], "remaining": ["s:1 Draw the curve"], "risks": []}
    assert capsule["counts"] == {"steps": 2, "open": 1, "notes": 1, "cards": 3, "events": 5}
    assert capsule["last_event"]["type"] == "step_done"
    assert capsule["where"]["lane"] == {"kind": "shared"}
    assert capsule["where"]["map"] == {"where": "a:cache", "top_anchors": ["a:cache"]}
    assert capsule["where"]["step_focus"]["path"] == "s:1"
    assert capsule["refs"][0] == "TASK-001"
    assert act(quick, capsule["action"])["result"]["step"]["path"] == "s:1"
    plan = quick.tasks_snapshot(plan="PLAN-001")["capsule"]
    assert plan["where"]["horizon"]["todo"] == 1
    assert plan["action"]["args"] == {"workspace": "tests", "task": "TASK-001"}


def test_the_capsule_says_what_others_do_for_the_task(mind: Mind):
    _thought(mind)

    def where() -> dict[str, Any]:
        return mind.tasks_snapshot(task="TASK-001")["capsule"]["where"]

    assert (where()["inbox"], where()["runner_status"]) == (None, None)
    job, other = (mind.tasks_jobs_create(title=title, prompt="Do", task="TASK-001")["job"] for title in ("a", "b"))
    mind.tasks_jobs_create(title="of another", prompt="Do")
    mind.runner_heartbeat(runner_id="r1", status="live")
    mind.tasks_jobs_claim(job=job["id"], runner_id="r1")
    assert where()["inbox"] == {"running": 1, "queued": 1, "attention": []}
    assert where()["runner_status"] == "live"

    revision = mind.tasks_jobs_open(job=job["id"])["job"]["revision"]
    asked = {"runner_id": "r1", "claim_revision": revision, "kind": "question", "message": "Which one?"}
    mind.tasks_jobs_report(job=job["id"], **asked)
    assert where()["inbox"]["attention"] == [{"job": job["id"], "needs": ["needs_manager"]}]
    mind.tasks_jobs_message(job=job["id"], message="The first")
    assert where()["inbox"] == {"running": 1, "queued": 1, "attention": []}
    assert other["id"] == "JOB-002"


def test_what_runs_for_the_task_is_not_hidden_by_what_has_ended(quick: Mind):
    _thought(quick)
    job = quick.tasks_jobs_create(title="long", prompt="Do", task="TASK-001")["job"]["id"]
    quick.tasks_jobs_claim(job=job, runner_id="r1")
    for number in range(25):
        ended = quick.tasks_jobs_create(title=f"ended {number}", prompt="Do", task="TASK-001")["job"]["id"]
        quick.tasks_jobs_cancel(job=ended)

    inbox = quick.tasks_snapshot(task="TASK-001")["capsule"]["where"]["inbox"]

    assert (inbox["running"], inbox["queued"]) == (1, 0)


def test_the_capsule_is_the_last_thing_to_shrink(quick: Mind):
    _thought(quick)
    whole = quick.tasks_snapshot(task="TASK-001")["capsule"]
    size = len(orjson.dumps(whole))
    seen = set[str]()
    for max_chars in range(100, 12_000, 350):
        for answer in (
            quick.tasks_snapshot(max_chars=max_chars),
            quick.tasks_resume_super(context_budget=max_chars, max_chars=12_000),
        ):
            told = {name: value for name, value in answer.items() if name != "budget"}
            assert len(orjson.dumps(told)) <= max_chars
            assert answer["budget"]["max_chars"] == max_chars
            others = {"radar", "steps", "timeline", "signals", "memory", "engine", "target"} & answer.keys()
            if others:
                assert set(answer["capsule"]) == set(whole)
            seen |= others
            if max_chars > size + 300:
                assert answer["capsule"]["action"] == whole["action"]
    assert seen >= {"radar", "steps", "timeline", "signals", "memory"}
    tight = quick.tasks_snapshot(max_chars=400)
    assert tight["truncated"]
    assert set(tight) <= {"ref", "focus", "capsule", "truncated", "budget"}


def test_what_to_do_next_is_the_last_thing_in_a_capsule(quick: Mind):
    _thought(quick)
    whole = quick.tasks_snapshot(task="TASK-001")["capsule"]
    for max_chars in range(650, 1_800, 50):
        assert quick.tasks_snapshot(max_chars=max_chars)["capsule"]["action"] == whole["action"]
    for max_chars in range(900, 1_800, 50):
        assert quick.tasks_snapshot(max_chars=max_chars)["capsule"]["radar"]["now"] == whole["radar"]["now"]


def test_what_the_budget_takes_away_is_said(quick: Mind):
    _thought(quick)
    assert quick.tasks_snapshot(task="TASK-001", max_chars=9_000)["degradation"]["minimal"] is False
    answer = quick.tasks_snapshot(max_chars=4_500)
    assert "BUDGET_TRUNCATED" in answer["degradation"]["signals"]
    assert "BUDGET_TRUNCATED" in quick.warnings("tasks_snapshot", max_chars=4_500)


def test_a_snapshot_tells_what_is_new_since_the_last_one(mind: Mind):
    _thought(mind)
    first = mind.tasks_snapshot(task="TASK-001", delta=True)["delta"]
    empty = {"notes": [], "cards": [], "decisions": [], "evidence": []}
    zero = dict.fromkeys(empty, 0)
    assert first == {"since_seq": first["since_seq"], "first": True, **empty, "dropped": zero}

    mind.notes_commit(content="New", target="TASK-001")
    mind.think_card(card={"id": "H2", "type": "hypothesis", "title": "h"}, target="TASK-001")
    mind.think_card(card={"id": "D2", "type": "decision", "title": "d"}, target="TASK-001")
    mind.think_card(card={"id": "E2", "type": "evidence", "title": "e"}, target="TASK-001")
    mind.think_card(card={"id": "N2", "type": "note", "title": "a draft"}, target="TASK-001")
    mind.think_set_status(targets=["D1"], status="dropped", target="TASK-001")
    mind.think_card(card={"id": "X", "type": "decision", "title": "of another task"}, target="PLAN-001")
    news = mind.tasks_snapshot(task="TASK-001", delta=True)["delta"]
    assert [entry["content"] for entry in news["notes"]] == ["New"]
    assert {kind: [card["id"] for card in news[kind]] for kind in ("cards", "decisions", "evidence")} == {
        "cards": ["H2"],
        "decisions": ["D1", "D2"],
        "evidence": ["E2"],
    }
    assert (news["first"], news["dropped"]) == (False, zero)
    before = mind.head()
    again = mind.tasks_snapshot(task="TASK-001", delta=True)["delta"]
    assert {kind: again[kind] for kind in empty} == empty
    assert mind.head() == before
    assert "delta" not in mind.tasks_snapshot(task="TASK-001")


def test_what_is_new_is_counted_beyond_what_is_shown_and_every_target_has_its_own_baseline(quick: Mind):
    begun(quick)
    quick.tasks_snapshot(task="TASK-001", delta=True)
    for number in range(25):
        quick.notes_commit(content=f"Note {number}", target="TASK-001")
    assert quick.tasks_snapshot(plan="PLAN-001", delta=True)["delta"]["first"]
    looked = quick.tasks_snapshot(task="TASK-001", delta=True, read_only=True)["delta"]
    news = quick.tasks_snapshot(task="TASK-001", delta=True)["delta"]
    assert looked == news
    assert [entry["content"] for entry in news["notes"]] == [f"Note {number}" for number in range(5, 25)]
    assert news["dropped"]["notes"] == 5


def test_the_baseline_outlives_the_process(open_box: OpenBox):
    mind = Mind(open_box())
    begun(mind)
    mind.tasks_snapshot(task="TASK-001", delta=True)
    mind.notes_commit(content="New", target="TASK-001")
    mind.box.close()
    again = Mind(open_box())
    assert [entry["content"] for entry in again.tasks_snapshot(delta=True)["delta"]["notes"]] == ["New"]


@pytest.mark.parametrize("arguments", [{"view": "sideways"}, {"events_limit": -1}, {"max_chars": -1}])
def test_what_a_resume_cannot_be_asked_for_is_refused(quick: Mind, arguments: dict[str, Any]):
    begun(quick, STEP)
    assert quick.refused("tasks_resume_super", task="TASK-001", **arguments).code == "INVALID_INPUT"


def test_a_plan_or_task_is_opened_by_its_id_and_nothing_changes(quick: Mind):
    _thought(quick)
    before = quick.head()

    def opened(id: str, *, include_drafts: bool = False) -> dict[str, Any]:
        ask = quick.box.app.dispatcher.ask
        return ask(WORKSPACE, ANONYMOUS, lambda tx: opened_target(tx, id, include_drafts=include_drafts)).result()

    task = opened("TASK-001")
    assert list(task) == [
        *("kind", "id", "summary", "target", "reasoning_ref", "capsule", "step_focus", "degradation", "truncated"),
    ]
    assert (task["kind"], task["id"], task["step_focus"]["path"]) == ("task", "TASK-001", "s:0")
    assert task["capsule"]["where"]["lane"] == {"kind": "shared"}
    assert opened("TASK-001", include_drafts=True)["capsule"]["where"]["lane"] == {"kind": "all"}
    plan = opened("PLAN-001")
    assert (plan["kind"], "step_focus" in plan) == ("plan", False)
    assert (quick.head(), quick.tasks_focus_get()) == (before, {"focus": None})


def test_the_same_calls_on_a_new_store_answer_the_same_to_the_byte():
    def told() -> bytes:
        mind = Mind(Box())
        _thought(mind)
        answers = [mind.whole("tasks_snapshot", task="TASK-001", delta=True), mind.whole("tasks_resume_super")]
        answers += [mind.whole(tool) for tool in ("tasks_lint", "tasks_radar", "tasks_delta", "tasks_context")]
        mind.box.close()
        return orjson.dumps(answers)

    assert told() == told()
