"""A client hears of what changes, in both eras, whoever wrote it."""

from __future__ import annotations

import queue
import time
from typing import Any

import anyio
import pytest
from mcp.client.subscriptions import ResourcesListChanged, ResourceUpdated, ServerEvent, Subscription
from mcp_types import (
    EmptyResult,
    ResourceListChangedNotification,
    ResourceUpdatedNotification,
    SubscribeRequest,
    SubscribeRequestParams,
    UnsubscribeRequest,
    UnsubscribeRequestParams,
)

from tests.support.agent import Agent, Doors
from tests.support.servers import PATIENCE
from thoughtbox.operations.dispatch import Call


def record_elsewhere(doors: Doors, agent: Agent, session: str) -> None:
    call_elsewhere(doors, agent, "thought_record", sessionId=session, thoughtType="note", content="x")


def call_elsewhere(doors: Doors, agent: Agent, operation: str, **arguments: Any) -> dict[str, Any]:
    """Another process writes into the workspace that the server itself belongs to."""
    call = Call(operation=operation, workspace=agent.settings.project, arguments=arguments)
    return doors.other_process(agent.door.engine).dispatcher.call(call)


def hears(agent: Agent, kind: Any, uri: str | None = None) -> bool:
    """Whether such a notification comes; others on the way are passed over."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        try:
            message = agent.heard.get(timeout=1)
        except queue.Empty:
            continue
        if isinstance(message, kind) and (uri is None or message.params.uri == uri):
            return True
    return False


def next_event(agent: Agent, changes: Subscription) -> ServerEvent:
    async def wait() -> ServerEvent:
        with anyio.fail_after(PATIENCE):
            return await anext(changes)

    return agent.run(wait)


@pytest.mark.doors(era="handshake", engine="sqlite", every=True)
def test_a_session_that_another_process_began_is_a_changed_list(agent: Agent, doors: Doors):
    record_elsewhere(doors, agent, f"new for {agent.workspace}")

    assert hears(agent, ResourceListChangedNotification)


@pytest.mark.doors(era="handshake", engine="postgres")
def test_a_session_that_another_server_of_the_team_began_is_a_changed_list(agent: Agent, doors: Doors):
    record_elsewhere(doors, agent, f"new for {agent.workspace}")

    assert hears(agent, ResourceListChangedNotification)


@pytest.mark.doors(era="stateless", engine="sqlite", every=True)
def test_a_stateless_client_hears_of_it_on_the_stream_it_opened(agent: Agent, doors: Doors):
    with agent.within(agent.client.listen(resources_list_changed=True)) as changes:
        record_elsewhere(doors, agent, f"new for {agent.workspace}")

        assert next_event(agent, changes) == ResourcesListChanged()


@pytest.mark.doors(era="stateless", engine="postgres")
def test_a_stateless_client_of_a_team_server_hears_of_it_too(agent: Agent, doors: Doors):
    with agent.within(agent.client.listen(resources_list_changed=True)) as changes:
        record_elsewhere(doors, agent, f"new for {agent.workspace}")

        assert next_event(agent, changes) == ResourcesListChanged()


@pytest.mark.doors(era="handshake", engine="sqlite", every=True)
def test_who_subscribed_to_a_session_hears_when_it_grows_and_not_when_others_do(agent: Agent, doors: Doors):
    mine, other = f"mine {agent.workspace}", f"other {agent.workspace}"
    record_elsewhere(doors, agent, mine)
    uri = f"thoughtbox://trail/{mine.replace(' ', '%20')}"
    ask(agent, SubscribeRequest(params=SubscribeRequestParams(uri=uri)))

    record_elsewhere(doors, agent, other)
    assert hears(agent, ResourceListChangedNotification)
    record_elsewhere(doors, agent, mine)
    assert hears(agent, ResourceUpdatedNotification, uri)

    ask(agent, UnsubscribeRequest(params=UnsubscribeRequestParams(uri=uri)))
    record_elsewhere(doors, agent, mine)
    record_elsewhere(doors, agent, f"and another {agent.workspace}")
    assert hears(agent, ResourceListChangedNotification)
    assert not [message for message in drained(agent) if isinstance(message, ResourceUpdatedNotification)]


@pytest.mark.doors(era="stateless", engine="sqlite", every=True)
def test_a_stateless_client_can_follow_a_session_and_the_ledger(agent: Agent, doors: Doors):
    mine = f"mine-{agent.workspace}"
    trail, status = f"thoughtbox://trail/{mine}", "thoughtbox://ledger/status"
    with (
        agent.within(agent.client.listen(resource_subscriptions=[trail])) as growing,
        agent.within(agent.client.listen(resource_subscriptions=[status])) as any_write,
    ):
        record_elsewhere(doors, agent, f"other-{agent.workspace}")
        assert next_event(agent, any_write) == ResourceUpdated(uri=status)

        record_elsewhere(doors, agent, mine)
        assert next_event(agent, growing) == ResourceUpdated(uri=trail)


@pytest.mark.doors(era="stateless", engine="sqlite")
def test_a_session_of_thought_is_followed_like_one_of_the_trail(agent: Agent, doors: Doors):
    with agent.within(agent.client.listen(resources_list_changed=True)) as lists:
        mine = call_elsewhere(doors, agent, "start_new", sessionTitle="mine")["sessionId"]
        assert next_event(agent, lists) == ResourcesListChanged()
    other = call_elsewhere(doors, agent, "start_new", sessionTitle="other")["sessionId"]
    uri = f"thoughtbox://session/{mine}"

    with agent.within(agent.client.listen(resource_subscriptions=[uri, f"thoughtbox://session/{other}x"])) as growing:
        call_elsewhere(doors, agent, "cipher", sessionId=other)
        call_elsewhere(doors, agent, "cipher", sessionId=mine)
        assert next_event(agent, growing) == ResourceUpdated(uri=uri)


def test_the_server_says_that_its_lists_may_change(agent: Agent):
    capabilities = agent.client.server_capabilities

    for offered in (capabilities.tools, capabilities.resources, capabilities.prompts):
        assert offered
        assert offered.list_changed
    assert capabilities.resources
    assert capabilities.resources.subscribe
    assert capabilities.completions is not None


def ask(agent: Agent, request: SubscribeRequest | UnsubscribeRequest) -> None:
    """The SDK calls these deprecated: the newest revision has `listen` in their place."""
    agent.run(lambda: agent.client.session.send_request(request, EmptyResult))


def drained(agent: Agent) -> list[Any]:
    return [agent.heard.get() for _ in range(agent.heard.qsize())]
