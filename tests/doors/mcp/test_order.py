"""Calls of one client run in the order sent, reads included; and whatever one raises, the next is answered."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import StartAgent
from tests.doors.mcp.conftest import StartStdio
from tests.support.preludes import slow_verify

GATEWAY = "thoughtbox_gateway"

RAISING = """
import asyncio, concurrent.futures
from thoughtbox import domains
from thoughtbox.operations.registry import TABLE

domains.load()

class Unspeakable(Exception):
    def __str__(self):
        raise ValueError("no words")

ERRORS = {
    "StopIteration": StopIteration("x"), "StopAsyncIteration": StopAsyncIteration(), "GeneratorExit": GeneratorExit(),
    "KeyboardInterrupt": KeyboardInterrupt(), "SystemExit": SystemExit(3), "CancelledError": asyncio.CancelledError(),
    "Cancelled": concurrent.futures.CancelledError(), "Invalid": asyncio.InvalidStateError(),
    "Recursion": RecursionError(), "Memory": MemoryError(), "Assertion": AssertionError(), "Unspeakable": Unspeakable(),
    "Group": BaseExceptionGroup("g", [KeyboardInterrupt()]), "Timeout": TimeoutError(), "OSError": OSError(5, "x"),
    "Base": BaseException("b"),
}

def raising(function):
    def run(tx, call):
        name = getattr(call, "session_id", "")
        if name in ERRORS:
            raise ERRORS[name]
        return function(tx, call)
    return run

for name in ("thought_record", "thought_tree"):
    operation = TABLE.operations[name]
    object.__setattr__(operation, "function", raising(operation.function))
"""
"""A thought recorded, or read, in a session of such a name raises that."""

ERRORS = [
    "StopIteration",
    "StopAsyncIteration",
    "GeneratorExit",
    "KeyboardInterrupt",
    "SystemExit",
    "CancelledError",
    "Cancelled",
    "Invalid",
    "Recursion",
    "Memory",
    "Assertion",
    "Unspeakable",
    "Group",
    "Base",
]
OF_THE_SYSTEM = ["Timeout", "OSError"]
"""These count as failures of the store."""


@pytest.mark.doors(engine="sqlite", every=True)
def test_whatever_an_operation_raises_the_next_call_is_answered(start_agent: StartAgent):
    agent = start_agent(prelude=RAISING)
    incidents = set()
    for name in (*ERRORS, *OF_THE_SYSTEM):
        for operation, more in (("thought_record", {"thoughtType": "t", "content": "c"}), ("thought_tree", {})):
            failed = agent.raw_call(operation, {"sessionId": name, **more})
            assert failed.is_error
            assert failed.structured_content
            if name in ERRORS:
                assert failed.structured_content["code"] == "INTERNAL_ERROR", name
                incidents.add(failed.structured_content["details"]["incident"])
            assert agent.thought_record(sessionId="whole", thoughtType="t", content=name)["success"]

    assert agent.thought_tree(sessionId="whole")["count"] == 2 * len((*ERRORS, *OF_THE_SYSTEM))
    assert len(incidents) == 2 * len(ERRORS), "every incident has an id of its own"


def test_a_read_sent_behind_a_write_sees_it(start_stdio: StartStdio):
    server = start_stdio()
    server.initialize()
    server.call(GATEWAY, operation="start_new")
    server.call(GATEWAY, operation="cipher")
    reads = []
    for number in range(60):
        server.request("tools/call", {"name": GATEWAY, "arguments": {"operation": "thought", "thought": f"{number}"}})
        reads.append(
            server.request("tools/call", {"name": GATEWAY, "arguments": {"operation": "read_thoughts", "last": 1}})
        )

    answers = {message["id"]: message["result"]["structuredContent"] for message in server.answers(set(reads))}

    assert [answers[read]["thoughts"][0]["thought"] for read in reads] == [f"{number}" for number in range(60)]


def test_lists_and_resources_are_read_in_their_turn_too(start_stdio: StartStdio):
    server = start_stdio()
    server.initialize()
    server.call(GATEWAY, operation="ledger_status")
    wanted = []
    for number in range(30):
        server.request(
            "tools/call",
            {"name": "thought_record", "arguments": {"sessionId": "s", "thoughtType": "t", "content": f"{number}"}},
        )
        wanted.append(server.request("resources/read", {"uri": "thoughtbox://ledger/status"}))

    answers = {message["id"]: message["result"] for message in server.answers(set(wanted))}

    counts = [json.loads(answers[id]["contents"][0]["text"])["records"] for id in wanted]
    assert counts == list(range(1, 31))


def test_a_long_call_does_not_hold_up_what_is_sent_behind_it(start_stdio: StartStdio, tmp_path: Path):
    server = start_stdio(prelude=slow_verify(tmp_path / "mark"))
    server.initialize()
    server.request("tools/call", {"name": "ledger_verify", "arguments": {}})

    assert server.call("ledger_status")["records"] == 0
