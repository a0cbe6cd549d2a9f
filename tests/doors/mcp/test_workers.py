"""Several processes that are one server: whichever a request comes to, it is answered as by one."""

from __future__ import annotations

import json
import os
import signal
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.agent import Doors, Era
from tests.support.forks import PATIENCE, run_forked
from tests.support.servers import HANDSHAKE, command, environment, soon
from tests.support.workers import BRIEF, Served, WorkersClient
from thoughtbox.app import Thoughtbox
from thoughtbox.settings import load
from thoughtbox.tokens import Tokens
from thoughtbox.world import World

GATEWAY = "thoughtbox_gateway"
PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    directory = tmp_path_factory.mktemp("two")
    server = Served(environment(directory / "data"), directory / "said", "--workers", "2")
    yield server
    server.stop()


def one_in_each(server: Served, name: str = "tester") -> list[WorkersClient]:
    """A client with a session in each of the workers."""
    found: dict[str, WorkersClient] = {}
    while len(found) < 2:
        client = server.client("handshake", name)
        found.setdefault(client.slot, client)
    return [found["0"], found["1"]]


def test_both_workers_take_connections_and_write_to_one_store(two: Served):
    clients = one_in_each(two)

    written = [client.call("thought_record", sessionId="both", thoughtType="note", content="x") for client in clients]

    assert len(two.workers()) == 2
    assert [answer["thought"]["thoughtId"] for answer in written] == ["th:1", "th:2"]


def test_a_session_is_the_same_whichever_worker_its_requests_come_to(two: Served):
    for client in one_in_each(two):
        begun = client.call(GATEWAY, operation="start_new", sessionTitle=f"Of worker {client.slot}")
        client.call(GATEWAY, operation="cipher")
        for number in range(1, 9):
            client.reconnect()  # to whichever worker is faster

            added = client.call(GATEWAY, operation="thought", thought=f"{number}", nextThoughtNeeded=True)

            assert added["thoughtNumber"] == number
            assert added["sessionId"] == begun["sessionId"], "it is remembered which session this client works on"


def test_a_session_that_was_ended_is_gone_for_every_worker_and_no_other_is(two: Served):
    ended, other = one_in_each(two)
    ended.reconnect()
    assert ended.request("DELETE", headers=ended.headers).status == 200

    for _ in range(6):
        ended.reconnect()
        other.reconnect()
        assert ended.post(PING).status == 404
        assert other.post(PING).status == 200


@pytest.mark.parametrize("handle", ["0.nobody", "1.nobody", "7.nobody", "nobody", "9999.x", "99999.x", "-1.x", "."])
def test_a_handle_that_nobody_has_made_is_not_found_by_any_worker(two: Served, handle: str):
    client = two.client()
    for _ in range(3):
        client.reconnect()
        answer = client.request("POST", json.dumps(PING).encode(), {"Mcp-Session-Id": handle})
        assert answer.status == 404
        assert answer.json()["error"]["message"] == "Session not found"


def test_streams_of_all_workers_hear_of_what_any_of_them_writes(two: Served):
    clients = one_in_each(two)
    streams = [client.stream() for client in clients]

    two.client().call("thought_record", sessionId="news", thoughtType="note", content="a new session")

    for stream in streams:
        while b"notifications/resources/list_changed" not in (line := stream.readline()):
            assert line, "the stream has ended"
        stream.close()


def test_a_request_that_comes_without_waiting_for_the_one_before_is_left_to_be_sent_again(two: Served):
    """Of a session elsewhere: the connection is closed behind the answer to the first, as HTTP has it."""
    here, there = one_in_each(two)
    usual = f"Host: localhost\r\nContent-Type: application/json\r\nMCP-Protocol-Version: {HANDSHAKE}\r\n"
    body = json.dumps(PING)

    def message(client: WorkersClient) -> bytes:
        return (
            f"POST /mcp HTTP/1.1\r\n{usual}Accept: application/json, text/event-stream\r\n"
            f"Mcp-Session-Id: {client.headers['Mcp-Session-Id']}\r\nContent-Length: {len(body)}\r\n\r\n{body}"
        ).encode()

    with socket.create_connection(("127.0.0.1", two.port), timeout=PATIENCE) as connection:
        connection.sendall(message(here) + message(there))
        found = b"".join(iter(lambda: connection.recv(1 << 16), b""))

    assert found.count(b"HTTP/1.1 200") == 1
    assert there.post(PING).status == 200


def test_what_one_worker_has_answered_counts_at_the_gates_of_another(two: Served):
    """A read leaves no record: that it was answered is known to all workers before its answer is out."""
    here, there = one_in_each(two, "reader")
    gate = {"current_phase": "learn", "action": "look it up", "session_id": "of two workers"}
    assert "search_experiences" not in there.call("check_compliance", **gate)["completed_tools"]

    here.call("search_experiences", query="anything")

    assert "search_experiences" in there.call("check_compliance", **gate)["completed_tools"]


