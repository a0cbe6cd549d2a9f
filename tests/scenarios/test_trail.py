"""The decision trail, told as stories through a real MCP client."""

from __future__ import annotations

import hashlib
import re
from typing import Any

import pytest

from tests.support.agent import ToolFailed

LONG = "The cache is cold after every deployment, so the first readers pay for all of it. " * 5


def test_a_thought_is_recorded_and_its_receipt_shows_its_place_and_hashes(agent: Any):
    answer = agent.thought_record(sessionId="s1", thoughtType="hunch", content="Reads dominate")

    thought = answer["thought"]
    assert answer["success"] is True
    assert set(thought) == {"thoughtId", "thoughtType", "stepIndex", "contentHash", "chainHash"}
    assert (thought["thoughtType"], thought["stepIndex"]) == ("hunch", 0)
    assert thought["contentHash"] == hashlib.sha256(b"Reads dominate").hexdigest()[:16] + "…"
    assert re.fullmatch("[0-9a-f]{16}…", thought["chainHash"])


@pytest.mark.parametrize(
    ("tool", "argument", "thought_type"),
    [
        ("thought_plan", "planDescription", "plan"),
        ("thought_analysis", "analysis", "analysis"),
        ("thought_decision", "decision", "decision"),
        ("thought_reflection", "reflection", "reflection"),
    ],
)
def test_each_wrapper_records_its_own_type_of_thought(agent: Any, tool: str, argument: str, thought_type: str):
    answer = agent.call(tool, {"sessionId": "s1", argument: "words", "contextId": "c1", "actionId": "a1"})

    assert answer["thought"]["thoughtType"] == thought_type
    (thought,) = agent.thought_for_action(actionId="a1")["thoughts"]
    assert (thought["content"], thought["contextId"]) == ("words", "c1")


def test_any_type_of_thought_is_accepted(agent: Any):
    answer = agent.thought_record(sessionId="s1", thoughtType="überlegung №7", content="x")

    assert answer["thought"]["thoughtType"] == "überlegung №7"


def test_equal_texts_have_equal_content_hashes_and_different_chain_hashes(agent: Any):
    one = agent.thought_record(sessionId="s1", thoughtType="note", content="same")["thought"]
    two = agent.thought_record(sessionId="s1", thoughtType="note", content="same")["thought"]

    assert one["contentHash"] == two["contentHash"]
    assert one["chainHash"] != two["chainHash"]


def test_steps_count_from_zero_within_a_session_without_gaps(agent: Any):
    steps = [
        (session, agent.thought_record(sessionId=session, thoughtType="note", content="x")["thought"]["stepIndex"])
        for session in ["s1", "s2", "s1", "s1", "s2"]
    ]

    assert steps == [("s1", 0), ("s2", 0), ("s1", 1), ("s1", 2), ("s2", 1)]


def test_a_trail_leads_from_its_root_to_the_action(agent: Any):
    plan = agent.thought_plan(sessionId="s1", planDescription="Move the cache")["thought"]
    why = agent.thought_analysis(sessionId="s1", analysis="Reads dominate", parentId=plan["thoughtId"])["thought"]
    agent.thought_analysis(sessionId="s1", analysis="A side thought", parentId=plan["thoughtId"])
    agent.thought_decision(sessionId="s1", decision="Read-through", actionId="deploy-7", parentId=why["thoughtId"])

    answer = agent.thought_reasoning_trail(actionId="deploy-7")

    assert (answer["success"], answer["hasReasoning"], answer["trailCount"]) == (True, True, 1)
    (trail,) = answer["trails"]
    assert [step["thoughtType"] for step in trail] == ["plan", "analysis", "decision"]
    assert [step["stepIndex"] for step in trail] == [0, 1, 3]
    assert set(trail[0]) == {"thoughtId", "thoughtType", "content", "stepIndex"}


