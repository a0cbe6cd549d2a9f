"""Who may come in over HTTP: this machine, or who has the token; never a page from somewhere else."""

from __future__ import annotations

import hmac
import inspect
import json
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.forks import PATIENCE
from tests.support.servers import ENVELOPE, INITIALIZE, STATELESS, HttpServer, environment
from thoughtbox.doors.http.admission import Admission

TOKEN = "correct-horse-battery-staple"
PING = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": INITIALIZE}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HttpServer]:
    server = HttpServer(environment(tmp_path_factory.mktemp("open"), THOUGHTBOX_ALLOWED_HOSTS="Notes.Example, box.lan"))
    yield server
    server.stop()


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HttpServer]:
    server = HttpServer(
        environment(tmp_path_factory.mktemp("guarded"), THOUGHTBOX_HOST="0.0.0.0", THOUGHTBOX_TOKEN=TOKEN)
    )
    yield server
    server.stop()


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1",
        "127.0.0.1:1731",
        "localhost",
        "LOCALHOST:80",
        "[::1]",
        "[::1]:1731",
        "notes.example",
        "NOTES.example:443",
        "box.lan:1",
    ],
)
def test_hosts_of_this_machine_and_those_allowed_are_served(server: HttpServer, host: str):
    assert server.request(body=PING, headers={"Host": host}).status == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:1731",
        "127.0.0.1.evil.example",
        "localhost.evil.example:80",
        "evil.example:127.0.0.1",
        "127.0.0.1@evil.example",
        "127.0.0.1:80:80",
        "127.0.0.2",
        "0.0.0.0",
        "[::2]",
        "::1",
        "2130706433",
        "0x7f.1",
        "localhost.",
        "localhost:port",
        "",
    ],
)
def test_a_foreign_host_is_forbidden(server: HttpServer, host: str):
    for path in ("/mcp", "/health", "/"):
        response = server.request(body=PING, path=path, headers={"Host": host})
        assert response.status == 403
        assert not any(name.startswith("access-control") for name in response.headers)


def test_a_request_without_a_host_is_forbidden(server: HttpServer):
    with socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE) as connection:
        connection.sendall(b"GET /health HTTP/1.0\r\n\r\n")
        assert connection.recv(100).split()[1] == b"403"


@pytest.mark.parametrize(
    "origin",
    ["http://localhost:3000", "https://127.0.0.1", "http://[::1]:9", "https://notes.example", "http://box.lan:8080"],
)
def test_pages_of_this_machine_and_those_allowed_are_served_but_get_no_cors(server: HttpServer, origin: str):
    response = server.request(body=PING, headers={"Origin": origin})

    assert response.status == 200
    assert not any(name.startswith("access-control") for name in response.headers)


@pytest.mark.parametrize(
    "origin",
    [
        "http://evil.example",
        "https://evil.example:1731",
        "null",
        "",
        "file://",
        "http://localhost@evil.example",
        "http://localhost.evil.example",
        "chrome-extension://abcdef",
        "localhost",
        "http://",
    ],
)
def test_a_page_from_somewhere_else_is_forbidden(server: HttpServer, origin: str):
    for method, path in (("POST", "/mcp"), ("GET", "/mcp"), ("OPTIONS", "/mcp"), ("GET", "/health")):
        response = server.request(method, path, headers={"Origin": origin})
        assert response.status == 403
        assert not any(name.startswith("access-control") for name in response.headers)


def test_a_preflight_is_never_granted(server: HttpServer):
    headers = {"Origin": "http://localhost:3000", "Access-Control-Request-Method": "POST"}

    response = server.request("OPTIONS", headers=headers)

    assert response.status >= 400
    assert not any(name.startswith("access-control") for name in response.headers)


@pytest.mark.parametrize(
    "authorization",
    [
        None,
        "",
        "Bearer",
        "Bearer ",
        "Bearer wrong",
        f"Bearer {TOKEN}x",
        f"Bearer {TOKEN[:-1]}",
        f"Basic {TOKEN}",
        TOKEN,
        f"Bearer {TOKEN.upper()}",
        "Bearer \xff\xfe",
    ],
)
def test_without_the_token_nothing_is_served(guarded: HttpServer, authorization: str | None):
    headers = {} if authorization is None else {"Authorization": authorization}

    for method, path in (("POST", "/mcp"), ("GET", "/mcp"), ("DELETE", "/mcp"), ("GET", "/"), ("GET", "/docs")):
        response = guarded.request(method, path, body=PING, headers=headers)
        assert response.status == 401
        assert response.headers["www-authenticate"] == 'Bearer realm="thoughtbox"'
        assert TOKEN not in response.body.decode()


@pytest.mark.parametrize("scheme", ["Bearer", "bearer", "BEARER", " Bearer"])
def test_with_the_token_it_is_served(guarded: HttpServer, scheme: str):
    assert guarded.request(body=PING, headers={"Authorization": f"{scheme} {TOKEN}"}).status == 200


def test_the_token_does_not_open_the_door_to_foreign_hosts(guarded: HttpServer):
    headers = {"Authorization": f"Bearer {TOKEN}", "Host": "evil.example"}

    assert guarded.request(body=PING, headers=headers).status == 403


def test_tokens_are_compared_in_constant_time():
    """By construction: hashes are compared, by nothing but `compare_digest`, and all of them every time."""
    uses = [line.strip() for line in inspect.getsource(Admission.holder_of).splitlines() if "known" in line]

    assert uses == ["found = [known for known in self.known if hmac.compare_digest(known.id, shown.id)]"]
    assert hmac.compare_digest("a", "a")


