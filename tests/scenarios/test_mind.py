"""The mind room, told as stories through a real MCP client: every tool is called by its own name."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from typing import Any, Literal

import pytest
from mcp_types import ListToolsResult, PaginatedRequestParams, Request

from tests.support.agent import Agent, Doors
from tests.support.forks import fork_server
from tests.support.mind_day import DAY, EVENING, MORNING, TRIAL, Answer, card, spend, suggested
from tests.support.servers import children
from thoughtbox import domains
from thoughtbox.operations.caller import Caller
from thoughtbox.operations.dispatch import Call
from thoughtbox.operations.registry import TABLE

CARDS = 12
"""How many cards each of two agents writes."""


class OfToolset(PaginatedRequestParams):
    toolset: str


class ListToolset(Request[OfToolset, Literal["tools/list"]]):
    method: Literal["tools/list"] = "tools/list"
    params: OfToolset


def listed(agent: Agent, toolset: str) -> list[str]:
    """The tools of a toolset, asked for as a suggestion says."""
    request = ListToolset(params=OfToolset(toolset=toolset))
    found = agent.run(lambda: agent.client.session.send_request(request, ListToolsResult))
    return [tool.name for tool in found.tools]


def test_a_day_from_a_plan_to_a_step_that_is_proven(agent: Agent):
    morning = dict(spend(agent.call, MORNING))
    watched = morning["think_watch"]["result"]["engine"]
    assert watched["actions"][0]["kind"] == "run_test"
    assert morning["notes_commit"]["result"]["entry"]["branch"] == "task/TASK-001"

    trial = list(spend(agent.call, TRIAL))
    merges = [answer["result"] for tool, answer in trial if tool == "graph_merge"]
    assert [(each["merged"], each["conflicts_created"]) for each in merges] == [(0, 0), (2, 1), (2, 1)]
    (shown,) = [answer["result"]["conflict"] for tool, answer in trial if tool == "graph_conflict_show"]
    assert [shown[side]["status"] for side in ("base", "theirs", "ours")] == ["open", "accepted", "rejected"]
    before = shown["ours"]["last_seq"]

    with pytest.raises(ToolFailedInEnvelope) as refused:
        ask(agent, "tasks_close_step", {"checkpoints": "gate"})
    assert refused.value.error["code"] == "PROOF_REQUIRED"
    evening = dict(spend(agent.call, EVENING))
    assert evening["tasks_close_step"]["result"]["next_step"]["path"] == "s:1"
    assert evening["graph_query"]["result"]["nodes"][0]["status"] == "accepted"
    earlier = agent.graph_query(ids=["D-order"], as_of=before)["result"]
    assert earlier["nodes"][0]["status"] == "rejected"
    assert earlier["branch"] == "task/TASK-001"
    packed = evening["context_pack"]["result"]
    assert packed["truncated"]
    assert packed["budget"]["used_chars"] <= 4000
    assert evening["tasks_snapshot"]["result"]["capsule"]["handoff"]["done"] == ["Find the cause"]
    assert "H-queue" in [hit.get("id") for hit in evening["mind_search"]["result"]["hits"]]
    assert agent.ledger_verify()["valid"]


class ToolFailedInEnvelope(Exception):
    """A refusal of this room."""

    def __init__(self, envelope: Answer) -> None:
        super().__init__(envelope["error"]["code"])
        self.error = envelope["error"]
        self.suggestions = envelope["suggestions"]


def ask(agent: Agent, tool: str, arguments: Answer) -> Answer:
    """The envelope of a call that succeeds."""
    told = agent.raw_call(tool, arguments)
    envelope = told.structured_content
    assert envelope is not None
    assert told.is_error is not envelope["success"]
    if told.is_error:
        raise ToolFailedInEnvelope(envelope)
    return envelope


def test_two_agents_write_cards_on_one_branch_at_once_and_nothing_is_lost(agent: Agent, doors: Doors):
    agent.think_card(**card("H", "hypothesis", "Both know it"))

    with ThreadPoolExecutor(2) as both:
        other = both.submit(_write_beside, agent, doors)
        mine = [agent.call("think_card", one)["result"] for one in _cards("mine")]
        yours = other.result()

    told = [*mine, *yours]
    seqs = [each["trace_seq"] for each in told if each["inserted"]]
    assert len(seqs) == len(set(seqs)) == 2 * CARDS + 1, "each its own record; the one that both wrote once"
    shown = agent.graph_query(limit=200)["result"]
    assert {node["id"] for node in shown["nodes"]} == {"H", "same"} | {each["card_id"] for each in told}
    assert {edge["from"] for edge in shown["edges"] if edge["to"] == "H"} == {each["card_id"] for each in told}
    entries = agent.show(limit=200)["result"]["entries"]
    assert [entry["seq"] for entry in entries] == sorted(entry["seq"] for entry in entries)
    assert sorted(seqs) == [entry["seq"] for entry in entries[1:]]


def _cards(who: str) -> Iterator[Answer]:
    """Cards of one's own, and among them one that both write."""
    for number in range(CARDS):
        yield card(f"{who}-{number}", "evidence", f"Seen by {who}: {number}", supports=["H"])
        if number == CARDS // 2:
            yield card("same", "evidence", "Seen by both", supports=["H"])


