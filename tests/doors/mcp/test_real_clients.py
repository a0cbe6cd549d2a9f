"""Clients that people use, as they are installed: the MCP Inspector and Claude Code."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.doors.mcp.conftest import StartHttp
from tests.support.clients import run
from tests.support.servers import soon

STDIO = [sys.executable, "-m", "thoughtbox", "serve", "--stdio"]
NOTE = ["--tool-arg", "sessionId=s1", "--tool-arg", "thoughtType=note", "--tool-arg", "content=Reads dominate"]


def servers_on(directory: Path) -> list[str]:
    """Processes that were told to keep their store there."""
    told = f"THOUGHTBOX_DATA_DIR={directory}".encode()
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if told in (process / "environ").read_bytes():
                found.append(process.name)
        except OSError:
            continue  # gone meanwhile, or not ours
    return found


@pytest.fixture(params=["stdio", pytest.param("http", marks=pytest.mark.sampled(2))])
def target(request: pytest.FixtureRequest, start_http: StartHttp, tmp_path: Path) -> list[str]:
    """How the Inspector is told which server to use. It calls only what it finds in the list: all tools are shown."""
    if request.param == "stdio":
        told = ["-e", f"THOUGHTBOX_DATA_DIR={tmp_path / 'data'}", "-e", "THOUGHTBOX_TOOLSET=all"]
        return [*told, "--", *STDIO]
    return ["--transport", "http", "--server-url", start_http(THOUGHTBOX_TOOLSET="all").url]


def test_the_inspector_lists_the_tools_and_has_no_fault_to_find_with_their_schemas(target: list[str], tmp_path: Path):
    listed = run("mcp-inspector", "--cli", "--method", "tools/list", "--strict", *target, home=tmp_path)

    assert listed.returncode == 0, listed.stderr
    names = [tool["name"] for tool in json.loads(listed.stdout)["tools"]]
    assert names[0] == "thoughtbox_gateway"
    assert {"thought", "session_get", "thought_record", "ledger_verify"} <= set(names)


def test_the_inspector_goes_through_the_gateway(target: list[str], tmp_path: Path):
    called = run(
        "mcp-inspector",
        "--cli",
        "--method",
        "tools/call",
        "--tool-name",
        "thoughtbox_gateway",
        "--tool-arg",
        "operation=start_new",
        "--tool-arg",
        "sessionTitle=Slow pages",
        *target,
        home=tmp_path,
    )

    assert called.returncode == 0, called.stderr
    assert json.loads(called.stdout)["structuredContent"]["title"] == "Slow pages"


def test_the_inspector_calls_a_tool(target: list[str], tmp_path: Path):
    called = run(
        "mcp-inspector",
        "--cli",
        "--method",
        "tools/call",
        "--tool-name",
        "thought_record",
        *NOTE,
        *target,
        home=tmp_path,
    )

    assert called.returncode == 0, called.stderr
    answer = json.loads(called.stdout)
    assert answer["isError"] is False
    assert answer["structuredContent"]["thought"]["thoughtId"] == "th:1"


def test_the_inspector_is_told_what_is_wrong_with_a_call(target: list[str], tmp_path: Path):
    called = run(
        "mcp-inspector",
        "--cli",
        "--method",
        "tools/call",
        "--tool-name",
        "thought_tree",
        *NOTE[:2],
        *target,
        home=tmp_path,
    )

    answer = json.loads(called.stdout)
    assert answer["isError"] is True
    assert answer["structuredContent"]["code"] == "SESSION_NOT_FOUND"


def test_claude_code_connects_over_stdio_and_leaves_no_server_behind(tmp_path: Path):
    store = f"THOUGHTBOX_DATA_DIR={tmp_path / 'data'}"
    added = run("claude", "mcp", "add", "thoughtbox", "-e", store, "--", *STDIO, home=tmp_path)
    assert added.returncode == 0, added.stderr

    listed = run("claude", "mcp", "list", home=tmp_path)

    assert "Connected" in listed.stdout, listed.stdout + listed.stderr
    assert (tmp_path / "data" / "thoughtbox.db").exists()
    soon(lambda: not servers_on(tmp_path / "data"))


@pytest.mark.parametrize("token", ["", "a-secret-of-many-letters"], ids=["open", "with a token"])
def test_claude_code_connects_over_http(start_http: StartHttp, tmp_path: Path, token: str):
    server = start_http(THOUGHTBOX_TOKEN=token)
    header = ["--header", f"Authorization: Bearer {token}"] if token else []
    added = run("claude", "mcp", "add", "--transport", "http", "thoughtbox", server.url, *header, home=tmp_path)
    assert added.returncode == 0, added.stderr

    listed = run("claude", "mcp", "list", home=tmp_path)

    assert "Connected" in listed.stdout, listed.stdout + listed.stderr
