"""What agents read and start from: resources, prompts, and the values that complete an argument."""

from __future__ import annotations

import json
import re

import pytest

from tests.support.box import Box
from tests.support.thinker import Client
from thoughtbox.domains.thoughts.content.mental_models import models
from thoughtbox.operations.registry import TABLE, Prompt

STATIC = {
    "thoughtbox://init": "text/markdown",
    "thoughtbox://architecture": "text/markdown",
    "thoughtbox://cipher": "text/markdown",
    "thoughtbox://patterns-cookbook": "text/markdown",
    "thoughtbox://session-analysis-guide": "text/markdown",
    "thoughtbox://mental-models": "application/json",
    "thoughtbox://mental-models/{tag}/{model}": "text/markdown",
}
"""The table of the document."""

PROMPTS = {"list_mcp_assets", "interleaved-thinking", "subagent-summarize", "evolution-check"}


def texts() -> dict[str, str]:
    """All that is written for agents to read, by its name."""
    resources = [resource for resource in TABLE.resources.values() if resource.room == "thoughts"]
    read = {resource.uri: resource.text for resource in resources if resource.text is not None}
    return {**read, **{prompt.name: prompt.text for prompt in prompts()}}


def prompts() -> list[Prompt]:
    return [prompt for prompt in TABLE.prompts.values() if prompt.room == "thoughts"]


def completed(client: Client, argument: str, typed: str, limit: int = 100) -> list[str]:
    complete = TABLE.completions["thoughts", argument]
    return client.box.app.dispatcher.ask(
        client.workspace, client.caller, lambda tx: complete(tx, typed, limit)
    ).result()


def test_the_seven_resources_of_the_document_are_there():
    assert {uri: TABLE.resources[uri].mime for uri in STATIC} == STATIC


def test_sessions_and_thoughts_are_resources_too():
    assert TABLE.resources["thoughtbox://session/{sessionId}"].operation == "session.get"
    assert TABLE.resources["thoughtbox://thought/{id}"].operation == "get_thought"


def test_the_directory_of_mental_models_leads_to_every_page(tom: Client):
    directory = json.loads(str(TABLE.resources["thoughtbox://mental-models"].text))

    uris = re.findall(r"thoughtbox://mental-models/([a-z-]+)/([a-z-]+)", json.dumps(directory))
    assert sorted(uris) == sorted((tag, model.name) for model in models().values() for tag in model.tags)
    for tag, model in uris:
        assert tom.call("mental_models.page", tag=tag, model=model)["name"] == model


def test_the_four_prompts_of_the_document_are_there():
    assert {prompt.name for prompt in prompts()} == PROMPTS


@pytest.mark.parametrize("name", sorted(PROMPTS))
def test_a_prompt_uses_every_argument_it_asks_for_and_no_other(name: str):
    prompt = TABLE.prompts[name]

    assert set(re.findall(r"{{(\w+)}}", prompt.text)) == {*prompt.arguments, *prompt.optional}
    assert all({**prompt.arguments, **prompt.optional}.values())


@pytest.mark.parametrize("name", sorted(texts()))
def test_what_agents_read_is_short(name: str):
    longest = 3_000 if name == "thoughtbox://mental-models" else 1_200

    assert 50 < len(texts()[name].split()) <= longest


@pytest.mark.parametrize("name", sorted(texts()))
def test_every_call_that_agents_are_shown_can_be_made(name: str):
    shown = re.findall(r'"operation": ?"([a-z_.]+)"(?:, ?"subOperation": ?"([a-z_]+)")?', texts()[name])

    for operation, sub in shown:
        TABLE.find(f"{operation}.{sub}" if sub else operation)


@pytest.mark.parametrize("name", sorted(texts()))
def test_every_resource_that_agents_are_shown_is_there(name: str):
    known = [re.sub(r"{\w+}", "[^/ ]+", uri) for uri in TABLE.resources]

    for uri in re.findall(r"thoughtbox://[\w/{}-]+(?:\.\w+)*", texts()[name]):
        assert any(re.fullmatch(pattern, uri) for pattern in known), uri


def test_sessions_are_completed_by_the_beginning_of_their_ids(box: Box):
    mia = Client(box)
    ids = sorted(mia.start_new()["sessionId"] for _ in range(5))

    assert completed(mia, "sessionId", "") == ids
    assert completed(mia, "sessionId", ids[2][:8]) == [ids[2]]
    assert completed(mia, "sessionId", "", 2) == ids[:2]
    assert completed(mia, "sessionId", "no such") == []
    assert completed(Client(box, workspace="other"), "sessionId", "") == []


def test_tags_are_completed_by_those_of_models_and_of_sessions(box: Box):
    mia = Client(box)
    mia.start_new(sessionTags=["planetary", "web"])

    assert completed(mia, "tag", "plan") == ["planning", "planetary"]
    assert completed(mia, "tag", "we") == ["web"]


@pytest.mark.parametrize("argument", ["model", "modelId"])
def test_models_are_completed_by_their_names(tom: Client, argument: str):
    assert completed(tom, argument, "a") == ["abstraction-laddering", "adversarial-thinking", "assumption-surfacing"]


def test_patterns_and_notes_are_completed_by_their_ids(mia: Client):
    mia.call("knowledge.create_pattern", title="Plan first", description="d", content="c")
    mia.call("knowledge.create_pattern", title="Plan twice", description="d", content="c")
    mia.call("knowledge.write_note", title="Plans", content="c")
    mia.call("knowledge.delete_pattern", patternId="plan-twice")

    assert completed(mia, "patternId", "pl") == ["plan-first"]
    assert completed(mia, "noteId", "pl") == ["plans"]