def test_several_thoughts_of_one_action_give_several_trails_across_sessions_in_order_of_recording(agent: Any):
    for session in ("s2", "s1"):
        root = agent.thought_plan(sessionId=session, planDescription=f"plan of {session}")["thought"]
        agent.thought_decision(
            sessionId=session, decision=f"decision of {session}", actionId="deploy", parentId=root["thoughtId"]
        )
    agent.thought_reflection(sessionId="s1", reflection="alone", actionId="deploy")

    trails = agent.thought_reasoning_trail(actionId="deploy")["trails"]

    assert [[step["content"] for step in trail] for trail in trails] == [
        ["plan of s2", "decision of s2"],
        ["plan of s1", "decision of s1"],
        ["alone"],
    ]
    thoughts = agent.thought_for_action(actionId="deploy")["thoughts"]
    assert [thought["sessionId"] for thought in thoughts] == ["s2", "s1", "s1"]


def test_a_trail_begins_at_the_thought_whose_parent_is_unknown(agent: Any):
    agent.thought_decision(sessionId="s1", decision="d", actionId="a", parentId="recorded-elsewhere")

    assert agent.thought_reasoning_trail(actionId="a")["trailCount"] == 1
    (trail,) = agent.thought_reasoning_trail(actionId="a")["trails"]
    assert len(trail) == 1


def test_an_action_without_thoughts_is_an_answer_and_not_an_error(agent: Any):
    assert agent.thought_reasoning_trail(actionId="none") == {
        "success": True,
        "actionId": "none",
        "hasReasoning": False,
        "trailCount": 0,
        "trails": [],
    }
    assert agent.thought_for_action(actionId="none") == {
        "success": True,
        "actionId": "none",
        "count": 0,
        "thoughts": [],
    }


def test_the_tree_of_a_session_shows_roots_and_nests_children_only_when_asked(agent: Any):
    root = agent.thought_plan(sessionId="s1", planDescription="root")["thought"]["thoughtId"]
    child = agent.thought_analysis(sessionId="s1", analysis="child", parentId=root)["thought"]["thoughtId"]
    agent.thought_decision(sessionId="s1", decision="grandchild", parentId=child)
    agent.thought_plan(sessionId="s1", planDescription="second root")
    agent.thought_plan(sessionId="s1", planDescription="orphan", parentId="lost")

    flat = agent.thought_tree(sessionId="s1")
    nested = agent.thought_tree(sessionId="s1", includeChildren=True)

    assert (flat["success"], flat["count"]) == (True, 5)
    assert [entry["content"] for entry in flat["tree"]] == ["root", "second root", "orphan"]
    assert all("children" not in entry for entry in flat["tree"])
    assert nested["count"] == 5
    assert nested["tree"][0]["children"][0]["children"][0]["content"] == "grandchild"
    assert nested["tree"][2]["parentId"] == "lost"


def test_texts_are_cut_to_100_200_and_150_characters_unless_asked_for_whole(agent: Any):
    agent.thought_decision(sessionId="s1", decision=LONG, actionId="a1")

    def shown(answer: dict[str, Any]) -> str:
        return answer["tree"][0]["content"]

    assert shown(agent.thought_tree(sessionId="s1")) == LONG[:100] + "…"
    assert shown(agent.thought_tree(sessionId="s1", includeContent=True)) == LONG
    assert agent.thought_for_action(actionId="a1")["thoughts"][0]["content"] == LONG[:200] + "…"
    assert agent.thought_reasoning_trail(actionId="a1")["trails"][0][0]["content"] == LONG[:150] + "…"


def test_a_whole_chain_verifies(agent: Any):
    for step in range(3):
        agent.thought_record(sessionId="s1", thoughtType="note", content=f"step {step}")

    verdict = agent.thought_verify_chain(sessionId="s1")

    assert set(verdict) == {"success", "valid", "message", "thoughtCount", "brokenAt"}
    assert (verdict["valid"], verdict["thoughtCount"], verdict["brokenAt"]) == (True, 3, None)


def test_an_unknown_session_is_named_and_so_are_those_there_are(agent: Any):
    agent.thought_plan(sessionId="known", planDescription="p")

    for tool in ("thought_tree", "thought_verify_chain"):
        with pytest.raises(ToolFailed) as failure:
            agent.call(tool, {"sessionId": "unknown"})
        assert failure.value.code == "SESSION_NOT_FOUND"
        assert "known" in str(failure.value.recovery)


