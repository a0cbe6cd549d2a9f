"""Hostile lines by the hundred on one connection: one answer each, and a server that is the same afterwards."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.doors.mcp.conftest import StartStdio
from tests.support.hostile import lines
from tests.support.servers import StdioServer
from thoughtbox.settings import load

LONGEST = load({}).max_body_bytes
MEMORY_MB = 40
"""Megabytes that a process may keep of hundreds that it has taken apart: it keeps less than half of that."""


def next_answer(server: StdioServer) -> dict[str, Any]:
    """Notifications on the way are nobody's answer."""
    while "method" in (message := server.receive()):
        pass
    return message


def put_to_the_test(server: StdioServer, seed: int, count: int) -> None:
    server.initialize()
    server.call("ledger_status")
    before = highest = server.resident_mb()
    for line in lines(seed, count):
        server.send(line)
        ping = server.request("ping")
        answers = [next_answer(server), next_answer(server)]  # a call may be answered behind the ping
        said = f"seed {seed}: {line[:200]!r}"
        assert ping in {answer.get("id") for answer in answers}, f"not one answer, but more: {said}"
        (answer,) = [answer for answer in answers if answer.get("id") != ping]
        if len(line) > LONGEST:
            assert answer["id"] == json.loads(line)["id"], "an oversized message is answered under its id"
        highest = max(highest, server.resident_mb())
    last = server.request("ping")
    assert next_answer(server)["id"] == last, "more answers than lines"
    assert server.call("ledger_verify")["valid"]
    assert highest - before < MEMORY_MB


@pytest.mark.parametrize("seed", [1, 2])
def test_every_hostile_line_gets_one_answer_and_memory_stays_bounded(start_stdio: StartStdio, seed: int):
    put_to_the_test(start_stdio(), seed, 150)


@pytest.mark.torture
@pytest.mark.parametrize("seed", range(100, 110))
def test_thousands_of_hostile_lines_get_one_answer_each(start_stdio: StartStdio, seed: int):
    put_to_the_test(start_stdio(), seed, 2_000)


def test_what_is_refused_is_not_held_on_to_until_somebody_looks_for_garbage(start_stdio: StartStdio):
    server = start_stdio()
    server.initialize()
    refused = {"name": "thoughtbox_gateway", "arguments": {"operation": "thought", "content": "x" * 1_000_000}}
    assert server.ask("tools/call", refused)["result"]["isError"]
    before = server.resident_mb()

    for _ in range(100):
        assert server.ask("tools/call", refused)["result"]["isError"]

    assert server.resident_mb() - before < MEMORY_MB
