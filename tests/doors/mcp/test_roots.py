"""A client that tells its root directories is asked for them, in both eras, when an operation needs them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp_types import CallToolResult, ErrorData, InputRequiredResult, ListRootsRequest, ListRootsResult, Root
from pydantic import FileUrl

from tests.conftest import StartAgent
from tests.support.agent import Agent, ToolFailed
from tests.support.servers import soon

everywhere = pytest.mark.doors(engine="sqlite", every=True)
connected = pytest.mark.doors(era="handshake", engine="sqlite", every=True)
stateless = pytest.mark.doors(era="stateless", engine="sqlite", every=True)

NO_PATIENCE = "from thoughtbox.doors.mcp import client_requests; client_requests.ROOTS_SECONDS = 0.2"

Told = ListRootsResult | ErrorData


class Directories:
    """What a client says when it is asked for its roots, and how often it was."""

    def __init__(self, told: Told | Callable[[], Awaitable[Told]]) -> None:
        self.asked = 0
        self._told = told

    async def __call__(self, context: Any) -> Told:
        self.asked += 1
        return self._told if isinstance(self._told, Told) else await self._told()


def roots(*uris: str, name: str | None = None) -> ListRootsResult:
    return ListRootsResult(roots=[Root(uri=FileUrl(uri), name=name) for uri in uris])


@everywhere
def test_roots_are_asked_for_when_an_operation_needs_them(start_agent: StartAgent):
    directories = Directories(roots("file:///home/me/shop", "file:///home/me/site"))
    agent = start_agent(client={"list_roots_callback": directories})
    session = agent.start_new(sessionTitle="Slow pages")["sessionId"]
    assert directories.asked == 0

    listed = agent.call("thoughtbox_gateway", {"operation": "list_roots"})
    assert listed["supported"]
    assert [root["uri"] for root in listed["roots"]] == ["file:///home/me/shop", "file:///home/me/site"]
    assert directories.asked == 1

    bound = agent.bind_root(rootUri="file:///home/me/shop", sessionId=session)
    assert bound["project"] == "shop"
    assert directories.asked == 2
    assert agent.get_state(sessionId=session)["navigation"]["root"] == "file:///home/me/shop"

    with pytest.raises(ToolFailed, match="none of the client's roots"):
        agent.bind_root(rootUri="file:///etc", sessionId=session)


@everywhere
def test_a_client_without_roots_is_not_asked(agent: Agent):
    assert agent.list_roots()["supported"] is False
    with pytest.raises(ToolFailed) as failure:
        agent.bind_root(rootUri="file:///home/me/shop")
    assert failure.value.code == "INVALID_OPERATION"


@connected
def test_a_client_that_cannot_tell_its_roots_counts_as_one_without(start_agent: StartAgent, tmp_path: Path):
    directories = Directories(ErrorData(code=-32603, message="no idea"))
    agent = start_agent(client={"list_roots_callback": directories})

    assert agent.list_roots()["supported"] is False
    assert directories.asked == 1
    soon(lambda: "did not tell them: no idea" in (tmp_path / "stderr.txt").read_text(encoding="utf-8"))


@connected
def test_a_client_that_takes_too_long_counts_as_one_without(start_agent: StartAgent):
    async def never() -> Told:
        await anyio.sleep_forever()
        raise AssertionError

    agent = start_agent(prelude=NO_PATIENCE, client={"list_roots_callback": Directories(never)})

    assert agent.list_roots()["supported"] is False
    assert agent.get_state()["stage"] == 0


@connected
def test_what_is_sent_behind_a_call_that_asks_for_the_roots_comes_after_it(start_agent: StartAgent):
    asked, sent = anyio.Event(), anyio.Event()

    async def in_a_while() -> Told:
        asked.set()
        await sent.wait()
        return roots("file:///home/me/shop")

    agent = start_agent(client={"list_roots_callback": Directories(in_a_while)})

    states: list[CallToolResult] = []

    async def look() -> None:
        states.append(await agent.client.call_tool("get_state", {}))

    async def both() -> None:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(agent.client.call_tool, "bind_root", {"rootUri": "file:///home/me/shop"})
            await asked.wait()
            tasks.start_soon(look)
            await anyio.wait_all_tasks_blocked()
            sent.set()

    agent.run(both)

    assert states[0].structured_content
    assert states[0].structured_content["navigation"]["project"] == "shop"


@stateless
def test_a_stateless_call_that_comes_again_without_the_roots_counts_as_one_of_a_client_without(start_agent: StartAgent):
    agent = start_agent(client={"list_roots_callback": Directories(roots("file:///home/me/shop"))})

    async def asked() -> Any:
        return await agent.client.session.call_tool("list_roots", {}, allow_input_required=True)

    first = agent.run(asked)
    assert isinstance(first, InputRequiredResult)
    assert [type(request) for request in (first.input_requests or {}).values()] == [ListRootsRequest]

    async def again() -> Any:
        return await agent.client.session.call_tool(
            "list_roots", {}, request_state=first.request_state, allow_input_required=True
        )

    result = agent.run(again)
    assert result.structured_content["supported"] is False


@everywhere
def test_what_a_client_tells_is_bounded_and_cleaned(start_agent: StartAgent):
    many = [f"file:///home/me/{number}" for number in range(150)]
    told = roots(f"file:///{'x' * 2_000}", *many, name=f"the\0 shop\n{'x' * 300}")
    agent = start_agent(client={"list_roots_callback": Directories(told)})

    listed = agent.list_roots()["roots"]

    assert [root["uri"] for root in listed] == many[:100]
    assert {root["name"] for root in listed} == {f"the shop{'x' * 192}"}
