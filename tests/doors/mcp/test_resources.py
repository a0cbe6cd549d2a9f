"""Whatever a room declares as a resource or a prompt is served: texts, parts of answers, arguments in any number."""

from __future__ import annotations

import json
from typing import Any

import anyio
import pytest
from mcp.client.subscriptions import ResourceUpdated
from mcp.shared.exceptions import MCPError
from mcp_types import (
    CompleteRequest,
    CompleteRequestParams,
    CompleteResult,
    CompletionArgument,
    GetPromptResult,
    ResourceTemplateReference,
    TextContent,
    TextResourceContents,
)

from tests.conftest import StartAgent
from tests.support.agent import Agent
from tests.support.preludes import WORKSHOP
from tests.support.servers import PATIENCE
from thoughtbox.doors.mcp import prompts
from thoughtbox.operations import Prompt

NOTE = {"thoughtType": "note", "content": "x"}


@pytest.fixture
def workshop(start_agent: StartAgent) -> Agent:
    return start_agent(prelude=WORKSHOP)


def read(agent: Agent, uri: str) -> TextResourceContents:
    (contents,) = agent.run(lambda: agent.client.read_resource(uri)).contents
    assert isinstance(contents, TextResourceContents)
    assert contents.uri == uri
    return contents


def test_a_text_is_served_as_it_is(workshop: Agent):
    page = read(workshop, "thoughtbox://workshop")

    assert (page.text, page.mime_type) == ("# Workshop", "text/markdown")


def test_part_of_an_answer_is_a_resource_and_its_address_carries_several_arguments(workshop: Agent):
    page = read(workshop, "thoughtbox://workshop/stone%2Fmarble/chisel%20%C3%A4")
    assert (page.text, page.mime_type) == ("# chisel ä for stone/marble", "text/markdown")

    facts = read(workshop, "thoughtbox://workshop/stone/chisel/facts")
    assert json.loads(facts.text) == {"tag": "stone", "tool": "chisel"}
    assert facts.mime_type == "application/json"


def test_a_fixed_address_comes_before_one_with_arguments(workshop: Agent):
    assert read(workshop, "thoughtbox://workshop/wood/saw").text == "All of it."


@pytest.mark.parametrize(
    "uri", ["thoughtbox://workshop/stone", "thoughtbox://workshop/a/b/c", "thoughtbox://workshop/"]
)
def test_an_address_with_too_few_or_too_many_parts_is_none(workshop: Agent, uri: str):
    with pytest.raises(MCPError, match="there is no resource"):
        read(workshop, uri)


def test_lists_show_fixed_addresses_and_those_there_are_and_templates_the_rest(workshop: Agent):
    listed = {each.uri: each for each in workshop.run(lambda: workshop.client.list_resources()).resources}
    assert {"thoughtbox://workshop", "thoughtbox://workshop/wood/saw"} <= set(listed)
    assert listed["thoughtbox://workshop"].mime_type == "text/markdown"
    assert {"thoughtbox://story/s1", "thoughtbox://story/s2"} <= set(listed)

    templates = workshop.run(lambda: workshop.client.list_resource_templates()).resource_templates
    shown = {template.uri_template: template.mime_type for template in templates}
    assert shown["thoughtbox://workshop/{tag}/{tool}"] == "text/markdown"
    assert shown["thoughtbox://story/{sessionId}"] == "application/json"
    assert "thoughtbox://workshop" not in shown


@pytest.mark.doors(era="stateless", engine="sqlite", every=True)
def test_who_follows_a_resource_hears_when_the_stream_it_shows_grows(workshop: Agent):
    story, text = "thoughtbox://story/s1", "thoughtbox://workshop"

    async def first(changes: Any) -> Any:
        with anyio.fail_after(PATIENCE):
            return await anext(changes)

    with workshop.within(workshop.client.listen(resource_subscriptions=[text, story])) as changes:
        workshop.thought_record(sessionId="other", **NOTE)
        workshop.thought_record(sessionId="s1", **NOTE)

        assert workshop.run(lambda: first(changes)) == ResourceUpdated(uri=story)


