"""What a connection may cost before anybody is asked for a token: bytes, time, descriptors."""

from __future__ import annotations

import json
import re
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.support.servers import ENVELOPE, PATIENCE, STATELESS, HttpServer, environment, soon

pytestmark = pytest.mark.sampled(2)

TOKEN = "correct-horse-battery-staple"
HURRIED = """
from thoughtbox.doors.http import limits
limits.HEAD_SECONDS = limits.BODY_SECONDS = 0.6
limits.SILENCE_SECONDS = 1.2
"""
"""The limits of a server, short enough to wait for."""

HEALTH = b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"
POST = b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
MB = 1 << 20


def connect(server: HttpServer) -> socket.socket:
    return socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE)


def all_of(connection: socket.socket) -> bytes:
    """Everything that comes until the server closes the connection."""
    found = b""
    with suppress(ConnectionResetError):
        while some := connection.recv(1 << 16):
            found += some
    return found


def answer_of(connection: socket.socket) -> bytes:
    """One answer with a length, whole; the connection may stay open."""
    found = b""
    while not (head := re.search(rb"content-length: (\d+)(?s:.*?)\r\n\r\n", found)) or len(found) < head.end() + int(
        head[1]
    ):
        some = connection.recv(1 << 16)
        assert some, found
        found += some
    return found


def listening(server: HttpServer) -> socket.socket:
    """A connection with an open stream."""
    connection = connect(server)
    params = {"notifications": {"resourcesListChanged": True}, "_meta": ENVELOPE}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "subscriptions/listen", "params": params})
    head = (
        f"Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: {STATELESS}\r\n"
        f"Mcp-Method: subscriptions/listen\r\nContent-Length: {len(body)}\r\n\r\n{body}"
    )
    connection.sendall(POST + head.encode())
    assert connection.recv(12) == b"HTTP/1.1 200"
    return connection


def _send_often(connection: socket.socket, piece: bytes, times: int) -> None:
    for _ in range(times):
        connection.sendall(piece)


def is_open(connection: socket.socket) -> bool:
    connection.setblocking(False)
    try:
        while connection.recv(1 << 16):
            pass
    except BlockingIOError:
        return True
    except ConnectionResetError:
        pass
    finally:
        connection.settimeout(PATIENCE)
    return False


@pytest.fixture(scope="module")
def hurried(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HttpServer]:
    server = HttpServer(environment(tmp_path_factory.mktemp("hurried")), prelude=HURRIED)
    yield server
    server.stop()


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HttpServer]:
    server = HttpServer(environment(tmp_path_factory.mktemp("guarded"), THOUGHTBOX_TOKEN=TOKEN))
    yield server
    server.stop()


@pytest.mark.parametrize(
    "begun",
    [
        b"G",
        HEALTH[:-2],
        HEALTH + HEALTH[:-2],
        POST + b"Content-Length: 100\r\n\r\n{",
        POST + b"Transfer-Encoding: chunked\r\n\r\n5\r\nhel",
        POST + b"Transfer-Encoding: chunked\r\n\r\n0\r\nTrailer: x",
    ],
    ids=["a letter", "a head", "a second head", "a body", "a chunk", "a trailer"],
)
def test_a_request_that_is_not_whole_in_time_is_refused_and_its_connection_closed(hurried: HttpServer, begun: bytes):
    with connect(hurried) as connection:
        connection.sendall(begun)

        assert b"HTTP/1.1 408 Request Timeout\r\n" in all_of(connection)


@pytest.mark.parametrize(
    "begun", [HEALTH[:-2] + b"X-Slow: ", POST + b"Content-Length: 1000000\r\n\r\n"], ids=["head", "body"]
)
def test_a_request_that_comes_in_drops_is_not_waited_for(hurried: HttpServer, begun: bytes):
    with connect(hurried) as connection:
        connection.sendall(begun)
        with suppress(ConnectionError):
            for _ in range(int(PATIENCE / 0.1)):
                connection.sendall(b"x")
                time.sleep(0.1)
            pytest.fail("it is still open")

    assert hurried.request("GET", "/health").status == 200


@pytest.mark.parametrize("sent", [b"", b"\r\n", HEALTH], ids=["nothing", "an empty line", "a whole request"])
def test_a_connection_on_which_nothing_happens_any_more_is_closed(hurried: HttpServer, sent: bytes):
    with connect(hurried) as connection:
        connection.sendall(sent)

        assert b"408" not in all_of(connection)


