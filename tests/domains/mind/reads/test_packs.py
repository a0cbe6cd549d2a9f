"""Packs and the watch: cards, notes, trace, what follows from them, and what stays when there is little room."""

from __future__ import annotations

from typing import Any

import pytest

from tests.domains.mind.reads.conftest import card, ids, new_task, nodes
from tests.support.mind import Mind

CAPSULES = {
    "think_pack": "think_pack_capsule",
    "think_watch": "watch_capsule",
    "context_pack": "context_pack_capsule",
}


def _argument(mind: Mind, **scope: Any) -> None:
    card(mind, "H", "hypothesis", **scope)
    card(mind, "D", "decision", tags=["pinned"], text="Use the cache. " * 10, **scope)
    card(mind, "T", "test", text="CMD: make warm", supports=["H"], **scope)


def test_a_pack_has_candidates_what_is_open_counts_and_the_trace_to_write_to(quick: Mind, task: str):
    _argument(quick, target=task)

    pack = quick.think_pack(target=task)

    assert list(pack) == [
        *("branch", "graph_doc", "trace_doc", "capsule", "engine", "stats", "frontier", "candidates", "truncated"),
    ]
    assert (pack["branch"], pack["graph_doc"], pack["trace_doc"]) == (
        f"task/{task}",
        f"{task}-graph",
        f"{task}-trace",
    )
    assert ids(pack["candidates"]) == ["D", "H", "T"]
    assert {kind: ids(cards) for kind, cards in pack["frontier"].items()} == {
        "hypotheses": ["H"],
        "questions": [],
        "subgoals": [],
        "tests": ["T"],
    }
    assert pack["stats"] == {"cards": 3, "by_type": {"hypothesis": 1, "test": 1, "decision": 1}}
    assert pack["candidates"] == quick.think_context(target=task)["cards"]


@pytest.mark.parametrize(("tool", "kind"), CAPSULES.items())
def test_a_capsule_says_where_why_and_what_next(quick: Mind, tool: str, kind: str):
    _argument(quick)

    read = getattr(quick, tool)()

    capsule, engine = read["capsule"], read["engine"]
    assert (capsule["type"], capsule["version"]) == (kind, 1)
    docs = {"trace": "trace", "graph": "graph"}
    assert capsule["where"] == {
        "workspace": "tests",
        "branch": "main",
        "docs": {"notes": "notes", **docs} if tool == "context_pack" else docs,
        "lane": {"kind": "shared"},
        "step": None,
    }
    assert capsule["why"]["signals"] == engine["signals"][:3]
    assert [capsule["next"]["primary"], capsule["next"]["backup"]] == engine["actions"][:2]
    assert len(engine["signals"]) <= 6
    assert len(engine["actions"]) <= 2
    assert getattr(quick, tool)(include_drafts=True)["capsule"]["where"]["lane"] == {"kind": "all"}


@pytest.mark.parametrize("tool", CAPSULES)
def test_what_follows_is_of_the_step_when_there_is_one(quick: Mind, task: str, tool: str):
    _argument(quick, target=task)
    card(quick, "step-H", "hypothesis", target=task, step="s:1")

    read = getattr(quick, tool)(target=task, step="s:1")

    step = read["step_focus"]
    assert step == {"task_id": task, "step_id": step["step_id"], "path": "s:1"}
    assert read["capsule"]["where"]["step"] == step
    assert (read["engine"]["mode"], read["engine"]["step_tag"]) == ("step_aware", f"step:{step['step_id'].lower()}")
    written = [
        call for action in read["engine"]["actions"] for call in action["calls"] if call["target"] == "think_card"
    ]
    assert written
    for call in written:
        assert (call["params"]["target"], call["params"]["step"]) == (task, step["step_id"])
        assert "branch" not in call["params"]


@pytest.mark.parametrize("tool", CAPSULES)
def test_the_capsule_is_the_last_thing_to_shrink(quick: Mind, tool: str):
    _argument(quick)
    for number in range(20):
        quick.notes_commit(content=f"{number} " + "and so on " * 30)
        card(quick, f"U{number}", "update", text="and so on " * 30)
    whole = getattr(quick, tool)()
    capsule = whole["capsule"]
    others = [name for name in whole if isinstance(whole[name], dict | list) and name != "capsule"]

    for budget in (len(str(capsule)) + 600, len(str(capsule)) + 3_000):
        cut = getattr(quick, tool)(max_chars=budget)
        assert cut["capsule"] == capsule
        assert cut["truncated"]
    tight = getattr(quick, tool)(max_chars=500)
    assert tight["capsule"]["type"] == CAPSULES[tool]
    assert not any(name in tight for name in others)


