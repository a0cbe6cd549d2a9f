"""Several processes that are one server: whichever a request comes to, it is answered as by one."""

from __future__ import annotations

import json
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from http.client import HTTPResponse
from pathlib import Path
from typing import Any

import pytest

from tests.support.agent import Doors, Era
from tests.support.forks import PATIENCE, run_forked
from tests.support.servers import command, environment, soon
from tests.support.workers import Served, WorkersClient
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
    """A client that is connected to each of the workers."""
    return [server.client("handshake", name).go_to(worker) for worker in sorted(server.workers())]


def told(stream: HTTPResponse, method: str) -> dict[str, Any]:
    """The next notification of that kind on a stream; others are passed over."""
    for line in iter(stream.readline, b""):
        if line.startswith(b"data: {") and (message := json.loads(line[6:])).get("method") == method:
            return message
    raise AssertionError("the stream has ended")


def test_both_workers_take_connections_and_write_to_one_store(two: Served):
    clients = one_in_each(two)

    written = [client.call("thought_record", sessionId="both", thoughtType="note", content="x") for client in clients]

    assert {client.worker for client in clients} == two.workers()
    assert [answer["thought"]["thoughtId"] for answer in written] == ["th:1", "th:2"]


def test_a_session_is_the_same_whichever_worker_its_requests_come_to(two: Served):
    here, there = sorted(two.workers())
    client = two.client("handshake").go_to(here)
    begun = client.call(GATEWAY, operation="start_new", sessionTitle="Of two workers")
    client.go_to(there).call(GATEWAY, operation="cipher")
    for number, worker in enumerate((here, there, there, here), 1):
        added = client.go_to(worker).call(GATEWAY, operation="thought", thought=f"{number}", nextThoughtNeeded=True)

        assert added["thoughtNumber"] == number
        assert added["sessionId"] == begun["sessionId"], "it is remembered which session this client works on"

    other = client.go_to(here).call(GATEWAY, operation="start_new", sessionTitle="Another")
    client.call(GATEWAY, operation="cipher")
    added = client.go_to(there).call(GATEWAY, operation="thought", thought="x", nextThoughtNeeded=True)
    assert (added["sessionId"], added["thoughtNumber"]) == (other["sessionId"], 1), "also where it was known before"


def test_calls_of_one_client_that_come_to_several_workers_at_once_run_one_after_the_other(two: Served):
    """Each of them moves the client on from where it stands: none is lost, and none is done twice."""
    client = two.client("handshake")
    begun = client.call(GATEWAY, operation="start_new", sessionTitle="Of many at once")
    client.call(GATEWAY, operation="cipher")
    callers = [client.again().go_to(worker) for worker in sorted(two.workers()) for _ in range(3)]
    added: list[tuple[str, int]] = []

    def think(caller: WorkersClient) -> None:
        for _ in range(10):
            answer = caller.call(GATEWAY, operation="thought", thought="x", nextThoughtNeeded=True)
            added.append((answer["sessionId"], answer["thoughtNumber"]))

    threads = [threading.Thread(target=think, args=(caller,)) for caller in callers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)

    assert sorted(added) == [(begun["sessionId"], number) for number in range(1, 61)]


def test_a_session_that_was_ended_is_gone_for_every_worker_and_no_other_is(two: Served):
    here, there = sorted(two.workers())
    ended, other = (two.client("handshake") for _ in range(2))
    for worker in (here, there):
        ended.go_to(worker).post(PING)
    assert ended.go_to(here).request("DELETE", headers=ended.headers).status == 200

    for worker in (there, here):
        assert ended.go_to(worker).post(PING).status == 404
        assert other.go_to(worker).post(PING).status == 200


def test_a_session_belongs_to_its_token_in_every_worker(tmp_path: Path):
    tokens = Tokens(tmp_path / "data")
    mine, theirs = (
        {"Authorization": f"Bearer {tokens.add(name, ['_default'], World())}"} for name in ("mine", "theirs")
    )
    server = Served(environment(tmp_path / "data"), tmp_path / "said", "--workers", "2")
    try:
        client = server.client("handshake", headers=mine)
        for worker in server.workers():
            client.go_to(worker)
            assert client.post(PING).status == 200
            named = {**client.headers, **theirs}
            assert client.request("POST", json.dumps(PING).encode(), named).status == 404
    finally:
        server.stop()


@pytest.mark.parametrize("handle", ["0.nobody", "1.nobody", "7.nobody", "nobody", "9999.x", "99999.x", "-1.x", "."])
def test_a_handle_that_nobody_has_made_is_not_found_by_any_worker(two: Served, handle: str):
    client = two.client()
    for _ in range(3):
        client.reconnect()
        answer = client.request("POST", json.dumps(PING).encode(), {"Mcp-Session-Id": handle})
        assert answer.status == 404
        assert answer.json()["error"]["message"] == "Session not found"


def test_streams_of_all_workers_hear_of_what_any_of_them_writes(two: Served):
    streams = [two.client("handshake").stream(worker) for worker in two.workers()]

    two.client().call("thought_record", sessionId="news", thoughtType="note", content="a new session")

    for stream in streams:
        assert told(stream, "notifications/resources/list_changed")
        stream.close()


