"""What docs/clients.md tells people to do is what works."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.doors.mcp.conftest import StartHttp
from tests.support.clients import NODE, run
from tests.support.forks import PATIENCE
from tests.support.servers import environment
from thoughtbox import domains
from thoughtbox.doors.mcp import call_options
from thoughtbox.operations.registry import TABLE

PAGE = Path(__file__).parents[3] / "docs" / "clients.md"


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def test_the_commands_for_claude_code_connect(start_http: StartHttp, tmp_path: Path):
    server = start_http()
    commands = [shlex.split(block) for block in blocks("sh") if block.startswith("claude")]
    assert len(commands) == 2
    for number, (claude, *words) in enumerate(commands):
        home = tmp_path / str(number)
        home.mkdir()
        here = [word.replace("http://127.0.0.1:1731/mcp", server.url) for word in words]
        assert run(claude, *here, home=home).returncode == 0
        assert "Connected" in run(claude, "mcp", "list", home=home).stdout


def test_the_commands_for_codex_enter_the_server(tmp_path: Path):
    commands = [shlex.split(block) for block in blocks("sh") if block.startswith("codex")]
    assert len(commands) == 2
    for number, (codex, *words) in enumerate(commands):
        home = tmp_path / str(number)
        (home / ".codex").mkdir(parents=True)
        assert run(codex, *words, home=home).returncode == 0

        (entry,) = json.loads(run(codex, "mcp", "list", "--json", home=home).stdout)

        assert (entry["name"], entry["enabled"]) == ("thoughtbox", True)


@pytest.mark.parametrize("number", [0, 1])
def test_the_settings_for_cursor_are_json_that_names_a_server(number: int):
    server = json.loads(blocks("json")[number])["mcpServers"]["thoughtbox"]

    assert server.get("args", ["serve", "--stdio"]) == ["serve", "--stdio"]
    assert "url" in server or server["command"] == "thoughtbox"


def test_the_settings_for_codex_are_toml_that_names_a_server():
    (block,) = blocks("toml")

    server = tomllib.loads(block)["mcp_servers"]["thoughtbox"]

    assert [server["command"], *server["args"]] == ["thoughtbox", "serve", "--stdio"]


def test_the_client_in_python_runs(tmp_path: Path):
    (block,) = blocks("python")
    told = environment(tmp_path)

    ran = subprocess.run(
        [sys.executable, "-c", block],
        env={**told, "PATH": f"{NODE}:{told['PATH']}", "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=PATIENCE,
        check=False,
    )

    assert "'thoughtId': 'th:1'" in ran.stdout, ran.stderr


def test_everything_that_can_go_with_a_request_is_explained():
    keys = {value for value in vars(call_options).values() if str(value).startswith("thoughtbox/")}

    assert set(re.findall(r"^\| `(thoughtbox/\w+)` \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)) == keys


def row(name: str) -> str:
    """What the page says that a client gets."""
    found = re.search(rf"^\| {name} \| (.*) \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert found
    return found[1]


def test_every_prompt_is_named_and_no_other():
    domains.load()

    assert re.findall(r"`([^`]+)`", row("prompts")) == list(TABLE.prompts)
    for prompt in re.findall(r"/mcp__thoughtbox__([\w-]+)", PAGE.read_text(encoding="utf-8")):
        assert prompt in TABLE.prompts


def test_every_address_that_is_named_is_there():
    domains.load()
    named = re.findall(r"`(thoughtbox://[^`]+)`", PAGE.read_text(encoding="utf-8"))

    assert set(named) <= TABLE.resources.keys()
    listing = {uri for uri, resource in TABLE.resources.items() if resource.listed is not None}
    assert listing <= set(re.findall(r"`(thoughtbox://[^`]+)`", row("resources")))
