"""A server that is restarted while it serves: no call fails, and nobody has to begin anew."""

from __future__ import annotations

import asyncio
import json
import re
import signal
import socket
import threading
import time
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
from tests.support.workers import BRIEF, USUAL, Served
from thoughtbox.app import Thoughtbox
from thoughtbox.doors.http.event_loop import new_loop
from thoughtbox.doors.mcp.server import McpServer
from thoughtbox.doors.mcp.transports.channel import Channel, Frame
from thoughtbox.doors.mcp.transports.http import HttpServer
from thoughtbox.doors.mcp.transports.worker_frames import CONNECTION, LEAVE, LEFT
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
    assert server.ends_within(BRIEF) == 0
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
        assert client.ask("tools/list", {}).json()["result"] == before["result"], "its stage is the same"
        added = client.call(GATEWAY, operation="thought", thought="After", nextThoughtNeeded=False)
        assert (added["sessionId"], added["thoughtNumber"]) == (session, 1)


def test_streams_are_ended_in_order_and_can_be_opened_again(two: Served):
    client = two.client("handshake")
    stream = client.stream()
    listening = two.connect()
    params = {"notifications": {"resourcesListChanged": True}, "_meta": ENVELOPE}
    body = json.dumps({"jsonrpc": "2.0", "id": "mine", "method": "subscriptions/listen", "params": params})
    headers = {**USUAL, "MCP-Protocol-Version": STATELESS, "Mcp-Method": "subscriptions/listen"}
    listening.request("POST", "/mcp", body, headers)
    listened = listening.getresponse()

    two.restart()

    assert stream.read().replace(b": ping\r\n\r\n", b"") == b"", "whole, and with nothing in it"
    *_, last = listened.read().decode().strip().split("data: ")
    assert json.loads(last)["id"] == "mine", "a stream that was asked for ends with the answer to that"
    again = client.stream()
    two.client().call("thought_record", sessionId="news", thoughtType="note", content="x")
    assert b"list_changed" in next(line for line in iter(again.readline, b"") if line.startswith(b"data"))


