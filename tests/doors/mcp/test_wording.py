"""What agents are told to call is what their client shows them, in every toolset."""

from __future__ import annotations

import json
import re

import pytest
from mcp_types import TextContent, TextResourceContents

from tests.conftest import StartAgent
from tests.support.pages import GATEWAY
from thoughtbox import content, domains
from thoughtbox.domains.thoughts.stages import stage_needed
from thoughtbox.doors.mcp import prompts
from thoughtbox.doors.mcp.wording import TO_THE_GATEWAY, TO_TOOLS, Wording
from thoughtbox.operations.models import wire_names
from thoughtbox.operations.registry import TABLE, tool_name

domains.load()

CALL = re.compile(r'{"operation":.*?}(?=[`\s,.;]|$)', re.MULTILINE)
TEXTS = {
    "instructions": content.text("instructions.md"),
    **{resource.uri: resource.text for resource in TABLE.resources.values() if resource.text is not None},
    **{prompt.name: prompt.text for prompt in TABLE.prompts.values()},
}
"""All that is written for agents, by its name."""


def calls_in(text: str) -> list[str]:
    return re.findall(r'"operation": ?"([\w.]+)"', text)


def names_in(text: str) -> set[str]:
    """Operations that are called, and words that can be nothing but the names of operations."""
    words = set(re.findall(r"[a-z]+(?:[._][a-z]+)+", text)) & TABLE.operations.keys()
    return {*calls_in(text), *words} - {"session", GATEWAY}


@pytest.mark.parametrize("name", sorted(TEXTS))
def test_calls_go_to_the_gateway_and_every_text_with_calls_says_so(name: str):
    text = TEXTS[name]

    assert (TO_THE_GATEWAY in text) is bool(calls_in(text))


@pytest.mark.parametrize("name", sorted(name for name in TEXTS if "{" in TEXTS[name]))
def test_every_call_that_is_shown_has_arguments_that_its_operation_takes(name: str):
    for shown in CALL.findall(TEXTS[name]):
        if "NAME" in shown:
            continue
        operation, arguments = TABLE.resolve(GATEWAY, json.loads(shown))
        assert set(arguments) <= set(wire_names(operation.input)), shown


@pytest.mark.parametrize("name", sorted(TABLE.prompts))
def test_no_tool_is_named_but_as_an_operation_of_the_gateway(name: str):
    """A word such as `thought_plan` stands in a call, or in the list of operations."""
    text = TEXTS[name]
    if name == "list_mcp_assets":
        for lists in ("Operations by stage", "The mind room", "The memory room", "The notebooks room"):
            text = re.sub(rf"^\*\*{lists}.*?(?=^\*\*)", "", text, flags=re.MULTILINE | re.DOTALL)
    alone = names_in(CALL.sub("", text)) - set(TABLE.prompts)

    assert alone <= {"session.get"}


@pytest.mark.parametrize("toolset", TABLE.toolsets())
def test_in_every_toolset_what_is_listed_names_only_what_is_shown(toolset: str):
    wording, tools = Wording(TABLE, toolset), TABLE.shown_in(toolset)
    listed = [wording.of(TABLE.prompts[prompt["name"]].text) for prompt in prompts.shown(TABLE, wording)]

    for text in (wording.instructions, *listed):
        if GATEWAY in tools:
            assert TO_TOOLS not in text
        else:
            assert GATEWAY not in text
            assert {tool_name(name) for name in names_in(text)} <= set(tools)
            assert (TO_TOOLS in text) is bool(calls_in(text))


@pytest.mark.parametrize("toolset", TABLE.toolsets())
def test_a_text_that_needs_more_than_the_toolset_shows_says_so(toolset: str):
    wording, tools = Wording(TABLE, toolset), TABLE.shown_in(toolset)

    for name, text in TEXTS.items():
        reached = GATEWAY in tools or {tool_name(one) for one in names_in(text)} <= set(tools)
        assert ("--toolset all" in wording.of(text)) is (bool(calls_in(text)) and not reached), name


def test_the_instructions_are_short_and_say_how_to_begin_to_resume_and_to_look_things_up():
    told = Wording(TABLE, "default").instructions

    assert len(told) <= 700
    assert told == content.text("instructions.md").strip()
    assert {"start_new", "cipher", "thought", "session.resume_latest", "list_sessions", "describe"} <= set(
        calls_in(told)
    )


@pytest.mark.parametrize("toolset", ["mind-core", "mind-daily", "mind-full"])
def test_in_the_mind_toolsets_the_instructions_say_how_to_begin_and_to_resume(toolset: str):
    told = Wording(TABLE, toolset).instructions

    assert len(told) <= 800
    assert {"status", "tasks_snapshot", "tasks_create", "think_card", "open", "help"} <= set(calls_in(told))
    for shown in CALL.findall(told):
        arguments = json.loads(shown)
        operation = TABLE.shown_in(toolset)[arguments.pop("operation")]
        assert set(arguments) <= set(operation.arguments), shown


@pytest.mark.parametrize(
    ("toolset", "begins", "listed"),
    [
        ("default", TO_THE_GATEWAY, set(TABLE.prompts)),
        ("trail", TO_TOOLS, {"think_in_the_open", "explain_action"}),
    ],
)
def test_a_client_is_told_how_to_call_what_it_is_shown(
    start_agent: StartAgent, toolset: str, begins: str, listed: set[str]
):
    agent = start_agent(THOUGHTBOX_TOOLSET=toolset)

    assert begins in str(agent.client.instructions)
    assert {prompt.name for prompt in agent.run(lambda: agent.client.list_prompts()).prompts} == listed
    (message,) = agent.run(lambda: agent.client.get_prompt("think_in_the_open", {"task": "Fix it"})).messages
    assert isinstance(message.content, TextContent)
    assert begins in message.content.text
    (init,) = agent.run(lambda: agent.client.read_resource("thoughtbox://init")).contents
    assert isinstance(init, TextResourceContents)
    assert (TO_THE_GATEWAY if toolset == "default" else "--toolset all") in init.text


def test_the_overview_names_every_operation_at_its_stage():
    lines = dict(re.findall(r"^- ([012]), .*?: (.*)$", TEXTS["list_mcp_assets"], re.MULTILINE))

    for operation in TABLE:
        if operation.room == "thoughts" and not operation.hidden:
            family, _, bare = operation.name.rpartition(".")
            stages = [stage for stage, names in lines.items() if re.search(rf"\b{family}\b.*\b{bare}\b", names)]
            assert stages == [str(stage_needed(operation))], operation.name


def test_the_overview_names_every_operation_resource_and_prompt():
    overview = TEXTS["list_mcp_assets"]

    for operation in TABLE:
        if not operation.hidden and operation.name != GATEWAY:
            family, _, bare = operation.name.rpartition(".")
            assert re.search(rf"\b{family}\b.*\b{bare}\b", overview), operation.name
    assert [uri for uri in TABLE.resources if uri not in overview] == []
    for prompt in TABLE.prompts.values():
        takes = [*prompt.arguments, *(f"{name}?" for name in prompt.optional)]
        assert f"{prompt.name} ({', '.join(takes) or 'this'})" in overview
