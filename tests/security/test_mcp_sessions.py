"""Sessions of clients with a handshake: there is always room for one more, and nobody gets into another's."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path

import pytest

from tests.support.servers import HANDSHAKE, INITIALIZE, PATIENCE, HttpServer, Response, environment
from thoughtbox.doors.mcp.transports.sessions import MOST_SESSIONS
from thoughtbox.tokens import Tokens
from thoughtbox.world import World

OPENING = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": INITIALIZE}
PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
FEW = "from thoughtbox.doors.mcp.transports import sessions\nsessions.MOST_SESSIONS = 4\n"


def begin(server: HttpServer, **headers: str) -> str:
    """The handle of a new session."""
    opened = server.request(body=OPENING, headers=headers)
    assert opened.status == 200
    return opened.headers["mcp-session-id"]


def ping(server: HttpServer, handle: str, **headers: str) -> Response:
    return server.request(body=PING, headers={"Mcp-Session-Id": handle, "MCP-Protocol-Version": HANDSHAKE, **headers})


def stream(server: HttpServer, handle: str) -> socket.socket:
    connection = socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE)
    connection.sendall(
        "GET /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n"
        f"MCP-Protocol-Version: {HANDSHAKE}\r\nMcp-Session-Id: {handle}\r\n\r\n".encode()
    )
    assert connection.recv(12) == b"HTTP/1.1 200"
    return connection


@pytest.fixture
def few(tmp_path: Path) -> Iterator[HttpServer]:
    """A server with room for four sessions."""
    server = HttpServer(environment(tmp_path), prelude=FEW)
    yield server
    server.stop()


def test_at_the_cap_the_longest_idle_session_goes_and_the_newcomer_comes_in(few: HttpServer):
    first, second, third, fourth = (begin(few) for _ in range(4))
    assert ping(few, first).status == 200, "so that the second is the idlest now"

    fifth = begin(few)

    gone = ping(few, second)
    assert gone.status == 404
    assert gone.json()["error"]["message"] == "Session not found"
    assert [ping(few, handle).status for handle in (first, third, fourth, fifth)] == [200] * 4


def test_a_session_with_an_open_stream_is_not_idle(few: HttpServer):
    watching, idle, *_ = handles = [begin(few) for _ in range(4)]
    with stream(few, watching):
        for handle in handles[1:]:
            assert ping(few, handle).status == 200

        newcomers = [begin(few) for _ in range(3)]

        assert ping(few, watching).status == 200
        assert ping(few, idle).status == 404
        assert [ping(few, handle).status for handle in newcomers] == [200] * 3


def test_when_every_session_has_an_open_stream_the_newcomer_is_told_to_wait(few: HttpServer):
    streams = [stream(few, begin(few)) for _ in range(4)]

    assert few.request(body=OPENING).status == 503
    assert few.call("ledger_status")["records"] == 0, "who needs no session needs no room"
    for connection in streams:
        connection.close()


def test_openings_that_fail_push_nobody_out(few: HttpServer):
    handles = [begin(few) for _ in range(3)]

    for _ in range(10):
        assert few.request(body=PING).status == 400
        assert few.request(body=b"{").status == 400
        assert few.request("GET").status >= 400

    assert [ping(few, handle).status for handle in handles] == [200] * 3


@pytest.mark.torture
def test_a_flood_of_handshakes_keeps_nobody_out(tmp_path: Path):
    """More of them than there may be sessions, as fast as they come."""
    server = HttpServer(environment(tmp_path))
    connection = HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)
    try:
        usual = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
        body = json.dumps(OPENING)
        for _ in range(MOST_SESSIONS + 50):
            connection.request("POST", "/mcp", body, usual)
            answer = connection.getresponse()
            assert answer.status == 200, answer.read()
            answer.read()
        before = server.resident_mb()

        handle = begin(server)

        assert ping(server, handle).status == 200
        for _ in range(200):
            begin(server)
        assert server.resident_mb() - before < 20, "whoever goes takes his memory along"
    finally:
        connection.close()
        server.stop()


def test_a_handle_has_256_random_bits(few: HttpServer):
    handles = {begin(few) for _ in range(10)}

    assert len(handles) == 10
    assert {len(handle) for handle in handles} == {43}, "32 bytes in base64url"


@pytest.mark.parametrize("method", ["POST", "GET", "DELETE"])
def test_the_handle_of_another_principal_is_not_found(tmp_path: Path, method: str):
    tokens = Tokens(tmp_path)
    first, second = (tokens.add(name, ["_default"], World()) for name in ("first", "second"))
    server = HttpServer(environment(tmp_path))
    try:
        handle = begin(server, Authorization=f"Bearer {first}")

        def asked(handle: str) -> tuple[int, bytes]:
            headers = {"Mcp-Session-Id": handle, "MCP-Protocol-Version": HANDSHAKE, "Authorization": f"Bearer {second}"}
            answer = server.request(method, body=PING if method == "POST" else None, headers=headers)
            return answer.status, answer.body

        assert asked(handle) == asked("x" * 43)
        assert asked(handle)[0] == 404
        assert ping(server, handle, Authorization=f"Bearer {first}").status == 200
    finally:
        server.stop()


def test_a_session_that_its_client_has_ended_takes_no_room(few: HttpServer):
    kept = begin(few)
    for _ in range(8):
        ended = begin(few)
        headers = {"Mcp-Session-Id": ended, "MCP-Protocol-Version": HANDSHAKE}
        assert few.request("DELETE", headers=headers).status == 200
        assert ping(few, ended).status == 404

    assert ping(few, kept).status == 200