@pytest.mark.parametrize("era", ["handshake", "stateless"])
def test_a_real_client_with_a_model_to_lend_is_served_by_two_workers(doors: Doors, two: Served, era: Era):
    """Its answers to questions come in by any worker, and find the call that waits for them."""
    from mcp_types import CreateMessageResult, TextContent

    async def model(context: Any, params: Any) -> CreateMessageResult:
        return CreateMessageResult(role="assistant", content=TextContent(text="Untested."), model="some-model-1")

    with doors.at(two.url, era, two.told, client={"sampling_callback": model}) as agent:
        session = agent.call(GATEWAY, {"operation": "start_new", "sessionTitle": f"Judged {era}"})["sessionId"]
        agent.call(GATEWAY, {"operation": "cipher", "sessionId": session})
        for number in range(3):
            said = agent.call(
                GATEWAY,
                {
                    "operation": "thought",
                    "sessionId": session,
                    "thought": f"Step {number}",
                    "nextThoughtNeeded": True,
                    "critique": True,
                },
            )
            assert said["critique"]["text"] == "Untested."


def test_a_removed_token_opens_no_worker(tmp_path: Path):
    tokens = Tokens(tmp_path / "data")
    kept, removed = (tokens.add(name, ["_default"], World()) for name in ("kept", "removed"))
    server = Served(environment(tmp_path / "data"), tmp_path / "said", "--workers", "2")
    try:
        client = server.client()

        def statuses(token: str) -> set[int]:
            found = set()
            for _ in range(8):
                client.reconnect()
                headers = {"Authorization": f"Bearer {token}", "Mcp-Session-Id": "0.x"}
                found.add(client.request("POST", json.dumps(PING).encode(), headers).status)
            return found

        assert statuses(removed) == statuses(kept) == {404}

        tokens.remove("removed")

        assert statuses(removed) == statuses("made-up-and-long-enough") == {401}
        assert statuses(kept) == {404}
    finally:
        server.stop()


def test_a_worker_that_dies_is_replaced_and_the_sessions_of_others_go_on(tmp_path: Path):
    server = Served(environment(tmp_path / "data"), tmp_path / "said", "--workers", "2")
    try:
        clients = one_in_each(server)
        before = server.workers()
        died = before.copy().pop()

        os.kill(died, signal.SIGKILL)

        soon(lambda: len(server.workers() - before) == 1)
        for client in clients:
            client.reconnect()
        answers = soon(lambda: [client.post(PING).status for client in clients])
        assert sorted(answers) == [200, 404], "who was there has to begin anew, as the protocol has it"
        soon(lambda: len({server.client("handshake").slot for _ in range(4)}) == 2)
        assert "is started again" in server.stderr()
    finally:
        server.stop()


@pytest.mark.sampled(2)
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_no_worker_outlives_the_supervisor(tmp_path: Path, number: int):
    server = Served(environment(tmp_path / "data"), tmp_path / "said", "--workers", "2")
    try:
        server.client().call("thought_record", sessionId="s1", thoughtType="note", content="kept")
        workers = server.workers()
        assert len(workers) == 2

        server.popen.send_signal(number)

        assert server.ends_within(BRIEF) == (-signal.SIGKILL if number == signal.SIGKILL else 0)
        soon(lambda: not any(map(command, workers)), BRIEF)
        with pytest.raises(OSError, match="refused"):
            server.connect().connect()
        if number != signal.SIGKILL:
            assert not (tmp_path / "data" / "thoughtbox.db-wal").exists()
    finally:
        server.stop()
    with Thoughtbox(load(environment(tmp_path / "data"))) as box:
        assert box.engine.read(lambda sql: sql.row("SELECT last_seq FROM workspaces")).result() == (1,)


@pytest.mark.parametrize(
    ("words", "says"),
    [(["--stdio"], "one process, for one client"), (["--http", "--storage", "memory"], "belongs to one process")],
    ids=["stdio", "memory"],
)
def test_where_there_can_be_one_process_only_more_are_refused_in_words(tmp_path: Path, words: list[str], says: str):
    done = run_forked(["-m", "thoughtbox", "serve", *words, "--workers", "2"], environment(tmp_path))

    assert done.returncode == 2
    assert says in done.stderr.decode()


def test_when_a_worker_cannot_start_the_server_says_why_and_ends(tmp_path: Path):
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "thoughtbox.db").write_bytes(b"this is no database at all" * 1000)

    done = run_forked(
        ["-m", "thoughtbox", "serve", "--http", "--port", "0", "--workers", "2"], environment(tmp_path / "data")
    )

    assert done.returncode != 0
    assert b"listens" not in done.stderr
    assert b"STORAGE_DAMAGED" in done.stderr