def test_health_needs_no_token_and_tells_nothing_but_the_version(guarded: HttpServer):
    response = guarded.request("GET", "/health")

    assert response.status == 200
    assert set(response.json()) == {"status", "version"}


@pytest.mark.parametrize("path", ["/", "/mcp/x", "//mcp", "/mcp/../health", "/docs", "/openapi.json", "/MCP"])
def test_unknown_paths_are_not_found(server: HttpServer, path: str):
    assert server.request("GET", path).status == 404


def test_a_slash_too_much_does_no_harm(server: HttpServer):
    assert server.request("POST", "/mcp/", body=PING).status == server.request("POST", "/mcp", body=PING).status == 200


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1"])
def test_a_wide_bind_without_a_token_refuses_to_start_and_says_why(tmp_path: Path, host: str):
    refused = subprocess.run(
        [sys.executable, "-m", "thoughtbox", "serve", "--transport", "http"],
        env=environment(tmp_path, THOUGHTBOX_HOST=host),
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=PATIENCE,
        check=False,
    )

    assert refused.returncode == 2
    assert refused.stdout == ""
    assert f"THOUGHTBOX_HOST is {host}" in refused.stderr
    assert "THOUGHTBOX_TOKEN" in refused.stderr
    assert "Traceback" not in refused.stderr
    assert not list(tmp_path.iterdir()), "nothing was opened, either"


def test_a_port_that_is_taken_is_said_at_once(server: HttpServer, tmp_path: Path):
    refused = subprocess.run(
        [sys.executable, "-m", "thoughtbox", "serve", "--transport", "http"],
        env=environment(tmp_path, THOUGHTBOX_PORT=str(server.port)),
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=PATIENCE,
        check=False,
    )

    assert refused.returncode == 2
    assert f"port {server.port}" in refused.stderr


@pytest.mark.skipif(not socket.has_ipv6 or not Path("/proc/net/if_inet6").exists(), reason="no IPv6 here")
def test_the_loopback_of_ipv6_can_be_served(tmp_path: Path):
    server = HttpServer(environment(tmp_path, THOUGHTBOX_HOST="::1"))
    try:
        assert server.url == f"http://[::1]:{server.port}/mcp"
        assert server.request("GET", "/health", host="::1").status == 200
        assert server.request(body=PING, host="::1", headers={"Host": "evil.example"}).status == 403
    finally:
        server.stop()


def test_a_body_beyond_the_limit_is_refused_whether_it_says_its_length_or_not(tmp_path: Path):
    server = HttpServer(environment(tmp_path, THOUGHTBOX_MAX_BODY_BYTES="2000"))
    try:
        assert server.request(body=b"x" * 2001).status == 413
        chunks = (b"x" * 500 for _ in range(10))
        assert server.request(body=chunks, encode_chunked=True).status == 413
        assert server.request(body=b" " * 1500 + b"{}").status == 400
        headers = {"Content-Length": "99999999999999999999"}
        assert server.request(body=b"{}", headers=headers).status in (400, 413)
    finally:
        server.stop()


@pytest.mark.parametrize("beginning", [b"GET /", b"GET /health HTTP/1.1\r\nHost: localhost\r\nX-Long: "])
def test_headers_without_end_are_cut_off_before_anybody_is_asked_for_a_token(guarded: HttpServer, beginning: bytes):
    before = guarded.resident_mb()
    with socket.create_connection(("127.0.0.1", guarded.port), timeout=PATIENCE) as connection:
        connection.sendall(beginning)
        with pytest.raises(ConnectionError):
            connection.sendall(b"x" * 50 * 2**20)

    assert guarded.resident_mb() - before < 20
    assert guarded.request("GET", "/health").status == 200


def test_headers_as_long_as_they_get_are_read(guarded: HttpServer):
    headers = {"Authorization": f"Bearer {TOKEN}", "Cookie": "x" * 60_000}

    assert guarded.request(body=PING, headers=headers).status == 200


@pytest.mark.parametrize("era", ["handshake", "stateless"])
def test_a_server_with_an_open_stream_ends_in_time_when_told_to(tmp_path: Path, era: str):
    server = HttpServer(environment(tmp_path))
    connection = socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE)
    if era == "handshake":
        session = server.request(body=PING).headers["mcp-session-id"]
        opening = (
            f"GET /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\nMcp-Session-Id: {session}\r\n\r\n"
        )
    else:
        params = {"notifications": {"resourcesListChanged": True}, "_meta": ENVELOPE}
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "subscriptions/listen", "params": params})
        opening = (
            "POST /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: application/json, text/event-stream\r\n"
            f"Content-Type: application/json\r\nMCP-Protocol-Version: {STATELESS}\r\n"
            f"Mcp-Method: subscriptions/listen\r\nContent-Length: {len(body)}\r\n\r\n{body}"
        )
    connection.sendall(opening.encode())
    assert connection.recv(12) == b"HTTP/1.1 200"

    server.popen.terminate()

    assert server.ends_within(PATIENCE) == 0
    connection.close()
    server.stop()
    assert not (tmp_path / "thoughtbox.db-wal").exists(), "the store was closed"


def test_a_half_sent_request_does_not_keep_the_server_from_ending(tmp_path: Path):
    server = HttpServer(environment(tmp_path))
    connection = socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE)
    connection.sendall(b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{")
    assert server.request("GET", "/health").status == 200, "by now it has seen what was sent before"

    server.popen.terminate()

    assert server.ends_within(PATIENCE) == 0
    connection.close()
    server.stop()
