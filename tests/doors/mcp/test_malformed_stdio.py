"""Whatever comes in on stdin: an error each, and the server goes on as if nothing had been."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.doors.mcp.conftest import StartStdio
from tests.support.malformed import GOOD, NOT_JSON, NOT_MESSAGES, NOT_REQUESTS, REFUSED_CALLS, call
from tests.support.servers import ENVELOPE, INITIALIZE, StdioServer, environment
from thoughtbox.settings import all_settings

PARSE_ERROR, INVALID_REQUEST, INVALID_PARAMS, METHOD_NOT_FOUND = -32700, -32600, -32602, -32601
LONGEST = 4 * 2**20
MEMORY_MB = 60


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StdioServer]:
    server = StdioServer(environment(tmp_path_factory.mktemp("malformed")))
    server.initialize()
    yield server
    server.stop()


@pytest.fixture
def server(shared: StdioServer) -> Iterator[StdioServer]:
    """A server that has to be there afterwards, with nothing written."""
    yield shared
    assert shared.call("ledger_status")["records"] == 0


def answer_to(server: StdioServer, line: bytes) -> dict[str, Any]:
    server.send(line)
    return server.receive()


@pytest.mark.parametrize("line", NOT_JSON.values(), ids=NOT_JSON)
def test_what_is_not_json_is_a_parse_error(server: StdioServer, line: bytes):
    assert answer_to(server, line)["error"]["code"] == PARSE_ERROR


def test_a_broken_text_is_answered_under_the_id_of_its_request(server: StdioServer):
    """JavaScript sends half an emoji as it is; a client must not wait for its answer in vain."""
    answer = answer_to(server, REFUSED_CALLS["half of a surrogate pair"])

    assert answer["id"] == 7
    assert "surrogate" in answer["result"]["structuredContent"]["message"]


@pytest.mark.parametrize("line", NOT_MESSAGES.values(), ids=NOT_MESSAGES)
def test_json_that_is_no_message_is_an_invalid_request(server: StdioServer, line: bytes):
    assert answer_to(server, line)["error"]["code"] == INVALID_REQUEST


@pytest.mark.parametrize("line", NOT_REQUESTS.values(), ids=NOT_REQUESTS)
def test_a_request_that_cannot_be_served_fails_under_its_id(server: StdioServer, line: bytes):
    answer = answer_to(server, line)

    assert answer["id"] == 7
    assert answer["error"]["code"] in (INVALID_PARAMS, METHOD_NOT_FOUND, -32002)


@pytest.mark.parametrize("line", REFUSED_CALLS.values(), ids=REFUSED_CALLS)
def test_a_call_with_bad_arguments_is_refused_in_words(server: StdioServer, line: bytes):
    result = answer_to(server, line)["result"]

    assert result["isError"]
    assert result["structuredContent"]["code"] in ("INVALID_PAYLOAD", "INVALID_OPERATION")
    assert json.loads(result["content"][0]["text"]) == result["structuredContent"]


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"   \t ",
        b"\r",
        b'{"jsonrpc":"2.0","id":7,"result":{}}',
        b'{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"x"}}',
    ],
    ids=["nothing", "white space", "a return", "an answer to no question", "an error about nothing"],
)
def test_what_asks_nothing_gets_no_answer(server: StdioServer, line: bytes):
    server.send(line)

    assert server.ask("ping")["result"] == {}


@pytest.mark.parametrize("id", [0, -1, 2**53 + 1, 10**30, "", "7", "ä🧠", "x" * 10_000])
def test_every_id_comes_back_as_it_was_sent(server: StdioServer, id: Any):
    assert answer_to(server, json.dumps({"jsonrpc": "2.0", "id": id, "method": "ping"}).encode())["id"] == id


def test_requests_under_the_same_id_are_each_answered(server: StdioServer):
    for _ in range(20):
        server.send(b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"ledger_status"}}')

    assert [server.receive()["id"] for _ in range(20)] == [7] * 20


def test_a_message_longer_than_allowed_is_refused(server: StdioServer):
    answer = answer_to(server, call({**GOOD, "content": "x" * 10_000_000}))

    assert answer["error"]["code"] == INVALID_REQUEST
    assert "too long" in answer["error"]["message"]


@pytest.mark.parametrize(
    "line",
    [
        b'{"jsonrpc":"2.0","id":"mine","method":"ping","params":{"x":"%s"}}',
        b'{"jsonrpc":"2.0","method":"ping","params":{"id":1,"x":"%s"},"id":"mine"}',
        b'{"params":{"x":["%s"]},"id" : "mine" ,"method":"ping","jsonrpc":"2.0"}',
    ],
    ids=["before the long part", "behind it", "in the middle"],
)
def test_a_message_longer_than_allowed_is_answered_under_its_id(server: StdioServer, line: bytes):
    """Its caller would wait for ever."""
    assert answer_to(server, line % (b"x\\u00e9" * (LONGEST // 6)))["id"] == "mine"


def test_a_message_as_long_as_allowed_is_read(server: StdioServer):
    frame = call({**GOOD, "content": ""})

    answer = answer_to(server, call({**GOOD, "content": "x" * (LONGEST - len(frame))}))

    assert answer["result"]["structuredContent"]["code"] == "INVALID_PAYLOAD"  # read, and found too long for a thought


def test_a_line_of_50_megabytes_costs_no_memory(start_stdio: StartStdio):
    server = start_stdio()
    server.initialize()
    before = server.resident_mb()
    megabyte = b"x" * 2**20
    highest = before
    assert server.popen.stdin
    for _ in range(50):
        write(server, megabyte)
        highest = max(highest, server.resident_mb())
    write(server, b"\n")

    assert "too long" in server.receive()["error"]["message"]
    assert highest - before < MEMORY_MB
    assert server.ask("ping")["result"] == {}


def test_many_long_messages_at_once_cost_bounded_memory(start_stdio: StartStdio):
    server = start_stdio()
    server.initialize()
    long = call({**GOOD, "content": "x" * 3_900_000})
    server.send(long)
    server.receive()
    before = server.resident_mb()
    highest = before
    for _ in range(40):
        server.send(long)
        highest = max(highest, server.resident_mb())

    assert all(server.receive()["result"]["isError"] for _ in range(40))
    assert highest - before < MEMORY_MB


def test_calls_before_the_handshake_are_refused(start_stdio: StartStdio):
    server = start_stdio()

    refused = server.ask("tools/call", {"name": "thought_record", "arguments": GOOD})
    assert refused["error"]["code"] in (INVALID_REQUEST, INVALID_PARAMS)

    assert server.ask("ping")["result"] == {}
    assert server.initialize()["protocolVersion"] == INITIALIZE["protocolVersion"]
    assert server.call("ledger_status")["records"] == 0


@pytest.mark.parametrize("version", ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])
def test_every_handshake_revision_is_spoken(start_stdio: StartStdio, version: str):
    server = start_stdio()

    answer = server.ask("initialize", {**INITIALIZE, "protocolVersion": version})["result"]

    assert answer["protocolVersion"] == version
    assert answer["serverInfo"]["name"] == "thoughtbox"


@pytest.mark.parametrize(
    "params",
    [
        {},
        {**INITIALIZE, "protocolVersion": 5},
        {**INITIALIZE, "clientInfo": "me"},
        {**INITIALIZE, "capabilities": None},
    ],
    ids=["nothing", "a version that is a number", "a client that is a text", "no capabilities"],
)
def test_a_handshake_that_makes_no_sense_is_refused_and_can_be_repeated(
    start_stdio: StartStdio, params: dict[str, Any]
):
    server = start_stdio()

    assert server.ask("initialize", params)["error"]["code"] == INVALID_PARAMS
    server.initialize()
    assert server.call("ledger_status")["records"] == 0


@pytest.mark.parametrize(
    ("name", "recorded"),
    [
        ("a\0b\x1b[31m\nc", "ab[31mc"),
        ("x" * 10_000, "x" * 128),
        ("", "anonymous"),
        ("\u202e\u200b", "anonymous"),
    ],
    ids=["control characters", "10,000 characters", "nothing", "nothing to be seen"],
)
def test_a_client_with_a_strange_name_can_still_record(start_stdio: StartStdio, name: str, recorded: str):
    server = start_stdio()
    server.ask("initialize", {**INITIALIZE, "clientInfo": {"name": name, "version": "1"}})
    server.notify("notifications/initialized")

    server.call("thought_record", **GOOD)

    assert server.call("ledger_record", id="th:1")["record"]["agent"] == recorded


@pytest.mark.parametrize(
    "meta",
    [
        {"io.modelcontextprotocol/protocolVersion": "2026-07-28"},
        {**ENVELOPE, "io.modelcontextprotocol/protocolVersion": "2099-01-01"},
        {**ENVELOPE, "io.modelcontextprotocol/protocolVersion": 5},
        {**ENVELOPE, "io.modelcontextprotocol/clientCapabilities": "all"},
        {**ENVELOPE, "progressToken": {}},
    ],
    ids=["half an envelope", "a revision to come", "a revision that is a number", "bad capabilities", "a bad token"],
)
def test_a_stateless_request_in_a_bad_envelope_is_refused(start_stdio: StartStdio, meta: dict[str, Any]):
    server = start_stdio()
    server.envelope = meta

    answer = server.ask("tools/call", {"name": "thought_record", "arguments": GOOD})

    assert answer["error"]["code"] < 0
    server.envelope = ENVELOPE
    assert server.call("ledger_status")["records"] == 0


def test_the_longest_message_is_a_setting(start_stdio: StartStdio):
    server = start_stdio(THOUGHTBOX_MAX_BODY_BYTES="1024")
    server.initialize()

    assert "too long" in answer_to(server, call({**GOOD, "content": "x" * 1024}))["error"]["message"]
    assert any(setting.variable == "THOUGHTBOX_MAX_BODY_BYTES" for setting in all_settings())


def test_noise_between_messages_does_not_touch_them(server: StdioServer, tmp_path: Path):
    lines = [*NOT_JSON.values(), *NOT_MESSAGES.values(), *NOT_REQUESTS.values(), *REFUSED_CALLS.values()]
    asked = set()
    for line in lines:
        server.send(line)
        asked.add(server.request("ping"))

    answers = server.answers(asked)

    assert all(answer["result"] == {} for answer in answers)
    server.ask("ping")


def write(server: StdioServer, data: bytes) -> None:
    assert server.popen.stdin
    rest = memoryview(data)
    while rest:
        rest = rest[server.popen.stdin.write(rest) or 0 :]
