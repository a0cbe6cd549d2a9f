"""The tap can fail: of every kind of message it knows the wrong ones, on every wire that tests use."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client

from tests.support.forked_stdio import forked_stdio
from tests.support.servers import (
    ENVELOPE,
    HANDSHAKE,
    INITIALIZE,
    SERVE_ON_THE_SDK,
    STATELESS,
    HttpServer,
    StdioServer,
    environment,
    soon,
)
from tests.support.tap import FAULTS, HttpTaps, Tap, Wrong, assert_all_was_right
from tests.support.tapped_http import tapped_http

COMPLETE = {"resultType": "complete"}
TOOL = {"name": "look", "inputSchema": {"type": "object"}}
LIST = {"tools": [TOOL]}
FRESH = {"ttlMs": 0, "cacheScope": "private"}

CHATTERING = """
from tests.support.sdk_door.transports.gate import Gate
from tests.support.sdk_door.transports.stdio_wire import Wire

write, judge = Wire._write, Gate._judge

async def chatter(self, line):
    await write(self, line)
    await write(self, b'{"jsonrpc":"2.0","method":"notifications/chatter"}')

async def misspelled(self, scope, receive, send):
    async def misspell(message):
        if message["type"] == "http.response.start":
            message["headers"] = [pair for pair in message["headers"] if pair[0] != b"content-length"]
        if "body" in message:
            message["body"] = message["body"].replace(b'"jsonrpc":', b'"chatter":1,"jsonrpc":')
        await send(message)
    await judge(self, scope, receive, misspell)

