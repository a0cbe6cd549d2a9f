"""Servers that come and go: each is gone in time, leaves a store that is folded in, and no process behind."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
from pathlib import Path

import pytest

from tests.faults.store import Store
from tests.support.box import WORKSPACE
from tests.support.servers import COMMAND, ENVELOPE, PATIENCE, StdioServer, children, environment

ENDS = ("stdin", "SIGTERM", "parent")

PARENT = """
import subprocess, sys
server = subprocess.Popen(sys.argv[1:])
print(server.pid, flush=True)
server.wait()
"""


def think(content: str) -> dict[str, object]:
    """A request that needs no handshake."""
    arguments = {"sessionId": "s1", "thoughtType": "note", "content": content}
    params = {"name": "thought_record", "arguments": arguments, "_meta": ENVELOPE}
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}


def live(told: dict[str, str], content: str, end: str) -> None:
    """A server that is asked one thing and then ended, by its client or by a signal."""
    server = StdioServer(told)
    try:
        server.initialize()
        server.call("thought_record", sessionId="s1", thoughtType="note", content=content)
        assert server.children() == []
        if end == "stdin":
            server.close_stdin()
        else:
            server.popen.terminate()
        assert server.ends_within(PATIENCE) == 0
        with pytest.raises(ProcessLookupError):
            os.killpg(server.pid, 0)
    finally:
        server.stop()


def live_with_a_parent_that_is_killed(told: dict[str, str], content: str) -> None:
    """Somebody else holds the server's standard input, so that nothing but its parent's end tells it to go."""
    ours, theirs = os.pipe()
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT, *COMMAND],
        env=told,
        stdin=ours,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    assert parent.stdout
    pid = int(parent.stdout.readline())
    watched = os.pidfd_open(pid)
    try:
        os.write(theirs, json.dumps(think(content)).encode() + b"\n")
        assert b'"success":true' in parent.stdout.readline()
        assert children(pid) == []
        parent.kill()
        parent.wait(PATIENCE)
        ended = select.poll()
        ended.register(watched, select.POLLIN)
        assert ended.poll(PATIENCE * 1000), "the server outlived its parent"
    finally:
        parent.kill()
        parent.stdout.close()
        for descriptor in (ours, theirs, watched):
            os.close(descriptor)


@pytest.mark.parametrize("cycles", [3, pytest.param(100, marks=pytest.mark.torture)])
def test_every_server_is_gone_in_time_and_leaves_its_log_folded_in(cycles: int, tmp_path: Path):
    told = environment(tmp_path, THOUGHTBOX_PROJECT=WORKSPACE)
    for number in range(cycles):
        end = ENDS[number % len(ENDS)]
        if end == "parent":
            live_with_a_parent_that_is_killed(told, f"thought {number}")
        else:
            live(told, f"thought {number}", end)
        assert not (tmp_path / "thoughtbox.db-wal").exists(), f"{end} left a log behind"
    with Store(tmp_path) as store:
        store.assert_whole()
        assert store.contents() == [f"thought {number}" for number in range(cycles)]
