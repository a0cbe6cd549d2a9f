"""`thoughtbox serve`: a server that says where it is, and ends in order."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Generator
from contextlib import contextmanager
from urllib.request import urlopen

import pytest

from tests.doors.cli.conftest import COMMAND, Cli
from tests.support.forks import PATIENCE
from thoughtbox.doors.cli.serve import announcement
from thoughtbox.settings import load


@contextmanager
def serving(*words: str) -> Generator[tuple[subprocess.Popen[bytes], str]]:
    """A server over HTTP, and its address."""
    command = [*COMMAND, "serve", *words]
    with subprocess.Popen(command, bufsize=0, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as server:
        assert server.stderr
        first = server.stderr.readline().decode()
        try:
            yield server, first.rpartition(" ")[2].strip()
        finally:
            server.kill()


def test_over_http_it_says_where_it_is_and_answers_there(cli: Cli):
    with serving("--http") as (server, address):
        health = address.replace("/mcp", "/health")
        with urlopen(health, timeout=PATIENCE) as answer:
            assert json.load(answer)["status"] == "ok"
        port = address.rpartition(":")[2].partition("/")[0]
        seen = cli("doctor", "--json", "--port", port).json()
        server.send_signal(signal.SIGTERM)
        out, err = server.communicate(timeout=PATIENCE)

    assert server.returncode == 0
    assert out == b""
    for part in ("claude mcp add", "codex mcp add", "mcpServers", f"curl {health}"):
        assert part in err.decode()
    assert "is serving on" in next(one["says"] for one in seen["checks"] if one["check"] == "port")
    assert sorted(path.name for path in cli.directory.iterdir()) == [
        "config.json",
        "thoughtbox.db",
        "thoughtbox.db-alone",
        "thoughtbox.db-door",
        "thoughtbox.db-floor",
    ]


def test_an_interrupt_ends_it_as_it_should_end(cli: Cli):
    with serving("--transport", "http") as (server, address):
        with urlopen(address.replace("/mcp", "/health"), timeout=PATIENCE):
            server.send_signal(signal.SIGINT)
        _, err = server.communicate(timeout=PATIENCE)

    assert server.returncode == 0
    assert b"Traceback" not in err


def test_over_stdio_standard_output_carries_the_protocol_alone(cli: Cli):
    request = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "tester", "version": "1"},
        },
    }

    ran = cli.process("serve", "--stdio", stdin=json.dumps(request).encode() + b"\n")

    assert ran.code == 0
    assert json.loads(ran.out)["result"]["serverInfo"]["name"] == "thoughtbox"


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (["--host", "0.0.0.0"], 2, "there is no token"),
        (["--transport", "pigeon"], 2, "--transport"),
        (["--port", "99999"], 2, "--port"),
        (["--toolset", "attic"], 2, "no toolset `attic`"),
        (["--database-url", "postgresql://me:sesame@127.0.0.1:1/none"], 3, "cannot be reached"),
    ],
)
def test_what_it_cannot_serve_with_is_said_in_one_message(cli: Cli, words: list[str], code: int, says: str):
    ran = cli("serve", *words)

    assert ran.code == code
    assert says in ran.err
    assert ran.out == ""
    assert "Traceback" not in ran.err
    assert "sesame" not in ran.err


def test_a_port_that_is_taken_is_said(cli: Cli):
    with serving() as (_, address):
        port = address.rpartition(":")[2].partition("/")[0]
        ran = cli("serve", "--port", port)

    assert ran.code == 2
    assert "Address already in use" in ran.err


def test_clients_are_told_how_to_send_the_token_but_not_what_it_is(cli: Cli):
    settings = load(dict(os.environ), host="0.0.0.0", token="open-sesame-open-sesame")

    said = announcement(settings, "http://0.0.0.0:1731/mcp")

    assert "sesame" not in said
    assert '--header "Authorization: Bearer $THOUGHTBOX_TOKEN"' in said
    assert "--bearer-token-env-var THOUGHTBOX_TOKEN" in said
    assert "http://127.0.0.1:1731/mcp" in said
    assert "THOUGHTBOX_ALLOWED_HOSTS" in said
