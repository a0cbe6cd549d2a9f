"""A server that is restarted while it serves: no call fails, and nobody has to begin anew."""

from __future__ import annotations

import json
import re
import signal
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from http.client import HTTPConnection
from pathlib import Path

import pytest

from tests.doors.mcp.test_real_agents import claude, codex
from tests.support.agent import Doors
from tests.support.box import empty_schema
from tests.support.forks import PATIENCE
from tests.support.pages import Answer, Call
from tests.support.servers import ENVELOPE, STATELESS, environment, soon
from tests.support.workers import USUAL, Served
from thoughtbox.app import Thoughtbox
from thoughtbox.settings import load

GATEWAY = "thoughtbox_gateway"
PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}

Start = Callable[..., Served]


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server of two workers, restarted again and again."""
    directory = tmp_path_factory.mktemp("two")
    server = Served(environment(directory / "data"), directory / "said", "--workers", "2")
    yield server
    server.stop()


@pytest.fixture
def start(tmp_path: Path, request: pytest.FixtureRequest) -> Start:
    def start(*options: str, **settings: str) -> Served:
        server = Served(environment(tmp_path / "data", **settings), tmp_path / "said", *options)
        request.addfinalizer(server.stop)
        return server

    return start


class Caller(threading.Thread):
    """Records one thought after the other, and notes every answer that is none."""

    def __init__(self, server: Served, era: str, name: str, *, reconnects: bool) -> None:
        super().__init__(name=name, daemon=True)
        self._client = server.client(era, name)
        self._reconnects = reconnects
        self._is_to_stop = threading.Event()
        self.said: list[str] = []
        self.failures: list[str] = []
        self.start()

    def run(self) -> None:
        while not self._is_to_stop.is_set() and not self.failures:
            content = f"{self.name} says {len(self.said)}"
            try:
                if self._reconnects:
                    self._client.reconnect()
                self._client.call("thought_record", sessionId=self.name, thoughtType="note", content=content)
            except Exception as error:
                self.failures.append(f"{content}: {error!r}")
            else:
                self.said.append(content)

    def stop(self) -> None:
        self._is_to_stop.set()
        self.join(PATIENCE)


@pytest.mark.parametrize(
    ("engine", "workers", "restarts"),
    [("sqlite", 2, 3), ("sqlite", 1, 2), pytest.param("postgres", 2, 2, marks=pytest.mark.sampled(3))],
)
def test_no_call_fails_and_every_record_is_there_once_when_a_server_is_restarted(
    start: Start, request: pytest.FixtureRequest, engine: str, workers: int, restarts: int
):
    place = {}
    if engine == "postgres":
        schema = empty_schema(request.config)
        request.addfinalizer(lambda: schema.__exit__(None, None, None))
        place = {"THOUGHTBOX_DATABASE_URL": schema.__enter__()}
    server = start("--workers", str(workers), **place)
    callers = [
        Caller(server, era, f"{era}-{number}", reconnects=number == 0)
        for era in ("handshake", "stateless")
        for number in range(3)
    ]

    for _ in range(restarts):
        server.restart()
        counts = [len(caller.said) for caller in callers]
        soon(lambda before=counts: all(map(_has_gone_on, callers, before)))
    for caller in callers:
        caller.stop()

    assert [failure for caller in callers for failure in caller.failures] == []
    server.popen.terminate()
    assert server.ends_within(PATIENCE) == 0
    with Thoughtbox(load(server.told)) as box:
        rows = box.engine.read(lambda sql: sql.rows("SELECT content FROM records")).result()
    written = Counter(content for (record,) in rows if (content := _text(record)) is not None)
    assert written == Counter(content for caller in callers for content in caller.said)


def _has_gone_on(caller: Caller, before: int) -> bool:
    return len(caller.said) > before or bool(caller.failures)


def _text(record: bytes) -> str | None:
    """What a record says, if it is one of the callers'."""
    found = re.search(rb'"([a-z]+-\d says \d+)"', bytes(record))
    return found[1].decode() if found is not None else None


def test_a_session_goes_on_where_it_was_when_its_server_is_restarted(two: Served):
    clients = [two.client("handshake", f"client-{number}") for number in range(3)]
    sessions = [client.call(GATEWAY, operation="start_new", sessionTitle="Before")["sessionId"] for client in clients]
    for client in clients:
        client.call(GATEWAY, operation="cipher")
    tools = [client.ask("tools/list", {}).json() for client in clients]

    two.restart()

    for client, session, before in zip(clients, sessions, tools, strict=True):
        client.reconnect()
        assert client.worker in {None, *two.workers()}
        assert client.ask("tools/list", {}).json()["result"] == before["result"], "its stage is the same"
        added = client.call(GATEWAY, operation="thought", thought="After", nextThoughtNeeded=False)
        assert (added["sessionId"], added["thoughtNumber"]) == (session, 1)


