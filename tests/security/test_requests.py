"""Requests that two programs could read in two ways are refused, and nothing but HTTP is spoken."""

from __future__ import annotations

import re
import socket
from collections.abc import Iterator

import pytest

from tests.support.servers import PATIENCE, HttpServer, environment

TOKEN = "correct-horse-battery-staple"
HEAD = f"POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {TOKEN}\r\n".encode()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HttpServer]:
    server = HttpServer(environment(tmp_path_factory.mktemp("requests"), THOUGHTBOX_TOKEN=TOKEN))
    yield server
    server.stop()


def answers(server: HttpServer, request: bytes) -> list[int]:
    """The status of every answer to these bytes; then the connection is closed, by the server or by us."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE) as connection:
        connection.sendall(request)
        connection.shutdown(socket.SHUT_WR)
        found = b""
        while some := connection.recv(1 << 16):
            found += some
    return [int(status) for status in re.findall(rb"HTTP/1\.1 (\d+)", found)]


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("Host", ["localhost", "localhost"]),
        ("Host", ["localhost", "evil.example"]),
        ("Host", ["evil.example", "localhost"]),
        ("Origin", ["http://localhost", "http://evil.example"]),
        ("Origin", ["http://evil.example", "http://localhost"]),
        ("Authorization", ["Bearer wrong", f"Bearer {TOKEN}"]),
        ("Authorization", [f"Bearer {TOKEN}", f"Bearer {TOKEN}"]),
        ("Mcp-Session-Id", ["a", "b"]),
        ("Content-Type", ["text/plain", "application/json"]),
    ],
)
def test_what_may_be_said_once_is_refused_when_it_is_said_twice(server: HttpServer, name: str, values: list[str]):
    usual = {"Host": "localhost", "Authorization": f"Bearer {TOKEN}"}
    lines = [f"{key}: {value}" for key, value in usual.items() if key != name]
    lines += [f"{key}: {value}" for key, value in zip((name, name.upper()), values, strict=True)]
    for path in ("/mcp", "/health"):
        head = "\r\n".join([f"GET {path} HTTP/1.1", *lines])

        assert answers(server, f"{head}\r\n\r\n".encode()) == [400]


@pytest.mark.parametrize(
    "rest",
    [
        b"Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}",
        b"Content-Length: 2\r\nContent-Length: 30\r\n\r\n{}",
        b"Content-Length: 2, 2\r\n\r\n{}",
        b"Content-Length: +2\r\n\r\n{}",
        b"Content-Length: 0x2\r\n\r\n{}",
        b"Content-Length: -2\r\n\r\n{}",
        b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        b"Transfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n0\r\n\r\n",
        b"Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n",
        b"Transfer-Encoding: identity, chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        b"Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
        b"Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n",
        b"Transfer-Encoding: chunked\r\n\r\n0x2\r\n{}\r\n0\r\n\r\n",
        b"Transfer-Encoding: chunked\r\n\r\n-1\r\n{}\r\n0\r\n\r\n",
        b"Transfer-Encoding: chunked\r\n\r\n2\n{}\r\n0\r\n\r\n",
        b"X-Folded: a\r\n b\r\nContent-Length: 2\r\n\r\n{}",
        b"X-Nul: a\0b\r\n\r\n",
        b"X-Return: a\rb\r\n\r\n",
        b" Leading: blank\r\n\r\n",
        b"No colon\r\n\r\n",
    ],
)
def test_a_request_whose_end_two_programs_could_see_in_two_places_is_not_served(server: HttpServer, rest: bytes):
    """Nothing behind it is taken for a request, either."""
    behind = b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"

    found = answers(server, HEAD + rest + behind)

    assert found in ([400], [400, 400])


@pytest.mark.parametrize("upgrade", ["websocket", "h2c"])
def test_an_upgrade_is_a_request_like_any_other(server: HttpServer, upgrade: str):
    """The gate judges it, and it stays HTTP."""
    lines = ["Connection: Upgrade", f"Upgrade: {upgrade}", "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: eA=="]

    def status(path: str, *more: str) -> list[int]:
        return answers(server, "\r\n".join([f"GET {path} HTTP/1.1", *lines, *more, "", ""]).encode())

    token = f"Authorization: Bearer {TOKEN}"
    assert status("/mcp", "Host: localhost") == [401]
    assert status("/mcp", "Host: evil.example", token) == [403]
    assert status("/mcp", "Host: localhost", token, "Origin: http://evil.example") == [403]
    assert status("/health", "Host: localhost") == [200]
    assert status("/mcp", "Host: localhost", token) == [406]
