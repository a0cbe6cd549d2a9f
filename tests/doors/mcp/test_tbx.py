"""The compact form through the door: in the text and in the structured content, in errors, and in schemas."""

from __future__ import annotations

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tests.support.agent import Agent
from thoughtbox.tbx import decode, is_tbx


def called(agent: Agent, tool: str, **arguments: Any) -> tuple[Any, bool]:
    """What a tool says, in both places, and whether it is an error."""
    result = agent.raw_call(tool, arguments)
    assert json.loads(getattr(result.content[0], "text", "")) == result.structured_content
    return result.structured_content, bool(result.is_error)


def planned(agent: Agent, plans: int = 6) -> None:
    for number in range(plans):
        agent.call("thought_plan", {"sessionId": "s1", "planDescription": f"Step {number}", "actionId": "a1"})


def test_a_tool_answers_in_the_compact_form_where_it_is_asked_to(agent: Agent):
    planned(agent)

    plain, _ = called(agent, "thought_for_action", actionId="a1")
    compact, is_error = called(agent, "thought_for_action", actionId="a1", format="tbx")

    assert (is_tbx(plain), is_tbx(compact), is_error) == (False, True, False)
    assert decode(compact) == plain
    assert len(json.dumps(compact)) < len(json.dumps(plain)) * 0.8
    through_the_gateway, _ = called(
        agent, "thoughtbox_gateway", operation="thought_for_action", actionId="a1", format="tbx"
    )
    assert through_the_gateway == compact


def test_both_forms_fit_the_schema_that_the_tool_shows(agent: Agent):
    planned(agent)
    tools = {tool.name: tool for tool in agent.list_tools()}

    for name in ("thought_tree", "thought_for_action", "thought_reasoning_trail"):
        schema = tools[name].output_schema
        assert schema is not None
        given = {"sessionId": "s1"} if name == "thought_tree" else {"actionId": "a1"}
        for form in ("json", "tbx"):
            answer, _ = called(agent, name, **given, format=form)
            Draft202012Validator(schema).validate(answer)
            Draft202012Validator(tools[name].input_schema).validate({**given, "format": form})


@pytest.mark.parametrize("gateway", [False, True])
def test_a_refusal_is_a_record_that_says_so(agent: Agent, gateway: bool):
    call = {"sessionId": "nowhere", "format": "tbx"}
    tool, given = ("thoughtbox_gateway", {"operation": "thought_tree", **call}) if gateway else ("thought_tree", call)

    compact, is_error = called(agent, tool, **given)
    plain, _ = called(agent, tool, **{**given, "format": "json"})

    assert is_error
    assert compact["m"][0]["a"]["status"] == "error"
    assert compact["m"][0]["a"]["code"] == plain["code"] == "SESSION_NOT_FOUND"
    assert decode(compact) == plain


def test_a_refusal_of_a_room_with_an_envelope_keeps_it(agent: Agent):
    compact, is_error = called(agent, "graph_query", limit="many", format="tbx")

    assert is_error
    assert compact["m"][0]["a"]["code"] == "INVALID_INPUT"
    told = decode(compact)
    assert (told["success"], told["error"]["code"]) == (False, "INVALID_INPUT")


def test_another_form_is_refused_by_name(agent: Agent):
    told, is_error = called(agent, "thought_tree", sessionId="s1", format="yaml")

    assert is_error
    assert (told["code"], told["message"]) == ("INVALID_PAYLOAD", "`format` must be 'json' or 'tbx'")