def test_a_stream_says_how_far_it_was_told_and_the_next_one_tells_the_rest(two: Served):
    client = two.client("handshake")
    session = client.call(GATEWAY, operation="start_new", sessionTitle="Watched")["sessionId"]
    uri = f"thoughtbox://session/{session}"
    client.ask("resources/subscribe", {"uri": uri})
    stream = client.stream()

    two.restart()

    *_, last = stream.read().replace(b": ping\r\n\r\n", b"").rstrip().split(b"\r\n\r\n")
    told = re.fullmatch(rb"id: (\d+)\r\nretry: \d+\r\ndata:", last.rstrip())
    assert told, last
    two.client().call("thought_record", sessionId="meanwhile", thoughtType="note", content="x")
    client.reconnect()
    client.call(GATEWAY, operation="cipher")
    client.call(GATEWAY, operation="thought", thought="Nobody listens yet", nextThoughtNeeded=True)
    again = client.stream(**{"Last-Event-ID": told[1].decode()})
    heard = {b"notifications/resources/list_changed", uri.encode()}
    while heard:
        line = again.readline()
        assert line, "the stream has ended"
        heard = {one for one in heard if one not in line}


def test_a_client_of_an_older_revision_is_sent_no_event_that_it_does_not_know(two: Served):
    client = two.client("handshake", revision="2025-06-18")
    stream = client.stream()

    two.restart()

    told = stream.read()
    assert b"id:" not in told
    assert b"retry:" not in told


def test_who_listens_without_a_session_is_answered_and_may_listen_again(two: Served):
    listening = two.connect()
    params = {"notifications": {"resourcesListChanged": True}, "_meta": ENVELOPE}
    body = json.dumps({"jsonrpc": "2.0", "id": "mine", "method": "subscriptions/listen", "params": params})
    headers = {**USUAL, "MCP-Protocol-Version": STATELESS, "Mcp-Method": "subscriptions/listen"}
    listening.request("POST", "/mcp", body, headers)
    listened = listening.getresponse()

    two.restart()

    *_, last = listened.read().decode().strip().split("data: ")
    assert json.loads(last)["id"] == "mine", "a stream that was asked for ends with the answer to that"


