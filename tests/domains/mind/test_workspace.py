"""Beginning in a workspace, seeing how it stands, reading how it is used, taking a plan along."""

from __future__ import annotations

from pathlib import Path

from tests.support.box import Box
from tests.support.mind import Mind

DEFAULTS = {"branch": "main", "docs": {"notes": "notes", "graph": "graph", "trace": "trace"}}


def test_init_makes_main_and_checks_it_out_once(tmp_path: Path):
    box = Box(tmp_path)
    mind = Mind(box)

    first = mind.init()
    assert first == {
        "workspace": "tests",
        "storage_dir": str(tmp_path),
        "schema_version": "v0",
        "checkout": "main",
        "defaults": DEFAULTS,
    }
    head = mind.head()
    assert mind.init() == first
    assert mind.head() == head
    assert [branch["name"] for branch in mind.branch_list()["branches"]] == ["main"]
    box.close()


def test_init_leaves_what_is_checked_out(quick: Mind):
    quick.macro_branch_note(name="what-if", content="x")
    assert quick.init()["checkout"] == "what-if"


def test_status_of_an_empty_workspace_says_so_and_makes_nothing(quick: Mind):
    status = quick.status()

    assert (status["workspace"], status["workspace_exists"]) == ("tests", False)
    assert {"checkout", "focus", "last_task_event", "last_event", "last_doc_entry"}.isdisjoint(status)
    assert status["defaults"] == DEFAULTS
    assert quick.head() == 0


def test_status_says_what_was_written_last_and_what_is_checked_out(mind: Mind):
    plan = mind.tasks_create(kind="plan", title="Warm the cache")
    mind.tasks_focus_set(target=plan["id"])
    note = mind.notes_commit(branch="main", content="x")["entry"]

    status = mind.status()

    assert (status["workspace_exists"], status["checkout"], status["focus"]) == (True, "main", "PLAN-001")
    event = plan["event"]
    assert status["last_task_event"] == {name: event[name] for name in ("event_id", "ts", "ts_ms")}
    assert status["last_event"] == status["last_task_event"]
    assert status["last_doc_entry"] == {name: note[name] for name in ("seq", "ts", "ts_ms", "branch", "doc", "kind")}


def test_the_golden_path_names_tools_that_there_are(quick: Mind):
    for step in quick.status()["golden_path"]:
        assert quick.box.app.dispatcher.table.find(step["tool"]).room == "mind"
        assert step["purpose"]


def test_status_tells_which_workspaces_calls_may_go_to():
    box = Box(THOUGHTBOX_WORKSPACE_ALLOWLIST="acme/repo")
    policy = Mind(box).status()["workspace_policy"]
    assert policy == {"default_workspace": "tests", "workspace_lock": False, "workspace_allowlist": ["acme/repo"]}
    box.close()


def test_help_needs_no_workspace_and_keeps_to_its_budget(quick: Mind):
    whole = quick.help()["text"]
    short = quick.help(max_chars=1_500)

    assert len(whole) > 1_500
    assert short["truncated"] is True
    assert short["budget"]["used_chars"] <= 1_500
    assert whole.startswith(short["text"][:-1])
    assert quick.head() == 0


def test_a_plan_is_exported_with_its_reasoning_and_the_tails_that_show_would_give(mind: Mind):
    plan = mind.tasks_create(kind="plan", title="Warm the cache")["id"]
    for number in range(3):
        mind.notes_commit(target=plan, content=f"n{number}")
        mind.trace_sequential_step(
            target=plan, thought="t", thoughtNumber=number + 1, totalThoughts=3, nextThoughtNeeded=True
        )

    exported = mind.export(target=plan, notes_limit=2, trace_limit=2)

    assert (exported["target"]["id"], exported["target"]["title"]) == (plan, "Warm the cache")
    ref = {"branch": f"plan/{plan}", "notes_doc": "notes", "trace_doc": f"{plan}-trace", "graph_doc": f"{plan}-graph"}
    assert exported["reasoning_ref"] == ref
    assert exported["notes"] == mind.show(target=plan, doc_kind="notes", limit=2)
    assert exported["trace"] == mind.show(target=plan, limit=2)
    assert [node["thoughtNumber"] for node in exported["trace"]["sequential"]["nodes"]] == [2, 3]


