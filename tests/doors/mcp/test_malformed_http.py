"""Whatever is posted: an error each, and the server goes on as if nothing had been."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.malformed import (
    GOOD,
    NOT_JSON,
    NOT_MESSAGES,
    NOT_REQUESTS,
    REFUSED_CALLS,
    call,
    nested,
    with_content,
)
from tests.support.servers import ENVELOPE, INITIALIZE, STATELESS, HttpServer, Response, environment

MEMORY_MB = 60


class Handshake:
    """A client with a session."""

    def __init__(self, server: HttpServer) -> None:
        self.server = server
        body = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": INITIALIZE}
        opened = server.request(body=body)
        self.headers = {"Mcp-Session-Id": opened.headers["mcp-session-id"], "MCP-Protocol-Version": "2025-11-25"}
        server.request(body={"jsonrpc": "2.0", "method": "notifications/initialized"}, headers=self.headers)

    def post(self, body: bytes) -> Response:
        return self.server.request(body=body, headers=self.headers)


class Stateless:
    """A client of the newest revision: what it asks stands in the headers, too."""

    def __init__(self, server: HttpServer) -> None:
        self.server = server

    def post(self, body: bytes) -> Response:
        headers = {"MCP-Protocol-Version": STATELESS}
        try:
            message = json.loads(body)
            headers |= {"Mcp-Method": str(message["method"])}
            params = message.get("params", {})
            headers |= {
                f"Mcp-{name}": str(params[key]) for name, key in (("Name", "name"), ("Name", "uri")) if key in params
            }
            # Put in as text, so that the rest stays as it is, wrong or not.
            envelope = json.dumps(ENVELOPE).encode()[1:-1]
            if b'"_meta": {' in body:
                body = body.replace(b'"_meta": {', b'"_meta": {' + envelope + b", ")
            elif b'"params":' in body:
                body = body.replace(b'"params":{', b'"params": {').replace(
                    b'"params": {', b'"params": {"_meta": {' + envelope + b"}" + (b", " if params else b"")
                )
            else:
                body = body[:-1] + b', "params": {"_meta": {' + envelope + b"}}}"
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            pass
        return self.server.request(body=body, headers=headers)


@pytest.fixture(scope="module")
def http(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HttpServer]:
    server = HttpServer(environment(tmp_path_factory.mktemp("malformed")))
    yield server
    server.stop()


@pytest.fixture(params=[Handshake, Stateless], ids=["handshake", "stateless"])
def client(http: HttpServer, request: pytest.FixtureRequest) -> Iterator[Handshake | Stateless]:
    """A client of a server that has to be there afterwards, with nothing written."""
    yield request.param(http)
    assert http.call("ledger_status")["records"] == 0


Client = Handshake | Stateless


def error(response: Response) -> dict[str, Any]:
    """The error in an answer, of the protocol or of a tool."""
    answer = response.json()
    return answer["error"] if "error" in answer else answer["result"]["structuredContent"]


@pytest.mark.parametrize("body", NOT_JSON.values(), ids=NOT_JSON)
def test_what_is_not_json_is_refused(client: Client, body: bytes):
    response = client.post(body)

    assert response.status in (200, 400)
    assert error(response)["code"] in (-32700, -32600, -32602, "INVALID_PAYLOAD")


@pytest.mark.parametrize("body", NOT_MESSAGES.values(), ids=NOT_MESSAGES)
def test_json_that_is_no_message_is_refused(client: Client, body: bytes):
    response = client.post(body)

    assert response.status == 400
    assert error(response)["code"] in (-32600, -32602)


@pytest.mark.parametrize("body", NOT_REQUESTS.values(), ids=NOT_REQUESTS)
def test_a_request_that_cannot_be_served_fails_under_its_id(client: Client, body: bytes):
    response = client.post(body)

    assert response.json()["id"] == 7
    assert error(response)["code"] in (-32601, -32602, -32002, -32020)


@pytest.mark.parametrize("body", REFUSED_CALLS.values(), ids=REFUSED_CALLS)
def test_a_call_with_bad_arguments_is_refused_in_words(client: Client, body: bytes):
    response = client.post(body)

    assert response.status == 200
    assert response.json()["result"]["isError"]
    assert error(response)["code"] in ("INVALID_PAYLOAD", "INVALID_OPERATION")


@pytest.mark.parametrize("levels", [150, 250, 500, 900, 1100, 5000])
def test_however_deep_arguments_nest_the_call_is_refused(client: Client, levels: int):
    assert error(client.post(with_content(nested(levels))))["code"] in (-32700, "INVALID_PAYLOAD")


@pytest.mark.parametrize(
    "headers",
    [
        {"Content-Type": "text/plain"},
        {"Accept": "text/html"},
        {"Content-Type": "application/x-www-form-urlencoded"},
        {"Mcp-Session-Id": "nobody's"},
        {"Mcp-Session-Id": "\x7f"},
        {"MCP-Protocol-Version": "2099-01-01"},
    ],
    ids=["plain text", "wants a page", "a form", "a foreign session", "a broken session", "a revision to come"],
)
def test_a_request_of_the_wrong_kind_is_refused(http: HttpServer, headers: dict[str, str]):
    response = http.request(body=call(GOOD), headers=headers)

    assert 400 <= response.status < 500
    assert http.call("ledger_status")["records"] == 0


def test_a_session_that_was_ended_is_gone(http: HttpServer):
    client = Handshake(http)
    assert http.request("DELETE", headers=client.headers).status == 200

    response = client.post(b'{"jsonrpc":"2.0","id":1,"method":"ping"}')

    assert response.status == 404


def test_an_unknown_session_is_not_found(http: HttpServer):
    response = http.request(body={"jsonrpc": "2.0", "id": 1, "method": "ping"}, headers={"Mcp-Session-Id": "x" * 32})

    assert response.status == 404
    assert response.json()["error"]["message"] == "Session not found"


@pytest.mark.parametrize("method", ["PUT", "PATCH", "HEAD", "OPTIONS", "TRACE", "BREW"])
def test_other_methods_are_not_allowed(http: HttpServer, method: str):
    assert http.request(method).status in (400, 405)


def test_bodies_beyond_the_limit_cost_no_memory(tmp_path_factory: pytest.TempPathFactory):
    server = HttpServer(environment(tmp_path_factory.mktemp("large")))
    try:
        server.ask("tools/list")
        before = server.resident_mb()
        highest = before
        for _ in range(20):
            megabytes = (b"x" * 2**20 for _ in range(6))
            assert server.request(body=megabytes, encode_chunked=True).status == 413
            highest = max(highest, server.resident_mb())
        assert highest - before < MEMORY_MB
        assert server.call("ledger_status")["records"] == 0
    finally:
        server.stop()


@pytest.mark.parametrize("megabytes", [1, pytest.param(10, marks=pytest.mark.torture)])
def test_texts_of_megabytes_are_refused_in_a_sentence(tmp_path_factory: pytest.TempPathFactory, megabytes: int):
    """Also where the limit lets them in: one error each, and memory comes back."""
    server = HttpServer(environment(tmp_path_factory.mktemp("long"), THOUGHTBOX_MAX_BODY_BYTES=str(16 * 2**20)))
    try:
        length = megabytes * 2**20
        long = "x" * length
        in_headers_too = [
            json.dumps({"jsonrpc": "2.0", "id": 7, "method": long}).encode(),
            json.dumps({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": long}}).encode(),
        ]
        wrong = [
            with_content(json.dumps(long)),
            call({"sessionId": long, "thoughtType": "note", "content": "x"}),
            call({long: "x"}),
            call({f"unknown{number}": "x" for number in range(length // 100)}),
            b'{"jsonrpc":"2.0","id":7,"method":"ping","params":[' + b"[" * length + b"]}",
            b"[" + b'{"jsonrpc":"2.0","id":7,"method":"ping"},' * (length // 100) + b"1]",
            b"\xff" * length,
            b"9" * length,
        ]
        handshake, stateless = Handshake(server), Stateless(server)
        _post_all(handshake, [*wrong, *in_headers_too])
        before = server.resident_mb()

        for _ in range(2):
            _post_all(handshake, [*wrong, *in_headers_too])
            _post_all(stateless, wrong)

        assert server.resident_mb() - before < MEMORY_MB
        assert server.call("ledger_status")["records"] == 0
    finally:
        server.stop()


def _post_all(client: Client, wrong: list[bytes]) -> None:
    for body in wrong:
        response = client.post(body)
        assert response.status in (200, 400, 404)
        assert error(response)
        # The SDK repeats the name of a method that it does not know, once; we repeat nothing that is long.
        assert len(response.body) < (len(body) if b'"method": "xxx' in body else 0) + 4_000


SEEDS = [call(GOOD), with_content('"x"'), *NOT_REQUESTS.values(), *REFUSED_CALLS.values()]


@pytest.mark.parametrize("seed", range(3))
def test_whatever_is_made_of_messages_gets_one_answer_each(http: HttpServer, seed: int):
    """Bytes flipped, cut out, doubled and put in, by a printed seed."""
    chance = random.Random(seed)
    client = Handshake(http)
    for _ in range(100):
        body = bytearray(chance.choice(SEEDS).replace(b"thought_record", b"ledger_status"))
        for _ in range(chance.randint(1, 6)):
            at = chance.randrange(len(body) + 1)
            kind = chance.randrange(4)
            if kind == 0 and at < len(body):
                body[at] = chance.randrange(256)
            elif kind == 1:
                del body[at : at + chance.randint(1, 20)]
            elif kind == 2:
                body[at:at] = body[at : at + chance.randint(1, 20)]
            else:
                body[at:at] = chance.choice([b"{", b"[", b'"', b"\\u", b"null", b"1e999", b"\xff", b",", b"}"])

        response = client.post(bytes(body))

        assert response.status in (200, 202, 400, 404)
        assert response.status == 202 or len(response.json()) >= 2
    assert http.call("ledger_status")["records"] == 0
