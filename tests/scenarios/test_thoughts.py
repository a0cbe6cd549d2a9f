"""The thoughts room, told as stories through a real MCP client: every call goes through the gateway."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.support.agent import ToolFailed

CHAIN = (
    "S1|O|User reports slow page loads",
    "S2|H|S1|Database queries causing latency",
    "S3|E|S2|Query logs show 2s avg response",
    "S4|H|S3|Missing index on users.email",
    "S5|E|S4|EXPLAIN shows full table scan",
    "S6|C|S4,S5|∴ Add index on users.email",
    "S7|P|S6|1. Create migration 2. Apply to staging 3. Verify 4. Deploy",
)


class Mind:
    """An agent at work in one session. It always names the session, so that it needs no memory of a server."""

    def __init__(self, agent: Any, **given: Any) -> None:
        self.agent = agent
        self.session_id = self.ask("start_new", **{"sessionTitle": "Slow pages", **given})["sessionId"]
        self.ask("cipher")

    def ask(self, operation: str, **arguments: Any) -> dict[str, Any]:
        own = {"sessionId": self.session_id} if hasattr(self, "session_id") else {}
        return self.agent.call("thoughtbox_gateway", {"operation": operation, **own, **arguments})

    def think(self, thought: str, **more: Any) -> dict[str, Any]:
        return self.ask("thought", thought=thought, **more)


def test_the_documents_chain_becomes_a_graph_that_can_be_asked(agent: Any):
    mind = Mind(agent)
    replies = [mind.think(line) for line in CHAIN]

    assert [reply["thoughtNumber"] for reply in replies] == list(range(1, 8))
    assert all(len(json.dumps(reply, separators=(",", ":"))) <= 300 for reply in replies)
    structure = mind.ask("get_structure")
    edges = {(edge["from"], edge["type"], edge["to"]) for edge in structure["edges"] if edge["type"] != "next"}
    assert edges == {
        ("2", "derived_from", "1"),
        ("3", "supports", "2"),
        ("4", "derived_from", "3"),
        ("5", "supports", "4"),
        ("6", "derived_from", "4"),
        ("6", "derived_from", "5"),
        ("7", "derived_from", "6"),
    }
    kinds = [thought["kind"] for thought in mind.ask("read_thoughts", last=10)["thoughts"]]
    assert kinds == ["observation", "claim", "evidence", "claim", "evidence", "decision", "plan"]
    about_the_index = mind.ask("read_thoughts", refersTo=4)["thoughts"]
    assert [thought["thoughtNumber"] for thought in about_the_index] == [5, 6]


def test_an_agent_explores_another_way_comes_back_and_changes_its_mind(agent: Any):
    mind = Mind(agent)
    mind.think("The pages are slow")
    mind.think("It is the database")
    mind.think("Or the network?", branchId="network", branchFromThought=1)
    mind.think("Traces show 3 ms of network", branchId="network")
    mind.think("Or DNS?", branchId="dns", branchFromThought=2, branchFromBranch="network")
    revised = mind.think("It is the database's cache, not its disk", revisesThought=2)

    got = mind.ask("session.get")
    assert [(each.get("branchId"), each["thoughtNumber"]) for each in got["thoughts"]] == [
        (None, 1),
        (None, 2),
        ("network", 2),
        ("network", 3),
        ("dns", 3),
        (None, 3),
    ]
    assert got["branches"]["dns"] == {"length": 1, "head": 3, "tail": 3, "fromThought": 2, "fromBranch": "network"}
    assert mind.ask("read_thoughts", revises=2)["thoughts"][0]["id"] == revised["id"]
    markdown = mind.ask("session.export", format="markdown")["content"]
    assert all(text in markdown for text in ("### Branch network (from", "### Branch dns (from", "Or DNS?"))
    analysis = mind.ask("session.analyze")
    assert (analysis["branchCount"], analysis["structure"]["revisionRate"], analysis["linearity"]) == (2, 0.17, 0.33)


def test_a_mind_without_a_memory_goes_on_where_it_was(agent: Any):
    mind = Mind(agent, sessionTags=["night shift"])
    for line in CHAIN[:4]:
        mind.think(line)

    found = agent.call("thoughtbox_gateway", {"operation": "list_sessions", "tags": ["night shift"]})
    session_id = found["sessions"][0]["id"]
    loaded = agent.call("thoughtbox_gateway", {"operation": "load_context", "sessionId": session_id})

    assert loaded["nextThoughtNumber"] == 5
    assert [thought["thought"] for thought in loaded["lastThoughts"]] == list(CHAIN[:4])
    mind.ask("cipher")
    assert mind.think(CHAIN[4])["thoughtNumber"] == 5


def test_what_was_learnt_is_proposed_kept_and_found_again(agent: Any):
    mind = Mind(agent, sessionTags=["performance"])
    for line in CHAIN:
        mind.think(line)
    mind.think("Deployed, pages load in 200 ms", nextThoughtNeeded=False)

    proposals = mind.ask("session.extract_learnings")["learnings"]
    pattern = mind.ask("knowledge.promote", learningId=proposals[0]["id"])["pattern"]
    found = mind.ask("knowledge.list_patterns", search="index", tags=["performance"])

    assert pattern["derivedFromSessions"] == [mind.session_id]
    assert [each["id"] for each in found["patterns"]] == [pattern["id"]]
    searched = mind.ask("session.search", query='"full table scan"')
    assert [each["id"] for each in searched["sessions"]] == [mind.session_id]
    assert searched["sessions"][0]["thoughtNumber"] == 5


def test_a_deleted_session_is_out_of_sight_and_still_proven(agent: Any):
    mind = Mind(agent)
    mind.think("A secret plan")
    agent.call("thoughtbox_gateway", {"operation": "session.delete", "sessionId": mind.session_id})

    with pytest.raises(ToolFailed) as failed:
        mind.ask("session.get")
    assert failed.value.code == "SESSION_NOT_FOUND"
    verified = agent.call("thoughtbox_gateway", {"operation": "session.verify", "sessionId": mind.session_id})
    assert (verified["valid"], verified["deleted"]) == (True, True)
    other = Mind(agent)
    assert other.ask("session.search", query="secret")["sessions"] == []
    assert agent.call("ledger_verify", {})["valid"]


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"thought": ""}, "INVALID_PAYLOAD"),
        ({"thought": "x", "thoughtNumber": 1}, "INVALID_PAYLOAD"),
        ({"thought": "x", "thoughtNumber": 0}, "INVALID_PAYLOAD"),
        ({"thought": "x", "thoughtNumber": "two"}, "INVALID_PAYLOAD"),
        ({"thought": "x", "branchId": "b"}, "INVALID_PAYLOAD"),
        ({"thought": "x", "branchId": "../b", "branchFromThought": 1}, "INVALID_PAYLOAD"),
        ({"thought": "x", "branchId": "b", "branchFromThought": 9}, "THOUGHT_NOT_FOUND"),
        ({"thought": "x", "revisesThought": 9}, "THOUGHT_NOT_FOUND"),
        ({"thought": "x", "isRevision": True}, "INVALID_PAYLOAD"),
        ({"thought": "x", "sessionId": "not-there"}, "SESSION_NOT_FOUND"),
        ({"thought": "x", "colour": "red"}, "INVALID_PAYLOAD"),
        ({"operation": "think", "thought": "x"}, "INVALID_OPERATION"),
    ],
)
def test_a_thought_that_cannot_be_is_refused_and_nothing_is_written(agent: Any, arguments: dict[str, Any], code: str):
    mind = Mind(agent)
    mind.think("The first")
    before = agent.call("ledger_status", {})

    with pytest.raises(ToolFailed) as failed:
        mind.ask(**{"operation": "thought", **arguments})

    assert failed.value.code == code
    assert agent.call("ledger_status", {}) == before


def test_a_stage_is_unlocked_by_the_very_call_that_its_refusal_names(agent: Any):
    started = agent.call("thoughtbox_gateway", {"operation": "start_new", "sessionTitle": "Stages"})
    thought = {"operation": "thought", "thought": "Now", "sessionId": started["sessionId"]}

    if agent.door.remembers:
        with pytest.raises(ToolFailed) as failed:
            agent.call("thoughtbox_gateway", thought)
        assert failed.value.code == "STAGE_REQUIREMENT_NOT_MET"
        assert agent.call("thoughtbox_gateway", failed.value.details["next"])["stage"] == 2

    assert agent.call("thoughtbox_gateway", thought)["thoughtNumber"] == 1


def test_a_domain_chooses_the_mental_models(agent: Any):
    mind = Mind(agent)
    everything = mind.ask("mental_models.list_models")
    navigated = mind.ask("navigate", domain="risk-management")
    chosen = mind.ask("mental_models.list_models")

    assert everything["count"] == 15
    assert navigated["stage"] == 3
    assert (chosen["filter"], chosen["count"]) == ("risk-management", 3)
    assert "## Procedure" in mind.ask("mental_models.get_model", modelId="pre-mortem")["content"]


def test_what_agents_read_is_there_as_resources(agent: Any):
    mind = Mind(agent)
    thought = mind.think("Kept")

    def read(uri: str) -> tuple[str, str]:
        [found] = agent.run(lambda: agent.client.read_resource(uri, meta=agent.meta)).contents
        return found.mime_type, found.text

    for address in ("init", "architecture", "cipher", "patterns-cookbook", "session-analysis-guide"):
        mime, text = read(f"thoughtbox://{address}")
        assert (mime, text[:2]) == ("text/markdown", "# ")
    assert read("thoughtbox://mental-models/debugging/five-whys")[1].startswith("# Five Whys")
    assert len(json.loads(read("thoughtbox://mental-models")[1])) == 6
    assert json.loads(read(f"thoughtbox://session/{mind.session_id}")[1])["thoughts"][0]["thought"] == "Kept"
    assert json.loads(read(f"thoughtbox://thought/{thought['id'].replace(':', '%3A')}")[1])["thought"] == "Kept"
    for prompt, arguments in (
        ("list_mcp_assets", {}),
        ("interleaved-thinking", {"task": "Fix the cache"}),
        ("subagent-summarize", {}),
        ("evolution-check", {"newThought": "The cache is cold"}),
    ):
        [message] = agent.run(lambda name=prompt, given=arguments: agent.client.get_prompt(name, given)).messages
        assert all(value in message.content.text for value in arguments.values())


def test_a_critique_without_a_model_at_hand_is_the_agents_own(agent: Any):
    mind = Mind(agent)
    reply = mind.think("All users are slow, since one said so", critique=True)

    assert reply["notice"]["code"] == "SAMPLING_NOT_SUPPORTED"
    assert "since one said so" in reply["critiquePrompt"]["prompt"]
    mind.ask("critique", thoughtNumber=1, text="One report is no pattern.")
    [read] = mind.ask("read_thoughts", thoughtNumber=1)["thoughts"]
    assert read["critique"]["text"] == "One report is no pattern."
    assert mind.ask("session.analyze")["quality"]["critiqueRequests"] == 1
