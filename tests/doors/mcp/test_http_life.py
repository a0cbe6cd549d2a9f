"""How an HTTP server begins and ends, started the way people start it."""

from __future__ import annotations

import json
import re
import signal
import socket
import subprocess
import sys
import threading
from http.client import HTTPConnection
from pathlib import Path

import pytest

from tests.doors.mcp.conftest import StartHttp
from tests.support.preludes import STUCK_VERIFY, TALKATIVE_RECORD
from tests.support.servers import HANDSHAKE, INITIALIZE, PATIENCE, environment, soon
from thoughtbox.app import Thoughtbox
from thoughtbox.settings import load


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_server_says_where_it_is_and_ends_on_a_signal_with_its_store_closed(tmp_path: Path, number: int):
    server = subprocess.Popen(
        [sys.executable, "-m", "thoughtbox", "serve", "--http", "--port", "0"],
        env=environment(tmp_path / "data"),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    )
    with server:
        assert server.stderr
        said = re.search(r"listens on http://127\.0\.0\.1:(\d+)/mcp", server.stderr.readline())
        assert said
        connection = HTTPConnection("127.0.0.1", int(said[1]), timeout=PATIENCE)
        connection.request("GET", "/health")
        assert connection.getresponse().status == 200

        server.send_signal(number)

        assert server.wait(PATIENCE) == 0
        connection.close()
        assert server.stdout
        assert server.stdout.read() == ""
    assert not (tmp_path / "data" / "thoughtbox.db-wal").exists()


def test_a_server_ends_in_time_even_if_a_call_never_comes_back(spawn_http: StartHttp, tmp_path: Path):
    server = spawn_http(prelude=STUCK_VERIFY)
    server.call("thought_record", sessionId="s1", thoughtType="note", content="kept")
    connection = HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)
    body = (
        '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ledger_verify","arguments":{},"_meta":'
        '{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}'
    )
    headers = {
        "Accept": "application/json, text/event-stream",
        "Content-Type": "application/json",
        "MCP-Protocol-Version": "2026-07-28",
        "Mcp-Method": "tools/call",
        "Mcp-Name": "ledger_verify",
    }
    connection.request("POST", "/mcp", body, headers)
    server.ask("tools/list")

    server.popen.terminate()

    server.ends_within(PATIENCE)
    connection.close()
    with Thoughtbox(load(environment(tmp_path / "data"))) as box:
        assert box.engine.read(lambda sql: sql.row("SELECT last_seq FROM workspaces")).result() == (1,)


def test_an_unread_stderr_cannot_block_the_server(spawn_http: StartHttp):
    server = spawn_http(prelude=TALKATIVE_RECORD, stderr=subprocess.PIPE)

    for _ in range(50):
        assert server.call("thought_record", sessionId="s1", thoughtType="note", content="x")["success"]


def test_answers_are_plain_json_unless_there_is_something_to_tell_before(spawn_http: StartHttp):
    server = spawn_http()
    opened = server.request(
        body={
            "jsonrpc": "2.0",
            "id": "first",
            "method": "initialize",
            "params": {
                "protocolVersion": "2025-11-25",
                "capabilities": {},
                "clientInfo": {"name": "tester", "version": "1"},
            },
        }
    )
    assert opened.headers["content-type"] == "application/json"
    assert opened.json()["id"] == "first"
    session = {"Mcp-Session-Id": opened.headers["mcp-session-id"], "MCP-Protocol-Version": "2025-11-25"}
    note = {"name": "thought_record", "arguments": {"sessionId": "s1", "thoughtType": "note", "content": "x"}}

    plain = server.request(body={"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": note}, headers=session)
    server.request(
        body={"jsonrpc": "2.0", "id": 2, "method": "logging/setLevel", "params": {"level": "info"}}, headers=session
    )
    streamed = server.request(body={"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": note}, headers=session)

    assert plain.headers["content-type"] == "application/json"
    assert int(plain.headers["content-length"]) == len(plain.body)
    assert plain.json()["result"]["structuredContent"]["thought"]["thoughtId"] == "th:1"
    assert streamed.headers["content-type"] == "text/event-stream"
    told, answer = streamed.body.decode().strip().split("\r\n\r\n")
    assert "notifications/message" in told
    assert "thought_record th:2 step 1" in told
    assert '"thoughtId":"th:2"' in answer


def test_however_many_requests_come_without_waiting_each_has_its_answer_in_order(start_http: StartHttp):
    server = start_http()
    count = 3_000
    asked = b"".join(
        b"GET /%b HTTP/1.1\r\nHost: localhost\r\n\r\n" % (b"health" if number % 3 else b"nothing")
        for number in range(count)
    )
    found = bytearray()
    with socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE) as connection:
        sending = threading.Thread(target=connection.sendall, args=(asked,), daemon=True)
        sending.start()
        while found.count(b"HTTP/1.1 ") < count:
            some = connection.recv(1 << 16)
            assert some, found[-300:]
            found += some
        sending.join(PATIENCE)

    assert re.findall(rb"HTTP/1\.1 (\d+)", found) == [b"200" if number % 3 else b"404" for number in range(count)]
    assert server.request("GET", "/health").status == 200


def counting(mark: Path) -> str:
    """Two signals count what came to be garbage between them, and the tasks that are there in the end."""
    return f"""
import asyncio, gc, json, signal
from pathlib import Path

def look(*_):
    if gc.isenabled():
        gc.disable()
        gc.collect()
        gc.set_debug(gc.DEBUG_SAVEALL)
        found = None
    else:
        gc.collect()
        names = [type(one).__module__ + "." + type(one).__qualname__ for one in gc.garbage]
        ours = sorted(name for name in names if name.startswith("thoughtbox"))
        found = {{"ours": ours, "tasks": len(asyncio.all_tasks())}}
    Path({str(mark)!r}).write_text(json.dumps(found), encoding="utf-8")

signal.signal(signal.SIGUSR2, look)
"""


def test_calls_leave_nothing_that_only_a_look_for_garbage_would_free_and_streams_have_no_tasks(
    start_http: StartHttp, tmp_path: Path
):
    """Both would be paid by whoever calls: in pauses, and in memory for each idle client."""
    mark = tmp_path / "found"
    server = start_http(prelude=counting(mark))
    note = {"sessionId": "s1", "thoughtType": "note", "content": "x"}
    opened = server.request(body={"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": INITIALIZE})
    session = {"Mcp-Session-Id": opened.headers["mcp-session-id"], "MCP-Protocol-Version": HANDSHAKE}
    calling = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": "thought_record", "arguments": note},
    }

    def call() -> None:
        server.call("thought_record", **note)
        assert server.request(body=calling, headers=session).status == 200

    call()
    stream = HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)
    stream.request("GET", "/mcp", headers={**session, "Accept": "text/event-stream"})
    assert stream.getresponse().status == 200
    server.popen.send_signal(signal.SIGUSR2)
    soon(mark.exists)
    for _ in range(20):
        call()
    server.popen.send_signal(signal.SIGUSR2)

    found = soon(lambda: json.loads(mark.read_text(encoding="utf-8") or "null"))
    stream.close()
    assert found == {"ours": [], "tasks": 1}
