"""The Observatory as processes: beside any transport, alone, on a file, and while others write, restart and die."""

from __future__ import annotations

import gzip
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed

from tests.support.box import WORKSPACE
from tests.support.forks import PATIENCE, run_forked, spawned
from tests.support.observatory import (
    OBSERVE,
    SERVE_AND_OBSERVE,
    Engine,
    Observatory,
    StartObservatory,
    Store,
    new_store,
)
from tests.support.servers import StdioServer, command, soon
from tests.support.watching import Watcher, get, pages, watching
from tests.support.workers import Served

LINK = re.compile(r"observatory\s+http://127\.0\.0\.1:(\d+)/(\S*)")
FREE = {"THOUGHTBOX_OBSERVATORY_PORT": "0"}

Watch = Callable[..., Watcher]


@pytest.fixture
def watch() -> Iterator[Watch]:
    """Somebody who watches at a port."""
    with ExitStack() as kept:
        yield lambda port, path="/ws", **options: kept.enter_context(watching(port, path, **options))


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")


@pytest.fixture
def start_stdio(tmp_path: Path, store: Store) -> Iterator[Callable[..., StdioServer]]:
    """Starts a server on pipes; what it says on stderr is in `said`."""
    with ExitStack() as kept:

        def start(**settings: str) -> StdioServer:
            with (tmp_path / "said").open("w", encoding="utf-8") as stderr:
                server = StdioServer({**store.told, **FREE, **settings}, stderr=stderr, start=spawned)
            kept.callback(server.stop)
            return server

        yield start


def write(store: Store, *texts: str) -> None:
    with store.opened() as box:
        for text in texts:
            box.thought_record(sessionId="s", thoughtType="note", content=text)


def texts_of(watcher: Watcher, count: int) -> list[str]:
    return [event["data"]["record"]["body"]["text"] for event in watcher.some(count)]


def port_said(said: Path) -> int:
    """The port of the Observatory, as a server says it on stderr."""
    return int(soon(lambda: LINK.search(said.read_text(encoding="utf-8")))[1])


# Beside a transport


def test_beside_a_server_over_http_it_shows_what_that_writes(store: Store, tmp_path: Path, watch: Watch):
    server = Served({**store.told, **FREE}, tmp_path / "said", "--observe")
    try:
        watcher = watch(port_said(server.said))
        watcher.subscribe("records")
        watcher.rest()
        server.client().call("thought_record", sessionId="s", thoughtType="note", content="from a client")
        assert texts_of(watcher, 1) == ["from a client"]
        assert "listens on" in server.stderr()

        server.popen.terminate()
        assert watcher.closed_with() == 1001
        assert server.ends_within(PATIENCE) == 0
    finally:
        server.stop()


def test_beside_a_server_over_stdio_it_says_nothing_on_the_pipe(
    start_stdio: Callable[..., StdioServer], tmp_path: Path, watch: Watch
):
    server = start_stdio(THOUGHTBOX_OBSERVATORY_ENABLED="true")
    port = port_said(tmp_path / "said")
    server.initialize()
    watchers = [watch(port) for _ in range(3)]
    for watcher in watchers:
        watcher.subscribe("records")
        watcher.rest()
    server.call("thought_record", sessionId="s", thoughtType="note", content="from a client")
    assert [texts_of(watcher, 1) for watcher in watchers] == [["from a client"]] * 3
    assert get(port, "/api/records").status == get(port, "/").status == 200

    server.close_stdin()

    assert server.ends_within(PATIENCE) == 0
    assert all(message["jsonrpc"] == "2.0" for message in server.rest()), "nothing but the protocol"
    assert [watcher.closed_with() for watcher in watchers] == [1001] * 3


def test_a_server_is_not_kept_from_ending_by_who_does_not_listen(
    start_stdio: Callable[..., StdioServer], tmp_path: Path
):
    server = start_stdio(THOUGHTBOX_OBSERVATORY_ENABLED="true")
    port = port_said(tmp_path / "said")
    with ExitStack() as kept:
        for begun in (b"", b"GET /", b"GET /api/export HTTP/1.1\r\nHost: localhost\r\n\r\n"):
            connection = kept.enter_context(socket.create_connection(("127.0.0.1", port)))
            connection.sendall(begun)

        server.close_stdin()

        assert server.ends_within(PATIENCE) == 0