def test_a_call_that_was_begun_is_answered_and_may_ask_its_client_meanwhile(two: Served):
    """What the client says to the question comes to the new process, and finds the call in the old one."""
    client = two.client("handshake", capabilities={"sampling": {}})
    client.call(GATEWAY, operation="start_new", sessionTitle="Asked")
    client.call(GATEWAY, operation="cipher")
    asking = {"operation": "thought", "thought": "x", "nextThoughtNeeded": True, "critique": True}
    call = {"name": GATEWAY, "arguments": asking}
    answer = client.begin({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": call})
    asked = next(json.loads(line[6:]) for line in iter(answer.readline, b"") if line.startswith(b"data: {"))

    two.restart()

    said = {"role": "assistant", "model": "some-model-1", "content": {"type": "text", "text": "Untested."}}
    assert client.again().post({"jsonrpc": "2.0", "id": asked["id"], "result": said}).status == 202
    assert b"Untested." in answer.read()


@pytest.mark.parametrize("cut", [10, -20], ids=["in its head", "in its body"])
def test_a_request_that_is_half_there_is_answered_when_the_rest_has_come(two: Served, cut: int):
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": {"_meta": ENVELOPE}}).encode()
    head = (
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nMcp-Method: server/discover\r\n"
        f"Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: {STATELESS}\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    )
    whole = head.encode() + body
    connection = two.connect()
    connection.connect()
    connection.sock.sendall(whole[:cut])
    soon(lambda: two.worker_of(connection))

    two.restart()
    connection.sock.sendall(whole[cut:])

    assert connection.sock.recv(12) == b"HTTP/1.1 200"


def test_the_sdks_client_sees_nothing_of_a_restart(doors: Doors, start: Start):
    server = start()
    with doors.at(server.url, "handshake", server.told) as agent:
        agent.call(GATEWAY, {"operation": "start_new", "sessionTitle": "Before"})

        for number in (1, 2):
            server.restart()
            agent.call(GATEWAY, {"operation": "cipher"})
            added = agent.call(GATEWAY, {"operation": "thought", "thought": "x", "nextThoughtNeeded": True})
            assert added["thoughtNumber"] == number


def test_a_server_of_one_process_keeps_its_id_and_ends_with_its_successor(start: Start, tmp_path: Path):
    server = start()
    pid = server.pid
    client = server.client()
    client.call("thought_record", sessionId="s1", thoughtType="note", content="kept")
    client.reconnect()
    server.restart()
    server.restart()
    soon(server.has_left)
    (successor,) = server.workers()
    assert server.client().call("ledger_status")["records"] == 1
    assert server.stderr().count("thoughtbox: restarted\n") == 2

    server.popen.terminate()

    assert server.pid == pid
    assert server.ends_within(PATIENCE) == 0
    soon(lambda: not Path(f"/proc/{successor}").exists())
    assert not (tmp_path / "data" / "thoughtbox.db-wal").exists()


def test_when_the_new_one_cannot_start_the_old_one_goes_on(start: Start, tmp_path: Path):
    server = start("--workers", "2")
    before = server.workers()
    client = server.client("handshake")
    (tmp_path / "data" / "config.json").write_text("{", encoding="utf-8")

    server.popen.send_signal(signal.SIGUSR1)

    soon(lambda: server.stderr().count("could not start") == 2)
    assert "restarted" not in server.stderr()
    assert server.workers() == before, "and nobody else"
    assert client.post(PING).status == 200


def test_a_store_in_memory_is_not_thrown_away(start: Start):
    server = start("--storage", "memory")
    client = server.client()
    client.call("thought_record", sessionId="s1", thoughtType="note", content="kept")

    server.popen.send_signal(signal.SIGUSR1)

    soon(lambda: "cannot be restarted" in server.stderr())
    assert "kill -USR1" not in server.stderr()
    assert client.call("ledger_status")["records"] == 1


def test_an_idle_connection_is_answered_once_more_and_then_closed(two: Served):
    """Whoever closes an idle connection may cut off a request that is on its way."""
    idle = [two.connect() for _ in range(50)]
    before = [ask_for_health(connection) for connection in idle]
    sockets = [connection.sock for connection in idle]
    assert set(before) == {None}

    two.restart()

    assert [connection.sock for connection in idle] == sockets
    for connection in idle:
        soon(lambda one=connection: ask_for_health(one) == "close")  # it hears that it is to leave a moment later
    soon(two.has_left)


def ask_for_health(connection: HTTPConnection) -> str | None:
    """What is said of the connection itself."""
    connection.request("GET", "/health")
    answer = connection.getresponse()
    assert answer.status == 200
    answer.read()
    return answer.headers["connection"]


def test_a_silent_connection_keeps_nobody_from_leaving(two: Served):
    silent = [two.connect() for _ in range(2)]
    for connection in silent:
        connection.connect()
        soon(lambda one=connection: two.worker_of(one))

    two.restart()

    soon(two.has_left)
    assert [connection.sock.recv(1) for connection in silent] == [b"", b""]


def test_restarts_that_are_asked_for_at_once_are_one_or_two(start: Start):
    server = start("--workers", "2")
    for _ in range(20):
        server.popen.send_signal(signal.SIGUSR1)
    client = server.client()

    soon(lambda: "thoughtbox: restarted" in server.stderr() and server.has_left())

    client.reconnect()
    assert client.call("ledger_status")["records"] == 0
    assert 1 <= server.stderr().count("thoughtbox: restarted\n") <= 2


@pytest.mark.sampled(2)
@pytest.mark.parametrize("program", ["claude", "codex"])
def test_a_real_agent_sees_nothing_of_a_restart(two: Served, tmp_path: Path, program: str):
    """Its server is restarted before every thought: Claude Code is stateless and listens, Codex has a session."""

    def script(answers: list[Answer]) -> Call | None:
        if not answers:
            return {"operation": "start_new", "sessionTitle": f"Of {program}"}
        session = answers[0]["sessionId"]
        if len(answers) == 1:
            return {"operation": "cipher", "sessionId": session}
        if len(answers) == 5:
            return None
        two.restart()
        return {"operation": "thought", "thought": "Go on", "nextThoughtNeeded": True, "sessionId": session}

    if program == "claude":
        model = claude({"type": "http", "url": two.url}, script, tmp_path)
    else:
        model = codex([f'url = "{two.url}"'], script, tmp_path)

    assert [answer.get("thoughtNumber") for answer in model.last.answers[2:]] == [1, 2, 3], model.last.answers
