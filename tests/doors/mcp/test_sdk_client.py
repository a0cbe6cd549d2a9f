"""The SDK's own client, in every mode it has, over both transports; and every revision and method that it knows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp_types import METHOD_NOT_FOUND, PromptReference, TextContent
from mcp_types.methods import CLIENT_REQUESTS
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, KNOWN_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS

from tests.doors.mcp.conftest import StartHttp, StartStdio
from tests.support.client_messages import framed, in_era, requests
from tests.support.forked_stdio import forked_stdio
from tests.support.forks import PATIENCE
from tests.support.servers import ENVELOPE, INITIALIZE, SERVE, environment
from tests.support.tapped_http import tapped_http

MODES = {
    "legacy": HANDSHAKE_PROTOCOL_VERSIONS[-1],
    **{version: version for version in MODERN_PROTOCOL_VERSIONS},
    "auto": MODERN_PROTOCOL_VERSIONS[-1],
}
"""By mode, the revision that it comes to."""

THOUGHT = {"sessionId": "s1", "thoughtType": "note", "content": "Where it all begins."}


@pytest.fixture(params=["stdio", "http"])
def transport(request: pytest.FixtureRequest, start_http: StartHttp, tmp_path: Path) -> Any:
    if request.param == "http":
        return tapped_http(start_http().url)
    return forked_stdio([*SERVE, "stdio"], environment(tmp_path))


@pytest.mark.parametrize("mode", MODES)
def test_the_sdks_client_is_served_in_every_mode(transport: Any, mode: str):
    async def story() -> None:
        async with Client(transport, mode=mode) as client:
            assert client.protocol_version == MODES[mode]
            if client.server_info is not None:  # who names a revision asks for nothing else
                assert client.server_info.name == "thoughtbox"
            assert "thoughtbox_gateway" in [tool.name for tool in (await client.list_tools()).tools]
            recorded = await client.call_tool("thought_record", THOUGHT)
            assert recorded.structured_content
            assert not recorded.is_error
            refused = await client.call_tool("thought_tree", {"sessionId": "nobody's"})
            assert refused.is_error
            with pytest.raises(MCPError):
                await client.call_tool("no_such_tool", {})
            assert (await client.list_resource_templates()).resource_templates
            listed = [str(resource.uri) for resource in (await client.list_resources()).resources]
            assert "thoughtbox://trail/s1" in listed
            assert (await client.read_resource("thoughtbox://trail/s1")).contents
            [prompt] = [each for each in (await client.list_prompts()).prompts if each.name == "explain_action"]
            message = (await client.get_prompt("think_in_the_open", {"task": "Count."})).messages[0]
            assert isinstance(message.content, TextContent)
            found = await client.complete(
                PromptReference(type="ref/prompt", name=prompt.name), {"name": "actionId", "value": ""}
            )
            assert found.completion.values == []
            if mode != "legacy":
                await listens(client)

    anyio.run(story)


async def listens(client: Client) -> None:
    async with client.listen(resource_subscriptions=["thoughtbox://trail/s1"]) as changes:
        await client.call_tool("thought_record", THOUGHT)
        with anyio.fail_after(PATIENCE):
            async for change in changes:
                assert "trail/s1" in str(change)
                break


@pytest.mark.parametrize("revision", KNOWN_PROTOCOL_VERSIONS)
def test_every_revision_that_the_sdk_knows_is_served_with_all_its_methods(start_stdio: StartStdio, revision: str):
    """A new revision announces itself here, when a newer SDK knows it."""
    server = start_stdio()
    era = "handshake" if revision in HANDSHAKE_PROTOCOL_VERSIONS else "stateless"
    if era == "handshake":
        told = server.ask("initialize", {**INITIALIZE, "protocolVersion": revision})["result"]
        assert told["protocolVersion"] == revision
        server.notify("notifications/initialized")
    else:
        server.envelope = {**ENVELOPE, "io.modelcontextprotocol/protocolVersion": revision}
        assert revision in server.ask("server/discover")["result"]["supportedVersions"]

    known = dict(requests(era))
    methods = {method for method, version in CLIENT_REQUESTS if version == revision}
    assert methods - known.keys() == set(), "nobody has said how these are asked"
    for method in sorted(methods - {"initialize", "subscriptions/listen"}):
        server.send(framed(method, method, in_era(era, known[method])))
        [answer] = server.answers({method})
        assert answer.get("error", {}).get("code") != METHOD_NOT_FOUND, method