def test_empty_lines_are_no_sign_of_life(hurried: HttpServer):
    with connect(hurried) as connection, suppress(ConnectionError):
        for _ in range(int(PATIENCE / 0.1)):
            connection.sendall(b"\r\n")
            time.sleep(0.1)
        pytest.fail("it is still open")


def test_a_stream_stays_open_for_as_long_as_there_may_be_something_to_tell(hurried: HttpServer):
    with listening(hurried) as stream:
        for _ in range(2):  # that are closed, one after the other, when nothing has happened on them
            with connect(hurried) as silent:
                assert all_of(silent) == b""

        assert is_open(stream)


def test_who_takes_no_answers_is_not_written_to_for_ever(hurried: HttpServer):
    ended = threading.Event()

    def ask_on(connection: socket.socket) -> None:
        with suppress(ConnectionError):
            while True:
                connection.sendall(HEALTH * 100)
        ended.set()

    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    connection.connect(("127.0.0.1", hurried.port))
    with connection:
        threading.Thread(target=ask_on, args=(connection,), daemon=True).start()

        assert ended.wait(PATIENCE)


@pytest.mark.parametrize(
    "rest",
    [
        b"0\r\n" + b"X-Trailer: ".ljust(60, b"x"),
        b"0\r\n" + b"X: y\r\n" * 10,
        b"5;" + b"extension=" * 6,
    ],
    ids=["one long trailer", "many trailers", "an extension"],
)
def test_what_comes_around_a_chunked_body_is_bounded_before_the_token_is_asked_for(guarded: HttpServer, rest: bytes):
    guarded.request("GET", "/health")
    before = guarded.resident_mb()
    with connect(guarded) as connection:
        connection.sendall(POST + b"Transfer-Encoding: chunked\r\n\r\n")
        assert answer_of(connection).startswith(b"HTTP/1.1 401")
        connection.sendall(rest)
        piece = rest[3:] * (MB // len(rest)) if b"y" in rest else b"x" * MB
        with pytest.raises(ConnectionError):
            _send_often(connection, piece, 300)

    assert guarded.resident_mb() - before < 20


@pytest.mark.parametrize("chunked", [True, False], ids=["chunked", "with a length"])
def test_a_body_sent_after_a_refusal_costs_no_memory(guarded: HttpServer, chunked: bool):
    before = guarded.resident_mb()
    with connect(guarded) as connection:
        length = b"Transfer-Encoding: chunked" if chunked else b"Content-Length: %d" % (300 * MB)
        connection.sendall(POST + length + b"\r\n\r\n")
        assert answer_of(connection).startswith(b"HTTP/1.1 401")
        for _ in range(300):
            connection.sendall(b"%x\r\n%b\r\n" % (MB, b"x" * MB) if chunked else b"x" * MB)
        connection.sendall((b"0\r\n\r\n" if chunked else b"") + HEALTH)

        assert answer_of(connection).startswith(b"HTTP/1.1 200"), "and the connection can be used again"

    assert guarded.resident_mb() - before < 20


def test_a_trailer_is_no_header(guarded: HttpServer):
    body = POST + b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\nAuthorization: Bearer %b\r\n\r\n" % TOKEN.encode()
    with connect(guarded) as connection:
        connection.sendall(body)

        assert answer_of(connection).startswith(b"HTTP/1.1 401")


def test_when_there_are_too_many_connections_the_idlest_makes_room(tmp_path: Path):
    server = HttpServer(
        environment(tmp_path),
        prelude="from thoughtbox.doors.http import limits\nlimits.MOST_CONNECTIONS = 10\n",
    )
    try:
        stream = listening(server)
        half = connect(server)
        half.sendall(HEALTH[:-2])
        first, *others = [connect(server) for _ in range(8)]
        for connection in (*others, first):
            _ask_health(connection)

        newcomers = [connect(server) for _ in range(3)]
        for newcomer in newcomers:
            _ask_health(newcomer)

        soon(lambda: not is_open(half) and not is_open(others[0]) and not is_open(others[1]))
        assert all(is_open(connection) for connection in (stream, first, *others[2:], *newcomers))
        for connection in (stream, half, first, *others, *newcomers):
            connection.close()
    finally:
        server.stop()


def test_when_all_connections_are_busy_it_is_the_newcomer_that_goes(tmp_path: Path):
    server = HttpServer(
        environment(tmp_path),
        prelude="from thoughtbox.doors.http import limits\nlimits.MOST_CONNECTIONS = 3\n",
    )
    try:
        streams = [listening(server) for _ in range(3)]
        with connect(server) as newcomer:
            assert all_of(newcomer) == b""
        assert all(map(is_open, streams))
        streams.pop().close()
        soon(lambda: _is_served(server))
        for stream in streams:
            stream.close()
    finally:
        server.stop()


def test_when_descriptors_run_short_the_server_says_so_and_lives_on(tmp_path: Path):
    prelude = "import resource\nresource.setrlimit(resource.RLIMIT_NOFILE, (120, 120))\n"
    said = tmp_path / "stderr"
    with said.open("w", encoding="utf-8") as stderr:
        server = HttpServer(environment(tmp_path / "data"), prelude=prelude, stderr=stderr)
    connections: list[socket.socket] = []
    try:
        for _ in range(300):
            connections.append(connect(server))
        soon(lambda: _is_served(server))
        assert server.call("thought_record", sessionId="s1", thoughtType="note", content="x")["success"]
        lines = soon(lambda: [line for line in said.read_text(encoding="utf-8").splitlines() if "descriptors" in line])
        assert len(lines) == 1, "once in a while, not for each of them"
    finally:
        for connection in connections:
            connection.close()
        server.stop()


def _ask_health(connection: socket.socket) -> None:
    connection.sendall(HEALTH)
    assert answer_of(connection).startswith(b"HTTP/1.1 200")


def _is_served(server: HttpServer) -> bool:
    try:
        return server.request("GET", "/health").status == 200
    except (ConnectionError, OSError):
        return False


def test_a_client_that_has_closed_its_side_gets_its_answer(hurried: HttpServer):
    with connect(hurried) as connection:
        connection.sendall(HEALTH)
        connection.shutdown(socket.SHUT_WR)

        assert all_of(connection).startswith(b"HTTP/1.1 200")


def _slow_call(server: HttpServer, version: str = "1.1") -> socket.socket:
    body = json.dumps(
        {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "tools/call",
            "params": {"name": "ledger_verify", "arguments": {}, "_meta": ENVELOPE},
        }
    )
    connection = connect(server)
    connection.sendall(
        POST.replace(b"HTTP/1.1", f"HTTP/{version}".encode())
        + (
            f"Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: {STATELESS}\r\n"
            f"Mcp-Method: tools/call\r\nMcp-Name: ledger_verify\r\nContent-Length: {len(body)}\r\n\r\n{body}"
        ).encode()
    )
    return connection


PATIENT_VERIFY = """
import time
from thoughtbox.domains.ledger import operations
verify = operations.verify_in_steps

def patiently(read, *args, **options):
    yield read(lambda sql: time.sleep(2))
    return (yield from verify(read, *args, **options))

operations.verify_in_steps = patiently
"""


@pytest.mark.parametrize("version", ["1.0", "1.1"])
def test_a_client_that_has_closed_its_side_gets_an_answer_that_takes_longer(tmp_path: Path, version: str):
    server = HttpServer(environment(tmp_path), prelude=PATIENT_VERIFY)
    try:
        with _slow_call(server, version) as connection:
            connection.shutdown(socket.SHUT_WR)
            found = all_of(connection)
        *interim, _, body = found.split(b"\r\n\r\n")
        assert json.loads(body)["result"]["structuredContent"]["valid"]
        assert interim == ([b"HTTP/1.1 100 Continue"] if version == "1.1" else [])
    finally:
        server.stop()


def test_a_client_that_has_gone_altogether_is_noticed(tmp_path: Path):
    """Its call is given up: that closing the connection says so is how clients of the newest revision cancel."""
    from tests.support.preludes import slow_verify

    mark = tmp_path / "ended"
    server = HttpServer(environment(tmp_path / "data"), prelude=slow_verify(mark))
    try:
        _slow_call(server).close()

        soon(lambda: mark.exists() and mark.stat().st_size > 0)
        assert mark.read_text(encoding="utf-8") == "GivenUp"
    finally:
        server.stop()
