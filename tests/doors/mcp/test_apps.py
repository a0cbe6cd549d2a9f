"""The app: a page of ours that a host shows beside what tools answer, and what everybody else sees of it: nothing."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from mcp.client.extension import advertise
from mcp.server.apps import APP_MIME_TYPE, EXTENSION_ID
from mcp_types import TextContent, TextResourceContents
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, KNOWN_PROTOCOL_VERSIONS

from tests.conftest import StartAgent
from tests.doors.mcp.conftest import StartHttp, StartStdio
from tests.doors.mcp.test_core import Talk
from tests.support.agent import Agent
from tests.support.box import Box, settings_for
from tests.support.clients import CLIENTS, program
from tests.support.servers import ENVELOPE, INITIALIZE, HttpServer
from thoughtbox import domains
from thoughtbox.app import Thoughtbox
from thoughtbox.doors.mcp import apps
from thoughtbox.engine.read_only import ReadOnlySqlite, readable
from thoughtbox.operations.registry import TABLE

GATEWAY = "thoughtbox_gateway"
URI = "ui://thoughtbox/session"
LINK = {"ui": {"resourceUri": URI}}
PAGE = "<!doctype html><title>Sitzung ∴</title>"
HOST = {"extensions": [advertise(EXTENSION_ID, {"mimeTypes": [APP_MIME_TYPE]})]}
"""What a client of the SDK is told to say of itself, if it can show apps."""

SCHEMA = CLIENTS.parent / "@modelcontextprotocol" / "ext-apps" / "dist" / "src" / "generated" / "schema.json"

Ask = Callable[..., dict[str, Any]]
"""Sends a request and returns the result: `ask("resources/read", uri=URI)`."""

everywhere = pytest.mark.doors(engine="sqlite", every=True)


def built(page: Path) -> str:
    """Has a server find its page in this file."""
    return (
        "from pathlib import Path\n"
        "from thoughtbox.doors.mcp.apps import APPS\n"
        f"APPS['session'] = APPS['session']._replace(page=Path({str(page)!r}))\n"
    )


def read(agent: Agent, uri: str = URI) -> TextResourceContents:
    (page,) = agent.run(lambda: agent.client.read_resource(uri, cache_mode="bypass")).contents
    assert isinstance(page, TextResourceContents)
    assert page.uri == uri
    return page


def linked(agent: Agent) -> dict[str, Any]:
    """The tools that lead somewhere, and where to."""
    return {tool.name: tool.meta for tool in agent.list_tools() if tool.meta is not None}


@everywhere
def test_a_host_finds_the_page_by_the_tool_and_reads_it_as_it_is_now(start_agent: StartAgent, tmp_path: Path):
    page = tmp_path / "app.html"
    page.write_text(PAGE, encoding="utf-8")
    host = start_agent(prelude=built(page), client=HOST)

    uri = linked(host)[GATEWAY]["ui"]["resourceUri"]
    resources = host.run(lambda: host.client.list_resources()).resources
    (listed,) = [each for each in resources if each.uri == uri]
    found = read(host, uri)

    assert listed.uri.startswith("ui://")
    assert listed.name
    assert listed.title
    assert listed.description
    assert (listed.mime_type, found.mime_type) == (APP_MIME_TYPE, APP_MIME_TYPE)
    assert listed.meta == found.meta
    assert found.text == PAGE
    page.write_text("<!doctype html><title>Built anew</title>", encoding="utf-8")
    assert "Built anew" in read(host).text


@everywhere
def test_the_page_may_reach_no_place_at_all(start_agent: StartAgent):
    meta = read(start_agent(client=HOST)).meta

    assert meta is not None
    assert meta["ui"]["prefersBorder"] is True
    assert set(meta["ui"]["csp"]) == {"connectDomains", "resourceDomains", "frameDomains", "baseUriDomains"}
    assert not any(meta["ui"]["csp"].values())
    assert "permissions" not in meta["ui"]


def test_where_nothing_was_built_the_page_says_so_and_how_to_build_it(start_agent: StartAgent, tmp_path: Path):
    found = read(start_agent(prelude=built(tmp_path / "page" / "app.html"), client=HOST))

    assert found.mime_type == APP_MIME_TYPE
    assert found.text.startswith("<!doctype html>")
    assert "was not built" in found.text
    assert "make setup" in found.text
    assert "<script" not in found.text


@pytest.mark.parametrize(
    ("toolset", "names"),
    [
        ("default", {GATEWAY}),
        ("thoughts", {"session_get"}),
        ("all", {GATEWAY, "session_get"}),
        ("trail", set[str]()),
        ("mind-core", set[str]()),
    ],
)
def test_the_gateway_and_session_get_lead_to_it_wherever_they_are_shown(
    start_agent: StartAgent, toolset: str, names: set[str]
):
    assert linked(start_agent(THOUGHTBOX_TOOLSET=toolset)) == dict.fromkeys(names, LINK)


def test_every_app_that_an_operation_names_has_a_page():
    domains.load()
    named = {operation.name: operation.app for operation in TABLE if operation.app is not None}

    assert set(named) == {GATEWAY, "session.get"}
    assert set(named.values()) == set(apps.APPS)
    assert all(app.uri.startswith("ui://thoughtbox/") for app in apps.APPS.values())


@everywhere
def test_who_knows_nothing_of_apps_sees_the_same_tools_and_the_same_answers(start_agent: StartAgent):
    host, other = start_agent(client=HOST), start_agent(THOUGHTBOX_PROJECT="other")
    call = {"operation": "start_new", "sessionTitle": "Slow pages"}

    shown, plain = (agent.raw_call(GATEWAY, call) for agent in (host, other))

    assert linked(host) == linked(other)
    for result in (shown, plain):
        assert result.structured_content
        (text,) = result.content
        assert isinstance(text, TextContent)
        assert json.loads(text.text) == result.structured_content, "the text says it all"
        assert "ui" not in (result.meta or {})
    assert shown.structured_content is not None
    assert plain.structured_content is not None
    assert shown.structured_content.keys() == plain.structured_content.keys()


@pytest.fixture(params=["stdio", "http"])
def connect(request: pytest.FixtureRequest, start_stdio: StartStdio, start_http: StartHttp) -> Callable[[str], Ask]:
    """Connects in a revision: `connect("2024-11-05")`."""

    def over_pipes(revision: str) -> Ask:
        server = start_stdio()
        if revision in HANDSHAKE_PROTOCOL_VERSIONS:
            server.ask("initialize", {**INITIALIZE, "protocolVersion": revision})
            server.notify("notifications/initialized")
        else:
            server.envelope = ENVELOPE
        return lambda method, **params: server.ask(method, params)["result"]

    def over_http(revision: str) -> Ask:
        server = start_http()
        if revision not in HANDSHAKE_PROTOCOL_VERSIONS:
            return lambda method, **params: stateless(server, method, params)
        began = server.request(body=message("initialize", {**INITIALIZE, "protocolVersion": revision}))
        session = {"Mcp-Session-Id": began.headers["mcp-session-id"], "MCP-Protocol-Version": revision}
        return lambda method, **params: server.request(body=message(method, params), headers=session).json()["result"]

    return over_pipes if request.param == "stdio" else over_http


def message(method: str, params: dict[str, Any]) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}


def stateless(server: HttpServer, method: str, params: dict[str, Any]) -> dict[str, Any]:
    named = {"Mcp-Name": params["uri"]} if "uri" in params else {}
    return server.ask(method, params, named).json()["result"]


@pytest.mark.parametrize("revision", KNOWN_PROTOCOL_VERSIONS)
def test_it_is_there_in_every_revision_and_every_message_fits_the_types_of_it(
    connect: Callable[[str], Ask], revision: str
):
    ask = connect(revision)

    tools = {tool["name"]: tool.get("_meta") for tool in ask("tools/list")["tools"]}
    listed = {each["uri"]: each for each in ask("resources/list")["resources"]}
    (found,) = ask("resources/read", uri=URI)["contents"]

    assert tools == {GATEWAY: LINK, "search": None, "execute": None}
    assert listed[URI]["mimeType"] == found["mimeType"] == APP_MIME_TYPE
    assert listed[URI]["_meta"] == found["_meta"]
    assert found["text"].lower().startswith("<!doctype html>")


def test_the_extension_is_told_where_the_revision_has_a_place_for_it(start_stdio: StartStdio):
    newest, handshake = start_stdio(), start_stdio()
    newest.envelope = ENVELOPE

    assert newest.ask("server/discover")["result"]["capabilities"]["extensions"][EXTENSION_ID] == {}
    assert "extensions" not in handshake.initialize()["capabilities"]


def test_the_extensions_own_package_knows_what_is_said(start_stdio: StartStdio):
    program("mcp-inspector")  # which brings it
    kinds = json.loads(SCHEMA.read_text(encoding="utf-8"))["$defs"]
    server = start_stdio(THOUGHTBOX_TOOLSET="all")
    server.initialize()

    def wrong(kind: str, value: Any) -> list[str]:
        return [error.message for error in Draft202012Validator(kinds[kind]).iter_errors(value)]

    tools = server.ask("tools/list")["result"]["tools"]
    said = [("McpUiToolMeta", tool["_meta"]["ui"]) for tool in tools if "_meta" in tool]
    resources = server.ask("resources/list")["result"]["resources"]
    contents = server.ask("resources/read", {"uri": URI})["result"]["contents"]
    said += [("McpUiResourceMeta", each["_meta"]["ui"]) for each in (*resources, *contents) if "_meta" in each]

    assert len(said) == 4
    assert not [wrong(*one) for one in said if wrong(*one)]
    assert wrong("McpUiToolMeta", {"resourceUri": 5}), "it is strict"


@everywhere
def test_answers_name_the_session_that_a_call_was_about(start_agent: StartAgent):
    agent = start_agent(client=HOST)

    def call(operation: str, **arguments: Any) -> dict[str, Any]:
        return agent.call(GATEWAY, {"operation": operation, **arguments})

    session = call("start_new", sessionTitle="Slow pages")["sessionId"]
    here = {"sessionId": session}
    call("cipher", **here)
    begun = [
        call("thought", thought="S1|O|Pages are slow", **here),
        call("thought", thought="S2|H|S1|The cache", **here),
    ]
    begun.append(call("thought", thought="S3|H|S1|The disk", branchFromThought=1, branchId="disk", **here))
    began = [
        *(call(f"session.{sub}", **here) for sub in ("get", "brief", "resume", "export", "analyze", "verify")),
        *(call(name, **here) for name in ("read_thoughts", "get_structure", "load_context", "get_state", "cipher")),
        call("session.rename", title="Slower pages", **here),
        call("session.tag", add=["urgent"], **here),
        call("session.extract_learnings", **here),
        call("branch.reject", branchId="disk", why="It is fast.", **here),
        call("session.complete", **here),
        call("session.delete", **here),
        call("session.undelete", **here),
    ]

    for answer in (*begun, *began):
        assert (answer.get("sessionId") or answer["session"]["id"]) == session


def test_it_can_be_subscribed_to_like_any_resource_and_what_is_not_there_cannot(start_stdio: StartStdio):
    server = start_stdio()
    server.initialize()

    for method in ("resources/subscribe", "resources/read", "resources/unsubscribe"):
        assert "error" not in server.ask(method, {"uri": URI})
    for method in ("resources/subscribe", "resources/read"):
        assert server.ask(method, {"uri": "ui://thoughtbox/other"})["error"]["code"] == -32002


@pytest.fixture
def read_only(tmp_path: Path) -> Iterator[Thoughtbox]:
    """A store that is opened for reading alone."""
    box = Box(tmp_path)
    box.start_new(sessionTitle="Slow pages")
    settings = box.app.settings
    box.close()
    with readable(settings.database) as found, Thoughtbox(settings_for(tmp_path), engine=ReadOnlySqlite(found)) as app:
        yield app


def test_it_is_there_where_nothing_can_be_written(read_only: Thoughtbox):
    talk = Talk(read_only).shake_hands()

    listed, found = talk.request(1, "resources/list"), talk.request(2, "resources/read", uri=URI)
    talk.wait_for(listed, 1)

    assert URI in [each["uri"] for each in listed.told[0]["result"]["resources"]]
    assert found.told[0]["result"]["contents"][0]["mimeType"] == APP_MIME_TYPE
