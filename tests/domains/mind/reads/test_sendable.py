"""Every call that a view suggests can be sent exactly as it stands."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.domains.mind.reads.conftest import card, focus, new_task
from tests.support.box import WORKSPACE
from tests.support.mind import Mind
from thoughtbox.operations.caller import Caller
from thoughtbox.operations.dispatch import Call

VIEWS = ("think_pack", "think_watch", "context_pack")


def _quarrel(mind: Mind, **scope: Any) -> None:
    """What contradicts itself, and leaves every rule something to say."""
    card(mind, "H", "hypothesis", tags=["pinned"], **scope)
    card(mind, "H-untested", "hypothesis", **scope)
    card(mind, "D", "decision", tags=["pinned"], text="A vs B", **scope)
    card(mind, "draft", "decision", tags=["v:draft"], **scope)
    card(mind, "T", "test", text="CMD: make warm", supports=["H"], **scope)
    card(mind, "T-stale", "test", meta={"run": {"cmd": "make", "stale_after_ms": 0}}, supports=["H"], **scope)
    card(mind, "E", "evidence", supports=["T-stale"], blocks=["H"], **scope)
    card(mind, "A", "question", tags=["assumption"], status="rejected", supports=["D"], **scope)
    for number in range(8):
        card(mind, f"U{number}", "update", **scope)


def _stuck(mind: Mind, **scope: Any) -> None:
    for number in range(9):
        card(mind, f"Q{number}", "question", title="Cache or no cache: a tradeoff", **scope)


def _on_main(mind: Mind) -> dict[str, Any]:
    _quarrel(mind)
    return {}


def _stuck_on_main(mind: Mind) -> dict[str, Any]:
    _stuck(mind)
    return {}


def _on_a_branch(mind: Mind) -> dict[str, Any]:
    _quarrel(mind)
    mind.branch_create(name="what-if")
    _stuck(mind, branch="what-if")
    return {"ref": "what-if"}


def _in_documents(mind: Mind) -> dict[str, Any]:
    scope = {"graph_doc": "ideas", "trace_doc": "thinking"}
    _quarrel(mind, branch="main", **scope)
    return {"ref": "main", **scope}


def _of_a_task(mind: Mind) -> dict[str, Any]:
    task = new_task(mind)
    _quarrel(mind, target=task)
    return {"target": task}


def _of_a_step(mind: Mind) -> dict[str, Any]:
    task = new_task(mind)
    _quarrel(mind, target=task, step="s:1")
    _stuck(mind, target=task)
    return {"target": task, "step": "s:1"}


def _in_focus(mind: Mind) -> dict[str, Any]:
    task = new_task(mind)
    _quarrel(mind, target=task, step="focus")
    focus(mind, task)
    return {"step": "focus"}


def _of_a_plan(mind: Mind) -> dict[str, Any]:
    new_task(mind)
    _quarrel(mind, target="PLAN-001")
    return {"target": "PLAN-001"}


def _of_an_empty_task(mind: Mind) -> dict[str, Any]:
    _quarrel(mind)
    return {"target": new_task(mind)}


SLICES = (
    *(_on_main, _stuck_on_main, _on_a_branch, _in_documents),
    *(_of_a_task, _of_a_step, _in_focus, _of_a_plan, _of_an_empty_task),
)


def _calls(answer: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Every call in an answer, of the engine, the capsule and the suggestions."""
    result = answer["result"]
    actions = [*result.get("engine", {}).get("actions", ()), *result["capsule"]["next"].values()]
    for action in actions:
        yield from action["calls"] if action is not None else ()
    yield from answer["suggestions"]


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("written", SLICES)
def test_every_suggested_call_succeeds_as_it_stands(quick: Mind, written: Any, view: str):
    scope = written(quick)
    limits = {"engine_signals_limit": 50, "engine_actions_limit": 50} if view == "think_watch" else {}
    kinds, calls = set(), list[dict[str, Any]]()
    for drafts in (False, True):
        answer = quick.whole(view, include_drafts=drafts, **limits, **scope)
        kinds |= {action["kind"] for action in answer["result"].get("engine", {}).get("actions", ())}
        calls += _calls(answer)

    # A task about which nothing is known has nothing to conclude; only the pack knows of a place to look instead.
    assert bool(calls) == (written is not _of_an_empty_task or view == "context_pack")
    for call in calls:
        assert quick.send(call)["success"]
    if view == "think_watch" and written is _on_main:
        assert {"publish_decision", "resolve_contradiction", "run_test", "add_test_stub", "recheck_assumption"} <= kinds


@pytest.mark.parametrize("view", VIEWS)
def test_a_suggested_call_on_a_hidden_tool_comes_behind_what_shows_it(quick: Mind, view: str):
    card(quick, "draft", "decision", tags=["v:draft"])
    seen = Caller(agent="tester", toolset="mind-core")
    call = Call(operation=view, workspace=WORKSPACE, arguments={"include_drafts": True}, caller=seen)

    (action, *_) = quick.box.app.dispatcher.call(call)["result"]["engine"]["actions"]

    shows, publishes = action["calls"]
    assert shows == {"action": "call_method", "method": "tools/list", "params": {"toolset": "mind-full"}}
    assert quick.send(publishes)["result"]["published_id"] == "CARD-PUB-draft"
