"""How a stdio server begins and ends. Orphaned servers are what people complain about."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import tty
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.doors.mcp.conftest import StartStdio
from tests.support.forks import PATIENCE
from tests.support.preludes import STUCK_VERIFY, slow_verify
from tests.support.servers import COMMAND, ENVELOPE, StdioServer, environment, soon
from thoughtbox.app import Thoughtbox
from thoughtbox.ledger.verify import verify_workspace
from thoughtbox.settings import load

pytestmark = pytest.mark.sampled(2)


PARENT = """
import subprocess, sys
server = subprocess.Popen(sys.argv[1:])
print(server.pid, flush=True)
server.wait()
"""


def assert_the_store_is_clean(directory: Path, records: int) -> None:
    """Nothing is left to recover, and all that was answered is there."""
    assert not (directory / "thoughtbox.db-wal").exists()
    with Thoughtbox(load(environment(directory))) as box:
        verdict = box.engine.read(lambda sql: verify_workspace(sql, "_default", keys=[], notes=[])).result()
    assert (verdict.valid, verdict.records) == (True, records)


def close_stdin(server: StdioServer) -> None:
    server.close_stdin()


def terminate(server: StdioServer) -> None:
    server.popen.terminate()


def interrupt(server: StdioServer) -> None:
    server.popen.send_signal(signal.SIGINT)


def hang_up(server: StdioServer) -> None:
    server.popen.send_signal(signal.SIGHUP)


ends = pytest.mark.parametrize("end", [close_stdin, terminate, interrupt, hang_up], ids=lambda end: end.__name__)


@ends
def test_a_server_ends_in_time_and_leaves_a_clean_store(
    spawn_stdio: StartStdio, tmp_path: Path, end: Callable[[StdioServer], None]
):
    server = spawn_stdio()
    server.initialize()
    server.call("thought_record", sessionId="s1", thoughtType="note", content="kept")
    assert server.children() == []

    end(server)

    assert server.ends_within(PATIENCE) == 0
    with pytest.raises(ProcessLookupError):
        os.killpg(server.pid, 0)  # it had a process group of its own
    assert_the_store_is_clean(tmp_path / "data", records=1)


@pytest.mark.parametrize("end", [close_stdin, terminate], ids=lambda end: end.__name__)
def test_a_client_that_listens_for_changes_does_not_keep_the_server_alive(
    spawn_stdio: StartStdio, end: Callable[[StdioServer], None]
):
    server = spawn_stdio()
    server.envelope = ENVELOPE
    server.request("subscriptions/listen", {"notifications": {"resourcesListChanged": True}})
    assert server.receive()["method"] == "notifications/subscriptions/acknowledged"

    end(server)

    assert server.ends_within(PATIENCE) == 0


def test_a_server_that_was_asked_nothing_ends_when_stdin_closes(spawn_stdio: StartStdio):
    server = spawn_stdio()
    server.close_stdin()
    assert server.popen.wait(PATIENCE) == 0  # it may still be starting
    assert server.rest() == []


def test_a_server_ends_when_its_parent_is_killed_though_somebody_else_holds_its_stdin(tmp_path: Path):
    ours, theirs = os.pipe()
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT, *COMMAND],
        env=environment(tmp_path / "data"),
        stdin=ours,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        bufsize=0,
    )
    assert parent.stdout
    pid = int(parent.stdout.readline())
    ended = select.poll()
    ended.register(os.pidfd_open(pid), select.POLLIN)
    os.write(theirs, b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
    assert b'"id":1' in parent.stdout.readline()

    parent.kill()
    parent.wait()

    assert ended.poll(PATIENCE * 1000), "the server outlived its parent"
    assert_the_store_is_clean(tmp_path / "data", records=0)
    parent.stdout.close()
    for descriptor in (ours, theirs):
        os.close(descriptor)


@pytest.mark.parametrize("end", [close_stdin, terminate], ids=lambda end: end.__name__)
def test_work_under_way_is_stopped_when_the_server_has_to_end(
    spawn_stdio: StartStdio, tmp_path: Path, end: Callable[[StdioServer], None]
):
    mark = tmp_path / "ended"
    server = spawn_stdio(prelude=slow_verify(mark))
    server.initialize()
    server.request("tools/call", {"name": "ledger_verify"}, token="t")
    assert server.receive()["method"] == "notifications/progress"

    end(server)

    assert server.ends_within(PATIENCE) == 0
    assert mark.read_text(encoding="utf-8") == "GivenUp"


def test_a_server_ends_in_time_even_if_a_call_never_comes_back(spawn_stdio: StartStdio, tmp_path: Path):
    server = spawn_stdio(prelude=STUCK_VERIFY)
    server.initialize()
    server.call("thought_record", sessionId="s1", thoughtType="note", content="kept")
    server.request("tools/call", {"name": "ledger_verify"})
    server.ask("ping")

    server.popen.terminate()

    server.ends_within(PATIENCE)
    with Thoughtbox(load(environment(tmp_path / "data"))) as box:
        assert box.engine.read(lambda sql: verify_workspace(sql, "_default", keys=[], notes=[])).result().valid


def test_a_server_ends_in_time_even_if_its_answers_are_not_read(tmp_path: Path):
    reading, writing = os.pipe()
    server = subprocess.Popen(
        COMMAND,
        env=environment(tmp_path / "data"),
        stdin=subprocess.PIPE,
        stdout=writing,
        stderr=subprocess.DEVNULL,
        bufsize=0,
    )
    assert server.stdin
    for id in range(2000):  # more than a pipe holds
        server.stdin.write(b'{"jsonrpc":"2.0","id":%d,"method":"no/such/method/as/this/one"}\n' % id)
    soon(lambda: _is_full(writing))

    server.terminate()

    server.wait(PATIENCE)
    for descriptor in (reading, writing):
        os.close(descriptor)
    server.stdin.close()


def _is_full(pipe: int) -> bool:
    ready = select.poll()
    ready.register(pipe, select.POLLOUT)
    return not ready.poll(0)


def test_every_request_sent_before_stdin_closes_is_answered(spawn_stdio: StartStdio):
    server = spawn_stdio()
    server.send(
        b'{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},'
        b'"clientInfo":{"name":"tester","version":"1"}}}'
    )
    for id in range(1, 101):
        server.request("tools/call", {"name": "thought_record", "arguments": note(id)})

    server.close_stdin()

    answers = server.rest()
    assert len(answers) == 101
    assert all("result" in answer and not answer["result"].get("isError") for answer in answers)
    assert server.popen.wait(PATIENCE) == 0


def test_requests_from_a_file_are_answered_into_a_file(tmp_path: Path):
    requests, answers = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    requests.write_text(
        '{"jsonrpc":"2.0","id":1,"method":"ping"}\n{"jsonrpc":"2.0","id":2,"method":"ping"}', encoding="utf-8"
    )

    with requests.open("rb") as stdin, answers.open("wb") as stdout:
        subprocess.run(
            COMMAND, env=environment(tmp_path / "data"), stdin=stdin, stdout=stdout, check=True, timeout=PATIENCE
        )

    assert answers.read_text(encoding="utf-8").count('"result":{}') == 2


def test_a_terminal_is_served_like_a_pipe(tmp_path: Path):
    ours, theirs = os.openpty()
    tty.setraw(theirs)
    server = subprocess.Popen(
        COMMAND, env=environment(tmp_path / "data"), stdin=theirs, stdout=theirs, stderr=subprocess.DEVNULL
    )
    os.close(theirs)
    with server:
        os.write(ours, b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
        assert os.read(ours, 1000) == b'{"jsonrpc":"2.0","id":1,"result":{}}\n'
        os.close(ours)
        assert server.wait(PATIENCE) == 0


@pytest.mark.parametrize("end", [close_stdin, terminate], ids=lambda end: end.__name__)
def test_a_system_that_can_poll_nothing_is_served_too(
    spawn_stdio: StartStdio, tmp_path: Path, end: Callable[[StdioServer], None]
):
    """As Windows: everything is written by a thread of its own, and the end of the parent is looked for."""
    server = spawn_stdio(prelude="import os, select, signal; del select.poll, os.pidfd_open, signal.SIGHUP")
    server.initialize()
    server.call("thought_record", sessionId="s1", thoughtType="note", content="x" * 100_000)
    assert server.call("thought_tree", sessionId="s1")["success"]

    end(server)

    assert server.ends_within(PATIENCE) == 0
    assert_the_store_is_clean(tmp_path / "data", records=1)


def note(number: int) -> dict[str, str]:
    return {"sessionId": "s1", "thoughtType": "note", "content": f"thought {number}"}


def test_a_server_ends_when_nobody_can_hear_it_any_more(tmp_path: Path):
    reading, writing = os.pipe()
    server = subprocess.Popen(
        COMMAND,
        env=environment(tmp_path / "data"),
        stdin=subprocess.PIPE,
        stdout=writing,
        stderr=subprocess.DEVNULL,
        bufsize=0,
    )
    os.close(writing)
    with server:
        assert server.stdin
        server.stdin.write(b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
        assert os.read(reading, 1000) == b'{"jsonrpc":"2.0","id":1,"result":{}}\n'

        os.close(reading)
        server.stdin.write(b'{"jsonrpc":"2.0","id":2,"method":"ping"}\n{"jsonrpc":"2.0","id":3,"method":"ping"}\n')

        assert server.wait(PATIENCE) == 0
    assert_the_store_is_clean(tmp_path / "data", records=0)
