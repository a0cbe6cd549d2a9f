"""One reasoning on two surfaces, told as stories through a real MCP client: thought here, asked about there."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.agent import ToolFailed

MAIN = (
    "S1|O|Checkout times out for one customer in fifty",
    "S2|H|S1|The payment provider is slow (~)",
    "S3|E|⊖[S2]|The provider answers within 300 ms",
    "S4|A|S1|All workers run the same release",
    "S5|Q|S1|Which requests time out?",
    "S6|E|S5|Only those that wait for a connection",
)
POOL = (
    "S7|H|S6|The pool of connections is too small",
    "S8|E|S7|All 10 connections are taken at noon (!)",
    "S9|C|S7,S8|∴ Raise the pool to 40 connections",
)
TYPES = [
    *("observation", "hypothesis", "evidence", "assumption", "question", "evidence"),
    *("hypothesis", "evidence", "decision"),
]

both_engines = pytest.mark.doors(transport="http", era="stateless", every=True)


class Mind:
    """An agent at work in one session of the thoughts room, which it always names."""

    def __init__(self, agent: Any) -> None:
        self.agent = agent
        self.session_id = self.ask("start_new", sessionTitle="Checkout times out")["sessionId"]
        self.ask("cipher", sessionId=self.session_id)

    def ask(self, operation: str, **arguments: Any) -> dict[str, Any]:
        return self.agent.call("thoughtbox_gateway", {"operation": operation, **arguments})

    def think(self, thought: str, **more: Any) -> str:
        return self.ask("thought", sessionId=self.session_id, thought=thought, **more)["id"]

    def reason(self, **decision: Any) -> list[str]:
        """Six thoughts on the main line, one more there, three on a branch: the way to a decision, and its ids."""
        way = [self.think(line) for line in MAIN]
        self.think("Or is it the network between them?")
        way.append(self.think(POOL[0], branchId="pool", branchFromThought=6))
        way.append(self.think(POOL[1], branchId="pool"))
        way.append(self.think(POOL[2], branchId="pool", **decision))
        return way


def ids(steps: list[dict[str, Any]]) -> list[str]:
    return [step["thoughtId"] for step in steps]


@both_engines
def test_why_an_action_was_done_is_answered_from_thoughts_and_their_branch(agent: Any):
    way = Mind(agent).reason(actionId="deploy-1")

    answer = agent.thought_reasoning_trail(actionId="deploy-1")

    assert (answer["success"], answer["hasReasoning"], answer["trailCount"]) == (True, True, 1)
    (trail,) = answer["trails"]
    assert ids(trail) == way
    assert [step["thoughtType"] for step in trail] == TYPES
    assert [step["content"] for step in trail] == [*MAIN, *POOL]
    steps = [step["stepIndex"] for step in trail]
    assert steps == sorted(set(steps))


@both_engines
def test_a_decision_of_the_trail_may_follow_from_a_thought_of_the_thoughts_room(agent: Any):
    way = Mind(agent).reason()
    decided = agent.thought_decision(sessionId="release", decision="Ship it", parentId=way[-1], actionId="deploy-1")
    looked_back = agent.thought_reflection(
        sessionId="release",
        reflection="No timeouts since",
        parentId=decided["thought"]["thoughtId"],
        actionId="close-7",
    )

    (trail,) = agent.thought_reasoning_trail(actionId="close-7")["trails"]

    assert ids(trail) == [*way, decided["thought"]["thoughtId"], looked_back["thought"]["thoughtId"]]
    assert [step["thoughtType"] for step in trail] == [*TYPES, "decision", "reflection"]
    assert ids(agent.thought_reasoning_trail(actionId="deploy-1")["trails"][0]) == ids(trail)[:-1]


@both_engines
def test_the_thoughts_of_an_action_come_from_both_rooms_in_order_of_recording(agent: Any):
    mind = Mind(agent)
    planned = agent.thought_plan(sessionId="release", planDescription="Raise it on Monday", actionId="deploy-1")
    way = mind.reason(actionId="deploy-1")
    done = agent.thought_reflection(sessionId="release", reflection="Raised", actionId="deploy-1")

    answer = agent.thought_for_action(actionId="deploy-1")

    assert answer["count"] == 3
    assert ids(answer["thoughts"]) == [planned["thought"]["thoughtId"], way[-1], done["thought"]["thoughtId"]]
    decision = answer["thoughts"][1]
    shown = mind.ask("get_thought", id=way[-1])
    assert shown["actionId"] == "deploy-1"
    assert decision == {
        "thoughtId": way[-1],
        "thoughtType": "decision",
        "sessionId": mind.session_id,
        "stepIndex": decision["stepIndex"],
        "content": POOL[2],
        "parentId": way[-2],
        "contextId": None,
        "recordedAt": shown["timestamp"],
    }


@both_engines
def test_the_tree_of_a_session_holds_what_both_rooms_have_of_it(agent: Any):
    mind = Mind(agent)
    way = mind.reason()
    decided = agent.thought_decision(sessionId=mind.session_id, decision="Ship it", parentId=way[-1])
    aside = agent.thought_plan(sessionId=mind.session_id, planDescription="Watch it for a week")

    flat = agent.thought_tree(sessionId=mind.session_id)
    nested = agent.thought_tree(sessionId=mind.session_id, includeChildren=True, includeContent=True)

    assert flat["count"] == nested["count"] == 12
    assert ids(flat["tree"]) == [way[0], aside["thought"]["thoughtId"]]
    entry, seen = nested["tree"][0], list[str]()
    while True:
        seen.append(entry["thoughtId"])
        if not entry["children"]:
            break
        entry = entry["children"][-1]
    assert seen == [*way, decided["thought"]["thoughtId"]]
    assert entry["content"] == "Ship it"


@both_engines
def test_a_deleted_session_explains_nothing_any_more_but_did_then(agent: Any):
    mind = Mind(agent)
    way = mind.reason(actionId="deploy-1")
    agent.thought_decision(sessionId="release", decision="Ship it", parentId=way[-1], actionId="ship-1")
    then = agent.ledger_status()["records"]
    asked = [
        ("thought_reasoning_trail", {"actionId": "deploy-1"}),
        ("thought_reasoning_trail", {"actionId": "ship-1"}),
        ("thought_for_action", {"actionId": "deploy-1"}),
        ("thought_tree", {"sessionId": mind.session_id}),
    ]
    before = [agent.call(*call) for call in asked]

    mind.ask("session.delete", sessionId=mind.session_id)

    assert agent.thought_reasoning_trail(actionId="deploy-1")["hasReasoning"] is False
    assert agent.thought_for_action(actionId="deploy-1")["count"] == 0
    assert [step["content"] for step in agent.thought_reasoning_trail(actionId="ship-1")["trails"][0]] == ["Ship it"]
    with pytest.raises(ToolFailed) as failure:
        agent.thought_tree(sessionId=mind.session_id)
    assert failure.value.code == "SESSION_NOT_FOUND"
    assert [agent.call(*call, as_of=then) for call in asked] == before


def test_the_chain_of_a_session_of_thoughts_is_verified_where_it_stands(agent: Any):
    mind = Mind(agent)
    mind.think("One thought")

    with pytest.raises(ToolFailed) as failure:
        agent.thought_verify_chain(sessionId=mind.session_id)

    assert failure.value.code == "SESSION_NOT_FOUND"
    assert failure.value.recovery == f'Send {{"operation": "session.verify", "sessionId": "{mind.session_id}"}}.'
    assert mind.ask("session.verify", sessionId=mind.session_id)["valid"] is True