Wire._write, Gate._judge = chatter, misspelled
"""
"""A door that sends, beside its answers, what no revision knows."""


def connected(revision: str) -> Tap:
    """A tap on a connection of that revision, on which something was asked under every id below."""
    tap = Tap()
    if revision != STATELESS:
        tap.sent({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": INITIALIZE})
        told = {"protocolVersion": revision, "capabilities": {}, "serverInfo": {"name": "s", "version": "1"}}
        tap.check(json.dumps({"jsonrpc": "2.0", "id": 0, "result": told}))
    meta: dict[str, Any] = {"progressToken": "t", **(ENVELOPE if revision == STATELESS else {})}
    for id, method in enumerate(("tools/list", "tools/call", "ping", "subscriptions/listen"), 1):
        tap.sent({"jsonrpc": "2.0", "id": id, "method": method, "params": {"_meta": meta}})
    return tap


def result(id: Any, **fields: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id, "result": fields}


def error(id: Any, code: Any = -32602, message: Any = "no", **more: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message, **more}}


def own(method: str, params: dict[str, Any] | None = None, **id: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", **id, "method": method, **({} if params is None else {"params": params})}


PROGRESS = {"progressToken": "t", "progress": 1}
TEXT = [{"type": "text", "text": "x"}]

RIGHT = [
    (HANDSHAKE, result(1, **LIST)),
    (STATELESS, result(1, **LIST, **FRESH, **COMPLETE)),
    (HANDSHAKE, result(2, content=TEXT, structuredContent={"a": None}, isError=False)),
    (STATELESS, result(2, resultType="input_required", inputRequests={"asked": {"method": "roots/list"}})),
    (HANDSHAKE, result(3)),
    (HANDSHAKE, error(1, data={"code": "NOT_FOUND"})),
    (STATELESS, error(None, -32700)),
    (HANDSHAKE, own("notifications/progress", PROGRESS)),
    (HANDSHAKE, own("roots/list", id=1)),
    (STATELESS, own("notifications/tools/list_changed", {"_meta": {"io.modelcontextprotocol/subscriptionId": 4}})),
]
WRONG = {
    "no object": (HANDSHAKE, [result(1, **LIST)]),
    "no version": (HANDSHAKE, {"id": 1, "result": LIST}),
    "more than a message has": (HANDSHAKE, {**result(1, **LIST), "extra": 1}),
    "an answer to nothing": (HANDSHAKE, result(9, **LIST)),
    "an answer under another kind of id": (HANDSHAKE, result("1", **LIST)),
    "an answer without what it has to have": (HANDSHAKE, result(1)),
    "a part of another type": (HANDSHAKE, result(1, tools=[{**TOOL, "name": 5}])),
    "a field that no revision has": (HANDSHAKE, result(1, tools=[{**TOOL, "nombre": "x"}])),
    "a field of a later revision": (HANDSHAKE, result(1, **LIST, **COMPLETE)),
    "an answer of a later revision": (HANDSHAKE, result(2, resultType="input_required", inputRequests={})),
    "the newest without its stamp": (STATELESS, result(2, content=TEXT)),
    "a list of the newest without its lifetime": (STATELESS, result(1, **LIST, **COMPLETE)),
    "an answer to what the revision does not have": (STATELESS, result(3)),
    "the same the other way round": (HANDSHAKE, result(4)),
    "a code that is a text": (HANDSHAKE, error(1, "-32602")),
    "an error without a message": (HANDSHAKE, {"jsonrpc": "2.0", "id": 1, "error": {"code": 1}}),
    "an error with more than it has": (HANDSHAKE, error(1, reason="x")),
    "an error without an id": (HANDSHAKE, {"jsonrpc": "2.0", "error": {"code": 1, "message": "x"}}),
    "a refusal of nothing": (HANDSHAKE, error(9)),
    "an unknown notification": (HANDSHAKE, own("notifications/chatter")),
    "a notification of a later revision": (HANDSHAKE, own("notifications/subscriptions/acknowledged", {})),
    "a notification of a client": (HANDSHAKE, own("notifications/initialized")),
    "a notification without what it is about": (HANDSHAKE, own("notifications/resources/updated", {})),
    "a notification with more than it has": (HANDSHAKE, own("notifications/progress", {**PROGRESS, "rest": 5})),
    "the progress of nothing": (HANDSHAKE, own("notifications/progress", {**PROGRESS, "progressToken": "u"})),
    "a request that only clients make": (HANDSHAKE, own("tools/list", id=1)),
    "a request without its params": (HANDSHAKE, own("sampling/createMessage", {}, id=1)),
    "a request of a revision that knows none": (STATELESS, own("roots/list", id=1)),
    "a question of a later revision": ("2025-03-26", own("elicitation/create", {"message": "?"}, id=1)),
}


@pytest.mark.parametrize(("revision", "message"), RIGHT)
def test_what_a_server_may_send_passes(revision: str, message: Any):
    connected(revision).check(json.dumps(message))


@pytest.mark.parametrize(("revision", "message"), WRONG.values(), ids=WRONG)
def test_what_no_server_may_send_does_not(revision: str, message: Any):
    with pytest.raises(Wrong):
        connected(revision).check(json.dumps(message))


def test_what_is_no_json_does_not():
    with pytest.raises(Wrong, match="no JSON"):
        connected(HANDSHAKE).check(b"listening on port 80")


@pytest.mark.parametrize("kind", ["application/json", "text/event-stream"])
def test_over_http_answers_and_events_are_heard_in_whatever_pieces_they_come(kind: str):
    body = json.dumps(error(1, "x")).encode()
    if kind == "text/event-stream":
        body = b": ping\r\n\r\nevent: message\r\ndata: " + body + b"\r\n\r\n"
    ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    exchange = HttpTaps().exchange("POST", "/mcp", {}, json.dumps(ping).encode())
    exchange.answered(200, {"Content-Type": kind})
    for at in range(len(body)):
        exchange.feed(body[at : at + 1])
    exchange.end()

    with pytest.raises(AssertionError, match='"code": "x"'):
        assert_all_was_right()
    assert_all_was_right()


def test_the_fixture_that_looks_is_part_of_every_test(request: pytest.FixtureRequest):
    assert "_no_server_says_what_its_protocol_does_not_know" in request.fixturenames


def test_every_wire_of_the_tests_is_tapped(tmp_path: Path):
    """A door that chatters is caught on plain pipes, plain HTTP, and by both transports of the SDK's client."""
    told = environment(tmp_path)

    stdio = StdioServer(told, prelude=CHATTERING, serve=SERVE_ON_THE_SDK)
    stdio.initialize()
    soon(lambda: FAULTS)  # it comes behind the answer
    stdio.stop()
    assert caught() == "notifications/chatter"

    http = HttpServer(told, prelude=CHATTERING, serve=SERVE_ON_THE_SDK)
    http.ask("server/discover")
    assert caught() == "a message has no chatter"

    async def ask(transport: Any) -> None:
        async with Client(transport, mode="legacy") as client:
            await client.list_tools()

    anyio.run(ask, forked_stdio([*SERVE_ON_THE_SDK, "stdio", CHATTERING], told))
    assert caught() == "notifications/chatter"
    anyio.run(ask, tapped_http(http.url))
    assert caught() == "a message has no chatter"
    http.stop()


def caught() -> str:
    """What all faults of the moment are about."""
    about = {"notifications/chatter" if "/chatter" in fault else fault.partition("\n")[0] for fault in FAULTS}
    with pytest.raises(AssertionError):
        assert_all_was_right()
    [one] = about
    return one