def test_the_watch_shows_so_much_of_the_trace_and_of_the_engine_as_is_asked_for(quick: Mind):
    _argument(quick)
    for number in range(25):
        quick.trace_step(step=f"step {number}")

    read = quick.think_watch()

    assert [entry["content"] for entry in read["trace"]["entries"]] == [f"step {number}" for number in range(5, 25)]
    assert read["trace"]["pagination"]["has_more"]
    assert quick.think_watch(trace_limit_steps=0)["trace"]["entries"] == []
    assert len(quick.think_watch(engine_signals_limit=1)["engine"]["signals"]) == 1
    silent = quick.think_watch(engine_signals_limit=0, engine_actions_limit=0)
    assert "engine" not in silent
    assert silent["capsule"]["next"] == {"primary": None, "backup": None}
    limited = quick.think_watch(engine_actions_limit=0)["engine"]
    assert (limited["actions"], limited["truncated"]) == ([], True)
    assert limited["actions_total"] > 0


def test_a_context_pack_has_all_that_is_needed_to_go_on(quick: Mind):
    quick.notes_commit(content="Reads dominate.")
    _argument(quick)
    card(quick, "E", "evidence", supports=["T"])
    card(quick, "B", "update", tags=["blocker"])
    nodes(quick, {"op": "node_upsert", "id": "dependency", "type": "component", "tags": ["blocker"]})
    quick.trace_sequential_step(thought="One", thoughtNumber=1, totalThoughts=1, nextThoughtNeeded=False)

    pack = quick.context_pack()

    assert list(pack) == [
        *("requested", "branch", "docs", "capsule", "engine", "notes", "trace", "cards", "signals", "stats"),
        "truncated",
    ]
    assert pack["requested"] == {"target": None, "ref": None}
    assert pack["docs"] == {"notes": "notes", "trace": "trace", "graph": "graph"}
    assert [entry["content"] for entry in pack["notes"]["entries"]] == ["Reads dominate."]
    assert [entry["content"] for entry in pack["trace"]["entries"]][-1] == "One"
    assert [node["thoughtNumber"] for node in pack["trace"]["sequential"]["nodes"]] == [1]
    assert pack["notes"]["pagination"]["limit"] == 20
    assert pack["trace"]["pagination"]["limit"] == 50
    assert ids(pack["cards"]) == ["D", "H", "T", "B", "E"]
    signals = pack["signals"]
    assert ids(signals["blockers"]) == ["dependency", "B"]
    assert ids(signals["decisions"]) == ["D"]
    assert ids(signals["evidence"]) == ["E"]
    assert signals["stats"] == {"blockers": 2, "decisions": 1, "evidence": 1}
    assert pack["stats"]["cards"] == 5
    assert (pack["stats"]["notes"], pack["stats"]["trace"]) == (1, 6)


def test_a_context_pack_shows_as_much_as_is_asked_for(quick: Mind):
    for number in range(7):
        card(quick, f"D{number}", "decision", status="accepted")
        card(quick, f"E{number}", "evidence")
        card(quick, f"B{number}", "update", tags=["blocker"])
        quick.notes_commit(content=f"note {number}")

    pack = quick.context_pack()
    assert [len(pack["signals"][kind]) for kind in ("blockers", "decisions", "evidence")] == [5, 5, 5]
    assert ids(pack["signals"]["decisions"]) == ["D6", "D5", "D4", "D3", "D2"]

    less = quick.context_pack(
        notes_limit=0, trace_limit=0, limit_cards=2, decisions_limit=1, evidence_limit=0, blockers_limit=2
    )
    assert less["notes"]["entries"] == less["trace"]["entries"] == []
    assert "sequential" not in less["trace"]
    assert len(less["cards"]) == 2
    assert [len(less["signals"][kind]) for kind in ("blockers", "decisions", "evidence")] == [2, 1, 0]
    two = quick.context_pack(notes_limit=2)["notes"]
    assert [entry["content"] for entry in two["entries"]] == ["note 5", "note 6"]
    assert two["pagination"]["has_more"]