def test_a_parent_in_another_session_is_on_the_trail_and_its_child_is_a_root_of_its_own_session(agent: Any):
    elsewhere = agent.thought_plan(sessionId="s1", planDescription="p")["thought"]["thoughtId"]
    agent.thought_decision(sessionId="s2", decision="d", parentId=elsewhere, actionId="a1")

    (trail,) = agent.thought_reasoning_trail(actionId="a1")["trails"]
    tree = agent.thought_tree(sessionId="s2")

    assert [(step["thoughtType"], step["content"]) for step in trail] == [("plan", "p"), ("decision", "d")]
    assert (tree["count"], tree["tree"][0]["content"], tree["tree"][0]["parentId"]) == (1, "d", elsewhere)
    assert agent.thought_tree(sessionId="s1")["count"] == 1


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"sessionId": "s1", "thoughtType": "note"}, "`content` is missing"),
        ({"sessionId": "s1", "thoughtType": "note", "content": ""}, "`content`"),
        ({"sessionId": "s1", "thoughtType": "note", "content": " \n\t"}, "must not be empty"),
        ({"sessionId": "", "thoughtType": "note", "content": "x"}, "`sessionId`"),
        ({"sessionId": "s1", "thoughtType": "", "content": "x"}, "`thoughtType`"),
        ({"sessionId": "s1", "thoughtType": "t" * 65, "content": "x"}, "`thoughtType`"),
        ({"sessionId": "s1", "thoughtType": "note", "content": 7}, "`content`"),
        ({"sessionId": ["s1"], "thoughtType": "note", "content": "x"}, "`sessionId`"),
        ({"sessionId": "s1", "thoughtType": "note", "content": "x", "parentID": "th:1"}, "`parentID`"),
        ({"sessionId": "s1", "thoughtType": "note", "content": "nul \0 inside"}, "NUL"),
    ],
)
def test_bad_input_gets_an_error_that_names_the_field_and_changes_nothing(
    agent: Any, arguments: dict[str, Any], says: str
):
    with pytest.raises(ToolFailed) as failure:
        agent.call("thought_record", arguments)

    assert failure.value.code == "INVALID_PAYLOAD"
    assert says in failure.value.message
    assert failure.value.recovery
    assert agent.ledger_status()["records"] == 0


def test_an_unknown_argument_is_refused_with_the_nearest_name(agent: Any):
    with pytest.raises(ToolFailed) as failure:
        agent.call("thought_plan", {"sessionId": "s1", "planDescription": "p", "actionid": "a"})

    assert failure.value.recovery == "Did you mean `actionId`?"


def test_null_for_an_optional_argument_means_that_it_was_left_out(agent: Any):
    agent.thought_plan(sessionId="s1", planDescription="p", parentId=None, actionId=None)

    assert agent.thought_tree(sessionId="s1")["tree"][0]["parentId"] is None


def test_thoughts_cannot_be_linked_afterwards(agent: Any):
    thought = agent.thought_plan(sessionId="s1", planDescription="p")["thought"]["thoughtId"]

    with pytest.raises(ToolFailed) as failure:
        agent.link_thought_to_action(thoughtId=thought, actionId="a1")

    assert failure.value.code == "IMMUTABLE"
    assert failure.value.message == "Thoughts are immutable. Create with actionId from start."
    assert agent.thought_for_action(actionId="a1")["count"] == 0


def test_nine_tools_are_shown_and_none_of_them_links_edits_or_deletes(agent: Any):
    tools = {tool.name: tool for tool in agent.list_tools()}

    assert set(tools) == {
        "thought_record",
        "thought_plan",
        "thought_analysis",
        "thought_decision",
        "thought_reflection",
        "thought_tree",
        "thought_for_action",
        "thought_verify_chain",
        "thought_reasoning_trail",
    }
    reading = {name for name, tool in tools.items() if tool.annotations.read_only_hint}
    assert reading == {"thought_tree", "thought_for_action", "thought_verify_chain", "thought_reasoning_trail"}
    assert not any(tool.annotations.destructive_hint for tool in tools.values())
    assert tools["thought_record"].input_schema["required"] == ["sessionId", "thoughtType", "content"]