def test_it_is_off_unless_it_is_asked_for(start_stdio: Callable[..., StdioServer], tmp_path: Path):
    server = start_stdio()
    server.initialize()
    server.close_stdin()

    assert server.ends_within(PATIENCE) == 0
    assert "observatory" not in (tmp_path / "said").read_text(encoding="utf-8").lower()


def test_when_the_port_is_taken_a_server_goes_on_and_says_so_and_observe_does_not(
    start_stdio: Callable[..., StdioServer], store: Store, tmp_path: Path
):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        server = start_stdio(THOUGHTBOX_OBSERVATORY_ENABLED="true", THOUGHTBOX_OBSERVATORY_PORT=port)
        server.initialize()
        assert server.call("thought_plan", sessionId="s", planDescription="It goes on.")["success"]
        said = soon(lambda: (tmp_path / "said").read_text(encoding="utf-8"))
        assert "no Observatory from here" in said
        assert f"port {port}" in said

        refused = run_forked([*OBSERVE, "--port", port], store.told)

    assert refused.returncode == 2
    assert f"port {port}" in refused.stderr.decode()
    assert b"Traceback" not in refused.stderr


@pytest.mark.parametrize("words", [OBSERVE, SERVE_AND_OBSERVE, ["-m", "thoughtbox", "serve", "--stdio", "--observe"]])
def test_bound_wider_without_a_token_nothing_starts(store: Store, words: list[str]):
    refused = run_forked(words, {**store.told, **FREE, "THOUGHTBOX_OBSERVATORY_HOST": "0.0.0.0"})

    assert refused.returncode == 2
    assert b"THOUGHTBOX_OBSERVATORY_HOST is 0.0.0.0" in refused.stderr
    assert refused.stdout == b""


def test_bound_wider_it_asks_for_the_token_and_prints_a_link_without_it(
    store: Store, start_observatory: StartObservatory
):
    token = "correct-horse-battery-staple"
    server = start_observatory(store, words=[*OBSERVE, "--host", "0.0.0.0"], THOUGHTBOX_TOKEN=token)

    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/\?token=[\w-]{32}", server.url)
    assert token not in server.said
    assert server.get("/api/records").status == 401
    assert server.get("/api/records", headers={"Authorization": f"Bearer {token}"}).status == 200
    cookie = server.get(server.url.removeprefix(server.origin)).headers["set-cookie"].partition(";")[0]
    assert server.get("/api/records", headers={"Cookie": cookie}).status == 200
    assert cookie not in server.said


# Alone


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_alone_it_shows_what_others_write_and_ends_when_told_to(
    store: Store, start_observatory: StartObservatory, watch: Watch, number: int
):
    write(store, "before")
    server = start_observatory(store)
    watcher = watch(server.port)
    watcher.subscribe("records", since=0)
    assert texts_of(watcher, 1) == ["before"]

    write(store, "meanwhile")
    assert texts_of(watcher, 1) == ["meanwhile"]

    server.popen.send_signal(number)
    assert server.ends_within(PATIENCE) == 0
    assert watcher.closed_with() == 1001


def test_alone_on_a_store_that_is_not_there_yet_it_waits_for_the_first_record(
    store: Store, start_observatory: StartObservatory, watch: Watch
):
    server = start_observatory(store)
    assert server.ask("/api/sessions") == {"sessions": [], "nextCursor": None, "seq": 0}
    watcher = watch(server.port)
    watcher.subscribe("records")
    watcher.rest()

    write(store, "the first")

    assert texts_of(watcher, 1) == ["the first"]


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzip"])
def test_an_export_is_shown_and_nothing_is_written(
    store: Store, tmp_path: Path, start_observatory: StartObservatory, watch: Watch, packed: bool
):
    write(store, "one", "two", "three")
    data = store.run("export").encode()
    file = tmp_path / ("export.jsonl.gz" if packed else "export.jsonl")
    file.write_bytes(gzip.compress(data) if packed else data)
    elsewhere = Store(tmp_path / "elsewhere")
    before = file.read_bytes()

    server = start_observatory(elsewhere, words=[*OBSERVE, str(file)])

    assert (server.ask("/api/health")["readOnly"], server.ask("/api/health")["workspace"]) == (True, WORKSPACE)
    assert [each["record"]["body"]["text"] for each in server.ask("/api/records")["records"]] == ["one", "two", "three"]
    assert server.ask("/api/verify")["standing"] != "broken"
    assert server.get("/api/export").body == data
    watcher = watch(server.port)
    watcher.subscribe("records", since=1)
    assert texts_of(watcher, 2) == ["two", "three"]
    server.popen.terminate()
    assert server.ends_within(PATIENCE) == 0
    assert file.read_bytes() == before
    assert not list(elsewhere.directory.glob("*.db")), "the store of this installation is left alone"