def test_an_export_without_tails_is_empty_there(quick: Mind):
    plan = quick.tasks_create(kind="plan", title="p")["id"]
    quick.notes_commit(target=plan, content="x")

    exported = quick.export(target=plan, notes_limit=0, trace_limit=0)

    assert exported["notes"]["entries"] == exported["trace"]["entries"] == []
    assert exported["trace"]["sequential"] is None


def test_an_export_takes_what_is_in_focus_and_refuses_when_nothing_is(quick: Mind):
    error = quick.refused("export")
    assert error.code == "INVALID_INPUT"
    assert quick.send(error.details["suggestions"][0])["success"]

    plan = quick.tasks_create(kind="plan", title="p")["id"]
    quick.tasks_focus_set(target=plan)
    assert quick.export()["target"]["id"] == plan
    assert quick.refused("export", target="TASK-404").code == "UNKNOWN_ID"


def test_the_whole_export_keeps_to_its_budget(quick: Mind):
    plan = quick.tasks_create(kind="plan", title="p")["id"]
    for _ in range(20):
        quick.notes_commit(target=plan, content="x" * 500)

    exported = quick.export(target=plan, max_chars=2_000)

    assert exported["truncated"] is True
    assert exported["budget"]["used_chars"] <= 2_000
    assert exported["target"]["id"] == plan


def test_diagnostics_without_a_target_looks_at_what_is_checked_out_and_says_so(quick: Mind):
    answer = quick.whole("diagnostics")

    result = answer["result"]
    assert (result["workspace"], result["checkout"]) == ("tests", "main")
    assert [warning["code"] for warning in result["warnings"]] == ["NO_TARGET"]
    assert result["golden_path"] == quick.status()["golden_path"]
    assert all(quick.send(suggestion)["success"] for suggestion in answer["suggestions"])


def test_diagnostics_of_a_task_shows_its_lint_and_its_health_and_every_patch_can_be_sent(quick: Mind):
    plan = quick.tasks_create(kind="plan", title="p")["id"]
    task = quick.tasks_create(kind="task", parent=plan, title="t", steps=[{"title": "s", "success_criteria": ["c"]}])
    lint = quick.tasks_lint(task=task["id"])

    found = quick.diagnostics(task=task["id"])

    assert found["target"]["id"] == task["id"]
    assert found["reasoning_ref"]["branch"] == "task/TASK-001"
    assert {name: found[name] for name in ("summary", "issues", "patches", "context_health")} == {
        name: lint[name] for name in ("summary", "issues", "patches", "context_health")
    }
    assert found["patches"]
    for patch in found["patches"]:
        assert quick.box.call(patch["apply"]["tool"], patch["apply"]["arguments"])["success"]
    assert quick.refused("diagnostics", plan="PLAN-404").code == "UNKNOWN_ID"


def test_diagnostics_takes_the_focus_and_sees_edges_that_lead_nowhere(quick: Mind):
    plan = quick.tasks_create(kind="plan", title="p")["id"]
    quick.tasks_focus_set(target=plan)
    quick.think_card(card={"id": "E1", "type": "evidence", "title": "e"}, supports=["gone"])

    answer = quick.whole("diagnostics")

    assert answer["result"]["target"]["id"] == plan
    assert [warning["code"] for warning in answer["result"]["warnings"]] == ["EDGE_ENDPOINT_MISSING"]
    assert [quick.send(suggestion)["result"]["ok"] for suggestion in answer["suggestions"]] == [False]