INPUTS = {
    "thought_record": (["sessionId", "thoughtType", "content"], {"contextId", "actionId", "parentId"}),
    "thought_plan": (["sessionId", "planDescription"], {"contextId", "actionId", "parentId"}),
    "thought_analysis": (["sessionId", "analysis"], {"contextId", "actionId", "parentId"}),
    "thought_decision": (["sessionId", "decision"], {"contextId", "actionId", "parentId"}),
    "thought_reflection": (["sessionId", "reflection"], {"contextId", "actionId", "parentId"}),
    "thought_tree": (["sessionId"], {"includeContent", "includeChildren"}),
    "thought_for_action": (["actionId"], set()),
    "thought_verify_chain": (["sessionId"], set()),
    "thought_reasoning_trail": (["actionId"], set()),
}
"""The document's table: what has to be given, and what may be."""

ANSWERS = {
    "thought_tree": {"success", "count", "tree"},
    "thought_for_action": {"success", "actionId", "count", "thoughts"},
    "thought_verify_chain": {"success", "valid", "message", "thoughtCount", "brokenAt"},
    "thought_reasoning_trail": {"success", "actionId", "hasReasoning", "trailCount", "trails"},
}


def test_each_tool_takes_and_answers_what_the_document_says(agent: Any):
    tools = {tool.name: tool.input_schema for tool in agent.list_tools()}

    assert tools.keys() == INPUTS.keys()
    for name, (required, optional) in INPUTS.items():
        assert sorted(tools[name]["required"]) == sorted(required), name
        assert optional <= tools[name]["properties"].keys(), name
        texts = {argument: "x" for argument in (*required, *optional) if not argument.startswith("include")}
        answer = getattr(agent, name)(**{**texts, "sessionId": "s1"} if "sessionId" in required else {"actionId": "x"})
        if name in ANSWERS:
            assert answer.keys() >= ANSWERS[name], name
        else:
            assert answer.keys() == {"success", "thought"}
            assert answer["thought"].keys() == {"thoughtId", "thoughtType", "stepIndex", "contentHash", "chainHash"}
        assert answer["success"] is True


def test_the_tree_can_be_read_as_it_was_before(agent: Any):
    agent.thought_plan(sessionId="s1", planDescription="first")
    before = agent.thought_tree(sessionId="s1")
    agent.thought_decision(sessionId="s1", decision="second", actionId="a1")

    assert agent.call("thought_tree", {"sessionId": "s1"}, as_of=1) == before
    assert agent.call("thought_reasoning_trail", {"actionId": "a1"}, as_of=1)["hasReasoning"] is False
    assert agent.thought_tree(sessionId="s1")["count"] == 2


def test_the_same_key_again_returns_the_first_answer_and_writes_nothing(agent: Any):
    call = ("thought_plan", {"sessionId": "s1", "planDescription": "once"})

    first = agent.call(*call, key="k1")
    records = agent.ledger_status()["records"]
    again = agent.call(*call, key="k1")

    assert again == first
    assert agent.ledger_status()["records"] == records
    with pytest.raises(ToolFailed) as failure:
        agent.call("thought_plan", {"sessionId": "s1", "planDescription": "another"}, key="k1")
    assert failure.value.code == "IDEMPOTENCY_CONFLICT"


def test_a_long_tree_is_cut_to_the_budget_and_says_so(agent: Any):
    for step in range(30):
        agent.thought_record(sessionId="s1", thoughtType="note", content=f"{step} {LONG}")

    answer = agent.thought_tree(sessionId="s1", includeContent=True, maxChars=2000)

    assert answer["truncated"] is True
    assert answer["count"] == 30
    assert answer["budget"]["used_chars"] <= answer["budget"]["max_chars"] == 2000
    assert answer["tree"][-1]["thoughtId"] == "th:30"