TAMPERED: dict[str, Callable[[list[bytes]], list[bytes]]] = {
    "a word": lambda lines: [line.replace(b"two", b"too") for line in lines],
    "a record less": lambda lines: [line for line in lines if b"two" not in line],
    "no end": lambda lines: lines[:-1],
    "nothing": lambda _: [],
    "something else": lambda _: [b"hello"],
}


@pytest.mark.parametrize("how", TAMPERED)
def test_an_export_that_was_tampered_with_is_refused(store: Store, tmp_path: Path, how: str):
    write(store, "one", "two", "three")
    file = tmp_path / "export.jsonl"
    file.write_bytes(b"\n".join(TAMPERED[how](store.run("export").encode().splitlines())) + b"\n")

    refused = run_forked([*OBSERVE, str(file)], {**store.told, **FREE})

    assert refused.returncode == 1, refused.stderr
    assert refused.stderr
    assert b"observatory  http" not in refused.stderr
    assert b"Traceback" not in refused.stderr


def test_a_file_that_is_none_of_ours_is_a_wrong_command(store: Store, tmp_path: Path):
    write(store, "one")
    for name in (tmp_path / "missing.jsonl", store.database, tmp_path):
        refused = run_forked([*OBSERVE, str(name)], {**store.told, **FREE})
        assert refused.returncode == 2, refused.stderr
        assert b"Traceback" not in refused.stderr


def test_a_store_that_nobody_may_write_is_shown(store: Store, tmp_path: Path, watch: Watch):
    write(store, "one", "two")
    apart = ["unshare", "-m"] if os.geteuid() == 0 else ["unshare", "-rm"]
    if not shutil.which("unshare") or subprocess.run([*apart, "true"], check=False).returncode:
        pytest.skip("this machine lets nobody mount a file system for themselves")
    before = store.database.read_bytes()
    place = str(store.directory)
    mounting = f"mount --bind '{place}' '{place}' && mount -o remount,ro,bind '{place}' && exec \"$@\""
    said = tmp_path / "said"
    with said.open("w", encoding="utf-8") as stderr:
        process = subprocess.Popen(
            [*apart, "sh", "-c", mounting, "sh", sys.executable, "-P", *OBSERVE],
            env={**store.told, **FREE},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=stderr,
        )
    try:
        port = port_said(said)
        watcher = watch(port)
        watcher.subscribe("records", since=0)
        assert texts_of(watcher, 2) == ["one", "two"]
        assert json.loads(get(port, "/api/health").body)["readOnly"] is True
        assert json.loads(get(port, "/api/verify").body)["valid"] is True
    finally:
        process.terminate()
        assert process.wait(PATIENCE) == 0
    assert store.database.read_bytes() == before


# Several processes


def test_several_workers_have_one_observatory_that_shows_them_all(store: Store, tmp_path: Path, watch: Watch):
    server = Served({**store.told, **FREE}, tmp_path / "said", "--observe", "--workers", "2")
    try:
        port = port_said(server.said)
        watcher = watch(port)
        watcher.subscribe("records", since=0)
        for number in range(8):
            client = server.client(name=f"client {number}")
            client.call("thought_record", sessionId="s", thoughtType="note", content=f"{number}")
        assert texts_of(watcher, 8) == [str(number) for number in range(8)]
        assert len(LINK.findall(server.stderr())) == 1
    finally:
        server.stop()


