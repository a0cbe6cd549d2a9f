"""A client that gets further is shown other tools, and told so; nobody else is."""

from __future__ import annotations

import queue
import time
from typing import Any

import anyio
import pytest
from mcp.client.subscriptions import ToolsListChanged
from mcp_types import ToolListChangedNotification

from tests.conftest import StartAgent
from tests.doors.mcp.conftest import StartStdio
from tests.support.agent import Agent, Doors
from tests.support.servers import PATIENCE

connected = pytest.mark.doors(era="handshake", engine="sqlite", every=True)
stateless = pytest.mark.doors(era="stateless", engine="sqlite", every=True)


def step(agent: Agent, operation: str, **arguments: Any) -> dict[str, Any]:
    return agent.call("thoughtbox_gateway", {"operation": operation, **arguments})


def description(agent: Agent) -> str:
    return agent.list_tools()[0].description or ""


def hears_of_tools(agent: Agent) -> bool:
    """Whether the client is told of a changed list of tools; other news on the way is passed over."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        try:
            if isinstance(agent.heard.get(timeout=0.5), ToolListChangedNotification):
                return True
        except queue.Empty:
            continue
    return False


def told_so_far(agent: Agent) -> int:
    """How often the client was told that its tools have changed, since it was last looked."""
    agent.ledger_status()  # over stdio, what was sent before this answer has arrived with it
    messages = [agent.heard.get() for _ in range(agent.heard.qsize())]
    return sum(isinstance(message, ToolListChangedNotification) for message in messages)


@connected
def test_the_gateway_is_described_as_the_clients_stage_wants_it_and_the_client_hears_of_it(start_agent: StartAgent):
    agent = start_agent()
    assert "Begin: start_new" in description(agent)

    step(agent, "start_new", sessionTitle="Slow pages")
    assert hears_of_tools(agent)
    assert "Next: cipher" in description(agent)

    step(agent, "cipher")
    assert hears_of_tools(agent)
    assert "All is open" in description(agent)

    step(agent, "navigate", domain="debugging")
    assert hears_of_tools(agent)
    assert "your domain" in description(agent)

    step(agent, "load_context", sessionId=step(agent, "session.list")["sessions"][0]["id"])
    step(agent, "thought", thought="still there")
    assert told_so_far(agent) == 0, "nothing has changed since"


@connected
def test_another_session_takes_the_client_back_to_the_first_stage_and_it_hears_of_that_too(start_agent: StartAgent):
    agent = start_agent()
    first = step(agent, "start_new", sessionTitle="Slow pages")["sessionId"]
    step(agent, "start_new", sessionTitle="Slow builds")
    step(agent, "cipher")
    assert hears_of_tools(agent)
    assert hears_of_tools(agent)

    step(agent, "load_context", sessionId=first)

    assert hears_of_tools(agent)
    assert "Next: cipher" in description(agent)


@connected
def test_a_call_that_fails_changes_nothing(start_agent: StartAgent):
    agent = start_agent()

    assert agent.raw_call("thoughtbox_gateway", {"operation": "cipher"}).is_error
    assert agent.raw_call("thoughtbox_gateway", {"operation": "load_context", "sessionId": "nobody"}).is_error

    assert "Begin: start_new" in description(agent)
    assert told_so_far(agent) == 0


@pytest.mark.doors(transport="http", era="handshake", engine="sqlite")
def test_two_clients_of_one_server_never_see_each_others_stage(start_agent: StartAgent, doors: Doors):
    agent = start_agent()
    with doors.beside(agent) as other:
        session = step(agent, "start_new", sessionTitle="Slow pages")["sessionId"]
        step(agent, "cipher")
        assert hears_of_tools(agent)

        assert step(agent, "get_state")["stage"] == 2
        assert step(other, "get_state")["stage"] == 0
        assert "All is open" in description(agent)
        assert "Begin: start_new" in description(other)
        refused = other.raw_call("thoughtbox_gateway", {"operation": "thought", "thought": "x"}).structured_content
        assert refused
        assert refused["code"] == "STAGE_REQUIREMENT_NOT_MET"
        assert told_so_far(other) == 0

        step(other, "start_new", sessionTitle="Slow builds")
        assert step(agent, "thought", thought="mine")["sessionId"] == session
        assert step(other, "get_state")["session"]["title"] == "Slow builds"


@pytest.mark.doors(transport="http", era="handshake", engine="sqlite")
def test_a_client_that_comes_back_begins_anew(start_agent: StartAgent, doors: Doors):
    agent = start_agent()
    with doors.beside(agent) as other:
        step(other, "start_new", sessionTitle="Slow pages")
        assert step(other, "get_state")["stage"] == 1

    with doors.beside(agent) as other:
        assert step(other, "get_state")["stage"] == 0


@connected
def test_where_a_client_stands_is_another_matter_in_every_workspace(agent: Agent):
    step(agent, "start_new", sessionTitle="Slow pages")
    elsewhere = {"thoughtbox/workspace": f"{agent.workspace}-b"}

    state = agent.raw_call("thoughtbox_gateway", {"operation": "get_state"}, **elsewhere).structured_content

    assert state
    assert state["stage"] == 0
    assert step(agent, "get_state")["stage"] == 1


@connected
def test_a_client_in_very_many_workspaces_is_remembered_where_it_was_last(agent: Agent):
    step(agent, "start_new", sessionTitle="Slow pages")
    for number in range(150):
        place = {"thoughtbox/workspace": f"{agent.workspace}-{number}"}
        agent.raw_call("thoughtbox_gateway", {"operation": "get_state"}, **place)
        if number % 50 == 0:
            assert step(agent, "get_state")["stage"] == 1

    assert step(agent, "get_state")["stage"] == 1


@pytest.mark.doors(transport="http", era="stateless")
def test_of_a_stateless_client_over_http_nothing_is_remembered(start_agent: StartAgent):
    agent = start_agent()
    session = step(agent, "start_new", sessionTitle="Slow pages")["sessionId"]
    step(agent, "cipher", sessionId=session)

    assert step(agent, "get_state")["stage"] == 0
    assert step(agent, "get_state", sessionId=session)["stage"] == 2
    assert step(agent, "thought", sessionId=session, thought="named")["thoughtNumber"] == 1
    assert "Send sessionId every time" in description(agent)


@pytest.mark.doors(transport="stdio", era="stateless")
def test_over_stdio_a_client_is_remembered_in_the_newest_revision_too(start_agent: StartAgent):
    agent = start_agent()
    session = step(agent, "start_new", sessionTitle="Slow pages")["sessionId"]

    assert step(agent, "get_state")["session"]["id"] == session
    assert step(agent, "cipher")["stage"] == 2
    assert step(agent, "thought", thought="S1|O|unnamed")["sessionId"] == session


@pytest.mark.doors(transport="stdio", era="stateless")
def test_in_the_newest_revision_a_new_stage_is_heard_of_on_the_stream_that_was_opened(start_agent: StartAgent):
    agent = start_agent()
    with agent.within(agent.client.listen(tools_list_changed=True)) as tools:
        step(agent, "start_new", sessionTitle="Slow pages")

        async def first() -> Any:
            with anyio.fail_after(PATIENCE):
                return await anext(tools)

        assert agent.run(first) == ToolsListChanged()


@connected
def test_where_the_list_is_the_same_at_every_stage_nobody_is_told(start_agent: StartAgent):
    agent = start_agent(THOUGHTBOX_TOOLSET="trail")

    step(agent, "start_new", sessionTitle="Slow pages")
    step(agent, "cipher")

    assert told_so_far(agent) == 0


def test_the_answer_comes_before_the_news_and_many_calls_make_one_news_of_one_change(start_stdio: StartStdio):
    server = start_stdio()
    server.initialize()
    for operation in ("start_new", "cipher", *["get_state"] * 20):
        server.request("tools/call", {"name": "thoughtbox_gateway", "arguments": {"operation": operation}})
    server.close_stdin()

    came = server.rest()

    told = [place for place, message in enumerate(came) if message.get("method") == "notifications/tools/list_changed"]
    assert 1 <= len(told) <= 2, "there were two stages to reach"
    assert "id" in came[0]