def _write_beside(agent: Agent, doors: Doors) -> list[Answer]:
    """Another client of the same server, where a server can have two; otherwise another process on the same store."""
    if agent.connection.url:
        with doors.beside(agent) as other:
            return [other.call("think_card", one)["result"] for one in _cards("yours")]
    box = doors.other_process(agent.door.engine)
    caller = Caller(agent="yours", transport="test")
    calls = (
        Call(operation="think_card", workspace=agent.workspace, arguments=one, caller=caller) for one in _cards("yours")
    )
    return [box.dispatcher.call(call)["result"] for call in calls]


@pytest.mark.doors(engine="sqlite")
def test_a_task_goes_on_elsewhere_when_the_server_was_killed_with_a_snapshot_alone(start_agent: Any):
    known = set(children(fork_server().pid))
    first = start_agent()
    (server,) = set(children(fork_server().pid)) - known
    for _ in spend(first.call, [*MORNING, *TRIAL]):
        pass
    os.kill(server, signal.SIGKILL)

    second = start_agent()
    capsule = second.tasks_snapshot()["result"]["capsule"]

    assert capsule["focus"] == "TASK-001"
    assert capsule["handoff"] == {"done": [], "remaining": ["s:0 Find the cause", "s:1 Mend it"], "risks": []}
    for ref in capsule["refs"]:
        assert second.open(id=ref)["success"]
    lint = capsule["action"]
    issues = ask(second, lint["tool"], lint["args"])["result"]["issues"]
    assert [issue["code"] for issue in issues if issue["severity"] == "error"] == ["MISSING_PROOF_TESTS"]
    second.tasks_evidence_capture(checkpoint="tests", checks=["CMD: make mail-load"])
    closing = second.tasks_snapshot()["result"]["capsule"]["action"]
    assert second.call(closing["tool"], closing["args"])["result"]["step"]["completed"]
    assert second.tasks_snapshot()["result"]["capsule"]["handoff"]["done"] == ["Find the cause"]


def test_every_call_that_an_answer_of_the_day_suggests_succeeds_as_it_stands(agent: Agent):
    domains.load()
    # Names of one length: within a budget, a longer one leaves less room for suggestions.
    base = agent.workspace
    workspaces = (f"{number:03}{base[3:]}" for number in count(1))
    sent = set[str]()
    for number, place in list(_suggestions(agent, sent)):
        agent.workspace = next(workspaces)
        before = [call for call in DAY[:number] if TABLE.find(*call).writes]
        *_, (_, answer) = spend(agent.call, [*before, DAY[number]])
        tool, params = list(suggested(answer))[place]
        assert ask(agent, tool, params)["success"], (DAY[number], tool)
        sent.add(tool)
    assert sent >= {"tools/list", "open", "think_card", "tasks_focus_set", "tasks_close_step", "tasks_patch"}
    assert sent >= {
        "graph_merge",
        "graph_conflict_show",
        "graph_conflict_resolve",
        "tasks_resume_super",
        "tasks_define",
    }


def _suggestions(agent: Agent, sent: set[str]) -> Iterator[tuple[int, int]]:
    """Spends the day and sends what it is suggested to read; what would write is named by its place, each once."""
    writes = list[Answer]()
    for number, (_, answer) in enumerate(spend(agent.call)):
        for place, (tool, params) in enumerate(suggested(answer)):
            if tool == "tools/list":
                assert listed(agent, params["toolset"])
            elif not TABLE.find(tool).writes:
                assert ask(agent, tool, params)["success"], (DAY[number], tool)
            elif params not in writes:
                writes.append(params)
                yield number, place
                continue
            sent.add(tool)


def test_a_client_that_is_shown_the_core_finds_the_way_to_the_rest(start_agent: Any):
    agent = start_agent(THOUGHTBOX_TOOLSET="mind-core")
    core = [tool.name for tool in agent.list_tools()]
    assert core == ["help", "status", "open", "tasks_create", "tasks_snapshot", "think_card"]

    created = agent.tasks_create(kind="plan", title="In time")
    shows, focuses = created["suggestions"]

    assert {name: shows[name] for name in ("action", "method", "params")} == {
        "action": "call_method",
        "method": "tools/list",
        "params": {"toolset": "mind-daily"},
    }
    assert focuses["target"] not in core
    assert focuses["target"] in listed(agent, shows["params"]["toolset"])
    assert agent.call(focuses["target"], focuses["params"])["result"]["focus"] == "PLAN-001", "hidden, not forbidden"
    assert [tool.name for tool in agent.list_tools()] == core, "what one request showed is not what the server shows"
    with pytest.raises(ToolFailedInEnvelope) as refused:
        ask(agent, "show", {"branch": "nowhere"})
    shows, lists = refused.value.suggestions
    assert lists["target"] in listed(agent, shows["params"]["toolset"])
    assert ask(agent, lists["target"], lists["params"])["success"]