def test_a_stream_in_one_worker_tells_of_what_its_client_does_in_another(two: Served):
    here, there = sorted(two.workers())
    client = two.client("handshake")
    stream = client.stream(here)
    client.go_to(there)

    session = client.call(GATEWAY, operation="start_new", sessionTitle="Watched")["sessionId"]
    assert told(stream, "notifications/tools/list_changed"), "there are more tools at this stage"
    uri = f"thoughtbox://session/{session}"
    assert client.ask("resources/subscribe", {"uri": uri}).status == 200
    client.call(GATEWAY, operation="cipher")
    client.call(GATEWAY, operation="thought", thought="x", nextThoughtNeeded=True)
    assert told(stream, "notifications/resources/updated")["params"]["uri"] == uri
    stream.close()


def test_a_session_has_one_stream_in_whichever_worker(two: Served):
    here, there = sorted(two.workers())
    client = two.client("handshake")
    stream = client.stream(here)
    for worker in (here, there):
        assert client.go_to(worker).request("GET", headers=client.headers).status == 409

    stream.close()
    client.hang_up()

    soon(lambda: not client.is_refused_a_stream(there))


def a_call_that_asks(client: WorkersClient) -> dict[str, Any]:
    """A call on which the client's model is consulted."""
    client.call(GATEWAY, operation="start_new", sessionTitle="Asked")
    client.call(GATEWAY, operation="cipher")
    asking = {"operation": "thought", "thought": "x", "nextThoughtNeeded": True, "critique": True}
    return {"name": GATEWAY, "arguments": asking}


def test_a_call_is_taken_back_in_whichever_worker_its_client_says_so(two: Served):
    """A question to the client's model waits for a minute; the call is taken back while it is open."""
    here, there = sorted(two.workers())
    client = two.client("handshake", capabilities={"sampling": {}}).go_to(here)
    call = a_call_that_asks(client)
    answer = client.begin({"jsonrpc": "2.0", "id": "mine", "method": "tools/call", "params": call})
    asked = told(answer, "sampling/createMessage")

    other = client.again().go_to(there)
    cancelled = {"method": "notifications/cancelled", "params": {"requestId": "mine"}}
    assert other.post({"jsonrpc": "2.0", **cancelled}).status == 202

    assert asked["method"] == "sampling/createMessage"
    assert told(answer, "notifications/cancelled")["params"]["requestId"] == asked["id"]


def test_an_answer_to_a_question_finds_its_call_in_whichever_worker_it_comes_in(two: Served):
    here, there = sorted(two.workers())
    client = two.client("handshake", capabilities={"sampling": {}}).go_to(here)
    call = a_call_that_asks(client)
    answer = client.begin({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": call})
    asked = told(answer, "sampling/createMessage")

    said = {"role": "assistant", "model": "some-model-1", "content": {"type": "text", "text": "Untested."}}
    other = client.again().go_to(there)
    assert other.post({"jsonrpc": "2.0", "id": asked["id"], "result": said}).status == 202

    assert b"Untested." in answer.read()


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


def test_a_worker_that_dies_is_replaced_and_all_sessions_go_on(tmp_path: Path):
    server = Served(environment(tmp_path / "data"), tmp_path / "said", "--workers", "2")
    try:
        clients = one_in_each(server)
        begun = [client.call(GATEWAY, operation="start_new", sessionTitle="Before")["sessionId"] for client in clients]
        before = server.workers()

        os.kill(min(before), signal.SIGKILL)

        soon(lambda: len(server.workers() - before) == 1)
        (new,) = server.workers() - before
        for client, session in zip(clients, begun, strict=True):
            client.reconnect()
            client.go_to(new).call(GATEWAY, operation="cipher")
            added = client.call(GATEWAY, operation="thought", thought="After", nextThoughtNeeded=True)
            assert (added["sessionId"], added["thoughtNumber"]) == (session, 1)
        assert "is started again" in server.stderr()
    finally:
        server.stop()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_session_goes_on_in_a_server_that_is_started_after_its_own_has_ended(tmp_path: Path, number: int):
    told = environment(tmp_path / "data")
    with ExitStack() as kept:
        server = Served(told, tmp_path / "said")
        kept.callback(server.stop)
        client = server.client("handshake")
        begun = client.call(GATEWAY, operation="start_new", sessionTitle="Before")["sessionId"]
        server.popen.send_signal(number)
        server.ends_within(PATIENCE)

        server = Served(told, tmp_path / "said again")
        kept.callback(server.stop)
        after = server.client("handshake", headers=client.headers)

        after.call(GATEWAY, operation="cipher")
        assert after.call(GATEWAY, operation="thought", thought="x", nextThoughtNeeded=True)["sessionId"] == begun


@pytest.mark.sampled(2)
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_no_worker_outlives_the_supervisor(tmp_path: Path, number: int):
    server = Served(environment(tmp_path / "data"), tmp_path / "said", "--workers", "2")
    try:
        server.client().call("thought_record", sessionId="s1", thoughtType="note", content="kept")
        workers = server.workers()
        assert len(workers) == 2

        server.popen.send_signal(number)

        assert server.ends_within(PATIENCE) == (-signal.SIGKILL if number == signal.SIGKILL else 0)
        soon(lambda: not any(map(command, workers)))
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