@pytest.mark.sampled(2)
@pytest.mark.parametrize("workers", ["1", "2"])
def test_over_a_restart_who_comes_back_with_its_number_misses_nothing(
    store: Store, tmp_path: Path, watch: Watch, workers: str
):
    server = Served({**store.told, **FREE}, tmp_path / "said", "--observe", "--workers", workers)
    try:
        port = port_said(server.said)
        is_over = threading.Event()
        written: list[str] = []

        def keep_writing() -> None:
            client = server.client()
            while not is_over.is_set():
                client.call("thought_record", sessionId="s", thoughtType="note", content=str(len(written)))
                written.append(str(len(written)))

        writing = threading.Thread(target=keep_writing)
        writing.start()
        told: list[dict[str, Any]] = []
        closed: list[int] = []
        for _ in range(3):
            at = len(told)
            watcher = watch(port)
            watcher.subscribe("records", since=told[-1]["seq"] if told else 0)
            told += watcher.some(5)
            server.restart()
            try:
                while True:
                    told.append(watcher.next())
            except ConnectionClosed:
                closed.append(watcher.closed_with())
            assert len(told) > at
        is_over.set()
        writing.join(PATIENCE)
        watcher = watch(port)
        watcher.subscribe("records", since=told[-1]["seq"])
        told += watcher.some(len(written) - len(told))

        assert closed == [1012] * 3, "the server comes back"
        assert [event["seq"] for event in told] == list(range(1, len(written) + 1))
        assert [event["data"]["record"]["body"]["text"] for event in told] == written
    finally:
        server.stop()


def test_who_watches_is_told_why_it_is_sent_away_whatever_it_sends_meanwhile(
    store: Store, tmp_path: Path, watch: Watch
):
    """What came in unread when a connection is closed takes back what was sent on it."""
    server = Served({**store.told, **FREE}, tmp_path / "said", "--observe")
    try:
        watchers = [watch(port_said(server.said)) for _ in range(8)]

        def talk(watcher: Watcher) -> None:
            with suppress(ConnectionClosed):
                while True:
                    watcher.send("ping")
                    watcher.text()

        talking = [threading.Thread(target=talk, args=(watcher,)) for watcher in watchers]
        for thread in talking:
            thread.start()
        server.restart()
        for thread in talking:
            thread.join(PATIENCE)
        assert [watcher.closed_with() for watcher in watchers] == [1012] * 8
    finally:
        server.stop()


def test_who_writes_beside_it_may_be_killed_and_all_that_is_in_the_ledger_is_told(
    store: Store, start_observatory: StartObservatory, watch: Watch
):
    server = start_observatory(store)
    watcher = watch(server.port)
    watcher.subscribe("records", since=0)
    told: list[int] = []
    for _ in range(3):
        writer = StdioServer(store.told)
        writer.initialize()
        for number in range(60):
            arguments = {"sessionId": "s", "thoughtType": "note", "content": str(number)}
            writer.request("tools/call", {"name": "thought_record", "arguments": arguments})
        told += [event["seq"] for event in watcher.some(5)]
        os.kill(writer.pid, signal.SIGKILL)
        writer.stop()

    write(store, "the last")
    told += [event["seq"] for event in watcher.until(lambda event: texts([event]) == ["the last"])]

    in_ledger = [record["seq"] for page in pages(server.ask, "/api/records") for record in page["records"]]
    assert told == in_ledger == list(range(1, len(told) + 1))
    assert server.ask("/api/verify")["valid"]


def texts(events: list[dict[str, Any]]) -> list[str]:
    return [event["data"]["record"]["body"]["text"] for event in events]


@pytest.mark.parametrize("engine", ["sqlite", "postgres"])
def test_two_processes_show_the_same_store_while_a_third_one_writes(
    engine: Engine, tmp_path: Path, request: pytest.FixtureRequest, start_observatory: StartObservatory, watch: Watch
):
    with new_store(engine, tmp_path / "shared", request.config) as store:
        servers = [start_observatory(store), start_observatory(store, words=SERVE_AND_OBSERVE)]
        watchers = [watch(server.port) for server in servers]
        for watcher in watchers:
            watcher.subscribe("records", since=0)
            watcher.rest()
        count = 120

        write(store, *map(str, range(count)))

        for watcher in watchers:
            assert texts_of(watcher, count) == list(map(str, range(count)))
        for server in servers:
            server.stop()


def test_a_process_that_is_killed_leaves_its_port_to_the_next(
    store: Store, start_observatory: StartObservatory, watch: Watch
):
    write(store, "one")
    server = start_observatory(store)
    watcher = watch(server.port)
    watcher.subscribe("records", since=0)
    watcher.next()
    os.kill(server.pid, signal.SIGKILL)
    server.stop()
    write(store, "two")

    after: Observatory = server.again()
    try:
        watcher = watch(after.port)
        watcher.subscribe("records", since=1)
        assert texts_of(watcher, 1) == ["two"]
        assert command(after.pid)
    finally:
        after.stop()