@pytest.mark.parametrize("cut", [10, -20], ids=["in its head", "in its body"])
def test_a_request_that_is_half_there_is_answered_when_the_rest_has_come(two: Served, cut: int):
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": {"_meta": ENVELOPE}}).encode()
    head = (
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nMcp-Method: server/discover\r\n"
        f"Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: {STATELESS}\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    )
    whole = head.encode() + body
    before = soon(lambda: len(found := two.workers()) == 2 and found)
    connection = two.connect()
    connection.connect()
    connection.sock.sendall(whole[:cut])

    two.popen.send_signal(signal.SIGUSR1)
    soon(lambda: len(two.workers() - before) == 2)
    time.sleep(0.5)
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
    server.client().call("thought_record", sessionId="s1", thoughtType="note", content="kept")
    server.restart()
    server.restart()
    (successor,) = server.workers()
    assert server.client().call("ledger_status")["records"] == 1
    assert server.stderr().count("thoughtbox: restarted\n") == 2

    server.popen.terminate()

    assert server.pid == pid
    assert server.ends_within(BRIEF) == 0
    soon(lambda: not Path(f"/proc/{successor}").exists(), BRIEF)
    assert not (tmp_path / "data" / "thoughtbox.db-wal").exists()


def test_when_the_new_one_cannot_start_the_old_one_goes_on(start: Start, tmp_path: Path):
    server = start("--workers", "2")
    before = server.workers()
    client = server.client("handshake")
    (tmp_path / "data" / "config.json").write_text("{", encoding="utf-8")

    server.popen.send_signal(signal.SIGUSR1)

    soon(lambda: server.stderr().count("could not start") == 2)
    assert "restarted" not in server.stderr()
    assert server.workers() == before
    assert client.post(PING).status == 200


def test_a_store_in_memory_is_not_thrown_away(start: Start):
    server = start("--storage", "memory")
    client = server.client()
    client.call("thought_record", sessionId="s1", thoughtType="note", content="kept")

    server.popen.send_signal(signal.SIGUSR1)

    soon(lambda: "cannot be restarted" in server.stderr())
    assert "kill -USR1" not in server.stderr()
    assert client.call("ledger_status")["records"] == 1


def open_connections(count: int, server: Served) -> list[HTTPConnection]:
    found = [server.connect() for _ in range(count)]
    for connection in found:
        connection.request("GET", "/health")
        connection.getresponse().read()
    return found


def test_no_idle_connection_is_closed(two: Served):
    idle = open_connections(150, two)
    sockets = [connection.sock for connection in idle]

    two.restart()

    for connection in idle:
        connection.request("GET", "/health")
        assert connection.getresponse().read()
    assert [connection.sock for connection in idle] == sockets


def test_a_connection_taken_in_the_very_turn_in_which_a_server_leaves_is_handed_over(tmp_path: Path):
    with Thoughtbox(load(environment(tmp_path))) as box:
        mcp = McpServer(box, transport="http")
        with asyncio.Runner(loop_factory=new_loop) as runner:
            assert runner.run(_leave_when_one_connects(box, mcp)) == ["moved", "left"]


async def _leave_when_one_connects(box: Thoughtbox, mcp: McpServer) -> list[str]:
    happened: list[str] = []
    loop = asyncio.get_running_loop()
    asked, ask = socket.socketpair()
    with socket.create_server(("127.0.0.1", 0)) as listening, asked, ask:
        server = HttpServer(box, mcp, listening)

        def left() -> None:
            happened.append("left")
            server.ask_to_end()

        def leave() -> None:
            loop.remove_reader(asked.fileno())
            server.leave(lambda *_: happened.append("moved"), lambda _: None, left)

        serving = loop.create_task(server.serve())
        await asyncio.sleep(0)
        loop.add_reader(asked.fileno(), leave)
        # Both are seen in the next turn, in this order.
        with socket.create_connection(listening.getsockname()):
            ask.send(b"leave")
            await serving
    return happened


def test_a_connection_that_was_sent_to_a_server_which_has_just_left_is_handed_over(tmp_path: Path):
    with Thoughtbox(load(environment(tmp_path))) as box:
        mcp = McpServer(box, transport="http")
        with asyncio.Runner(loop_factory=new_loop) as runner:
            came, read = runner.run(_leave_and_be_sent_one(box, mcp))
    assert came == [LEFT, CONNECTION]
    assert read.startswith(b"POST /mcp HTTP/1.1\r\n")


async def _leave_and_be_sent_one(box: Thoughtbox, mcp: McpServer) -> tuple[list[str], bytes]:
    """The test is the supervisor: it has sent a connection before it heard that the server has left."""
    ours, theirs = socket.socketpair()
    client, served = socket.socketpair()
    supervisor = Channel(ours)
    frames: list[Frame] = []

    async def heard(kind: str) -> Frame:
        while (found := next((frame for frame in frames if frame.kind == kind), None)) is None:
            frames.extend(supervisor.receive() or ())
            await asyncio.sleep(0.001)
        return found

    with socket.create_server(("127.0.0.1", 0)) as listening, ours, theirs, client:
        server = HttpServer(box, mcp, listening)
        server.join(0, theirs)
        serving = asyncio.get_running_loop().create_task(server.serve())
        await asyncio.sleep(0)
        supervisor.send(Frame(LEAVE, {}))
        await heard(LEFT)
        ended, _ = await asyncio.wait({serving}, timeout=0.2)
        assert not ended, "it does not wait to hear that nothing more comes"
        body = json.dumps(PING)
        named = {**USUAL, "Host": f"127.0.0.1:{listening.getsockname()[1]}", "Mcp-Session-Id": "0.gone"}
        heads = "".join(f"{name}: {value}\r\n" for name, value in {**named, "Content-Length": len(body)}.items())
        asked = f"POST /mcp HTTP/1.1\r\n{heads}\r\n{body}".encode()
        supervisor.send(Frame(CONNECTION, {"is_asked": True, "is_final": False}, asked, served.detach()))
        supervisor.send(Frame(LEFT, {}))
        moved = await heard(CONNECTION)
        await serving
        assert moved.descriptor is not None
        socket.socket(fileno=moved.descriptor).close()
    return [frame.kind for frame in frames], moved.body


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
