"""What a model sees before anything else: three tools, in few words, with examples that run as they stand."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from mcp_types import Tool

from tests.conftest import StartAgent
from tests.support.agent import Agent

DEFAULT = ["thoughtbox_gateway", "search", "execute"]
MOST_CHARACTERS = 4_000
LONGEST_DESCRIPTION = 1_200

everywhere = pytest.mark.doors(engine="sqlite", every=True)


def in_json(tools: list[Tool]) -> str:
    """The list as it stands on the wire."""
    shown = [tool.model_dump(by_alias=True, exclude_unset=True, mode="json") for tool in tools]
    return json.dumps(shown, ensure_ascii=False, separators=(",", ":"))


def step(agent: Agent, operation: str, **arguments: Any) -> dict[str, Any]:
    return agent.call("thoughtbox_gateway", {"operation": operation, **arguments})


def description(agent: Agent, name: str) -> str:
    return next(tool.description or "" for tool in agent.list_tools() if tool.name == name)


def example_in(text: str) -> str:
    """The lines of a description that are nothing but code."""
    lines = [
        line for line in text.splitlines() if re.fullmatch(r"(const \w+ = )?(tb|catalog)\.[\w.]+\(.*\)|c\.id", line)
    ]
    assert "\n".join(lines) in text, "the example stands in one piece"
    return "\n".join(lines)


@everywhere
def test_the_default_toolset_is_three_tools_within_four_thousand_characters_at_every_stage(start_agent: StartAgent):
    agent = start_agent()

    def is_short() -> bool:
        tools = agent.list_tools()
        assert [tool.name for tool in tools] == DEFAULT
        return len(in_json(tools)) <= MOST_CHARACTERS

    assert is_short()
    session = step(agent, "start_new", sessionTitle="Slow pages")["sessionId"]
    assert is_short(), "once there is a session"
    step(agent, "cipher", sessionId=session)
    assert is_short(), "once the notation is known"
    step(agent, "navigate", domain="debugging", sessionId=session)
    assert is_short(), "once there is a domain"
    agent.execute(code="tb.claim('x')", language="javascript")
    assert is_short(), "once a snippet was run"


@everywhere
@pytest.mark.sampled(2)
def test_search_and_execute_are_described_briefly_with_an_example_that_runs_as_it_stands(start_agent: StartAgent):
    agent = start_agent()
    described = {name: description(agent, name) for name in ("search", "execute")}

    assert all(len(text) <= LONGEST_DESCRIPTION for text in described.values())
    found = agent.search(code=example_in(described["search"]))
    done = agent.execute(code=example_in(described["execute"]))

    assert found["language"] == done["language"] == "javascript"
    assert len(found["result"]) > 3
    assert all(signature.startswith("tb.mind.") for signature in found["result"])
    assert [record["kind"] for record in done["records"]] == ["question", "claim", "evidence"]
    assert done["result"] == done["records"][1]["id"]


@pytest.mark.doors(engine="sqlite")
def test_what_execute_says_of_python_and_of_every_builder_holds(start_agent: StartAgent):
    agent = start_agent()
    text = description(agent, "execute")
    (in_python,) = re.findall(r"Python: (tb\..*?\));", text)
    named = re.search(r"Relations: ([\w ]+)", text)
    assert named
    relations = named[1].split()
    options = ", ".join(f"{relation}: [q]" for relation in relations)
    builders = (
        "const q = tb.question('q');"
        "[tb.evidence('e', {sourceUrl: 'u'}), tb.plan('p', {steps: ['a']}), tb.observation('o', {context: 'c'}),"
        " tb.decision('d', {alternativesConsidered: ['b']}), tb.revision('r', {replacesId: q}),"
        f" tb.claim('c', {{confidence: 0.8, {options}}})].map(each => each.kind)"
    )

    said = agent.execute(code=f'q = tb.question("q")\n{in_python}.kind')
    written = agent.execute(code=builders)

    assert (said["language"], said["result"]) == ("python", "claim")
    assert written["result"] == ["evidence", "plan", "observation", "decision", "revision", "claim"]
    record = agent.ledger_record(id=written["records"][-1]["id"])["record"]
    assert {each["type"] for each in record["attrs"]["relations"]} == set(relations)
    assert len(relations) == 8


@pytest.mark.doors(engine="sqlite")
def test_search_answers_plain_words_with_what_can_be_called_as_it_is_told(start_agent: StartAgent):
    agent = start_agent()

    found = agent.search(query="make a branch", limit=5)["result"]

    branch = next(each for each in found if each["name"] == "mind.branch_create")
    assert branch["signature"].startswith("tb.mind.branch_create({")
    made = agent.execute(code="tb.mind.branch_create({name: 'other'})", language="javascript")
    assert made["records"]