def test_a_context_pack_of_documents_that_are_named_reads_those(quick: Mind, task: str):
    quick.notes_commit(branch="main", doc="journal", content="Elsewhere.")
    card(quick, "H", "hypothesis", branch="main", graph_doc="ideas", trace_doc="thinking")

    pack = quick.context_pack(ref="main", notes_doc="journal", trace_doc="thinking", graph_doc="ideas")

    assert pack["requested"] == {"target": None, "ref": "main"}
    assert pack["docs"] == {"notes": "journal", "trace": "thinking", "graph": "ideas"}
    assert [entry["content"] for entry in pack["notes"]["entries"]] == ["Elsewhere."]
    assert len(pack["trace"]["entries"]) == len(pack["cards"]) == 1
    for named in ("ref", "notes_doc", "trace_doc", "graph_doc"):
        assert quick.refused("context_pack", target=task, **{named: "main"}).code == "INVALID_INPUT"
    assert quick.context_pack(target=task, read_only=True) == quick.context_pack(target=task)


def test_drafts_among_notes_and_trace_entries_are_shown_to_whoever_asks(quick: Mind):
    quick.notes_commit(content="Mine.", meta={"lane": {"kind": "agent", "agent_id": "x"}})
    quick.notes_commit(content="Ours.")
    quick.trace_step(step="Mine.", meta={"meta": {"lane": {"kind": "agent"}}})
    card(quick, "draft", "decision", tags=["v:draft"], text="A draft.")

    pack = quick.context_pack()
    assert [entry["content"] for entry in pack["notes"]["entries"]] == ["Ours."]
    assert pack["trace"]["entries"] == pack["signals"]["decisions"] == []
    every = quick.context_pack(view="audit")
    assert [entry["content"] for entry in every["notes"]["entries"]] == ["Mine.", "Ours."]
    assert [entry["content"] for entry in every["trace"]["entries"]] == ["Mine.", "A draft."]
    assert ids(every["signals"]["decisions"]) == ["draft"]
    assert quick.context_pack(all_lanes=True, view="audit") == every


def test_with_a_step_notes_trace_cards_and_signals_are_those_of_the_step(mind: Mind):
    task = new_task(mind)
    of_step = mind.context_pack(target=task, step="s:0")["step_focus"]
    below = mind.context_pack(target=task, step="s:0.s:0")["step_focus"]
    mind.notes_commit(target=task, content="About the task.")
    mind.notes_commit(target=task, content="About the step.", meta={"step": of_step})
    mind.notes_commit(target=task, content="About the one below.", meta={"step": below})
    card(mind, "of-task", "decision", target=task, tags=["blocker"])
    card(mind, "of-step", "decision", target=task, tags=["blocker"], step="s:0")
    card(mind, "E", "evidence", target=task, step="s:0")
    for path in ("s:0.s:0", "s:0", "s:1"):
        mind.tasks_close_step(task=task, path=path, checkpoints="all")

    pack = mind.context_pack(target=task, step="s:0")

    assert [entry["content"] for entry in pack["notes"]["entries"]] == ["About the step."]
    trace = pack["trace"]["entries"]
    assert [entry["meta"]["card_id"] for entry in trace if entry["kind"] == "note"] == ["of-step", "E"]
    assert {entry["path"] for entry in trace if entry["kind"] == "event"} == {"s:0", "s:0.s:0"}
    assert ids(pack["cards"]) == ["E", "of-step"]
    assert {kind: ids(pack["signals"][kind]) for kind in ("blockers", "decisions", "evidence")} == {
        "blockers": ["of-step"],
        "decisions": ["of-step"],
        "evidence": ["E"],
    }
    watched = mind.think_watch(target=task, step="s:0")["trace"]["entries"]
    assert watched == trace


def test_an_empty_target_leads_to_the_branch_that_is_checked_out(quick: Mind, task: str):
    assert "bridge" not in quick.context_pack(target=task)
    quick.notes_commit(branch="main", content="Something.")

    answer = quick.whole("context_pack", target=task)

    assert answer["result"]["bridge"] == {
        "checkout": "main",
        "docs": {"notes": "notes", "trace": "trace", "graph": "graph"},
        "has": {"notes": True, "trace": False, "graph": False},
    }
    assert [warning["code"] for warning in answer["warnings"]] == ["CONTEXT_EMPTY_FOR_TARGET"]
    (suggestion,) = answer["suggestions"]
    assert quick.send(suggestion)["result"]["entries"][0]["content"] == "Something."
    card(quick, "H", "hypothesis", branch="main")
    (suggestion,) = quick.whole("context_pack", target=task)["suggestions"]
    assert ids(quick.send(suggestion)["result"]["candidates"]) == ["H"]

    quick.notes_commit(target=task, content="The first.")
    assert "bridge" not in quick.context_pack(target=task, notes_limit=0)
    assert quick.warnings("context_pack", target=task) == []