def test_each_room_completes_its_own_arguments(workshop: Agent):
    workshop.thought_record(sessionId="of the trail", **NOTE)

    def complete(uri: str) -> list[str]:
        ref = ResourceTemplateReference(type="ref/resource", uri=uri)
        argument = CompletionArgument(name="sessionId", value="of")
        request = CompleteRequest(params=CompleteRequestParams(ref=ref, argument=argument))
        return workshop.run(lambda: workshop.client.session.send_request(request, CompleteResult)).completion.values

    assert complete("thoughtbox://story/{sessionId}") == ["of the workshop"]
    assert complete("thoughtbox://trail/{sessionId}") == ["of the trail"]


def test_a_prompt_may_have_arguments_that_can_be_left_out(workshop: Agent):
    listed = {prompt.name: prompt for prompt in workshop.run(lambda: workshop.client.list_prompts()).prompts}
    required = {argument.name: argument.required for argument in listed["make"].arguments or []}
    assert required == {"what": True, "from": False, "for": False}

    def text(**arguments: str) -> str:
        prompt: GetPromptResult = workshop.run(lambda: workshop.client.get_prompt("make", arguments))
        (message,) = prompt.messages
        assert isinstance(message.content, TextContent)
        return message.content.text

    given = {"from": "oak", "for": "Ada"}
    assert text(what="a chair", **given) == "Make a chair.\n\noak\n\nDone for Ada.\n"
    assert text(what="a chair") == "Make a chair.\n\nDone for .\n"
    with pytest.raises(MCPError, match="`what` is missing"):
        text(**given)
    with pytest.raises(MCPError, match="It takes what, from, for"):
        text(what="a chair", by="Bob")


@pytest.mark.parametrize(
    ("text", "given", "filled"),
    [
        ("a\n{{x}}\nb", {}, "a\nb"),
        ("a\n  {{x}} {{y}}\nb", {}, "a\nb"),
        ("a\n{{x}} {{y}}\nb", {"y": "Y"}, "a\n Y\nb"),
        ("a\n\n{{x}}\n\nb", {}, "a\n\nb"),
        ("a\n{{x}}", {}, "a\n"),
        ("{{x}}\nb", {}, "b"),
        ("a ({{x}})", {}, "a ()"),
        ("{{x}}", {"x": "1\n\n\n{{y}}"}, "1\n\n\n{{y}}"),
        ("{{z}}", {}, "{{z}}"),
    ],
)
def test_a_line_with_nothing_but_arguments_that_were_left_out_goes(text: str, given: dict[str, str], filled: str):
    prompt = Prompt(name="p", title="", description="", text=text, arguments={}, optional={"x": "", "y": ""})

    assert prompts.fill(prompt, prompts.check(prompt, given), None) == filled


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ({"task": "Fix", "limit": "the"}, {"task": "Fix the"}),
        ({"task": "Fix", "limit": "the", "notes": "cache"}, {"task": "Fix the cache"}),
        ({"task": "Fix", "limit": "3", "notes": "bugs"}, {"task": "Fix", "limit": "3", "notes": "bugs"}),
        ({"task": "Fix the cache", "limit": "ten"}, {"task": "Fix the cache", "limit": "ten"}),
        ({"task": "Fix", "limit": "as few as you can"}, {"task": "Fix", "limit": "as few as you can"}),
        ({"task": "Fix", "notes": "cache"}, {"task": "Fix", "notes": "cache"}),
        ({"task": "Fix", "limit": " "}, {"task": "Fix"}),
    ],
)
def test_a_line_that_was_split_at_blanks_is_one_text_again(given: dict[str, str], meant: dict[str, str]):
    prompt = Prompt(
        name="p",
        title="",
        description="",
        text="",
        arguments={"task": ""},
        optional={"limit": "", "notes": ""},
        shapes={"limit": "[0-9]+"},
    )

    assert prompts.check(prompt, given) == meant
