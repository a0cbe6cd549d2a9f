"""What is known of sessions, in files: what stands there, who may read it, and what comes of what goes wrong."""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.servers import environment, soon
from tests.support.workers import Served
from thoughtbox.doors.mcp.transports.session_files import STREAM, TURN, SessionFiles
from thoughtbox.doors.mcp.transports.shared_files import SharedFiles

PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "http" / "sessions"


@pytest.fixture
def files(folder: Path) -> SessionFiles:
    return SessionFiles(folder)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Served]:
    server = Served(environment(tmp_path / "data"), tmp_path / "said")
    yield server
    server.stop()


def test_a_file_is_for_its_owner_only_and_does_not_say_what_lets_its_client_in(server: Served, tmp_path: Path):
    client = server.client("handshake", capabilities={"roots": {}})

    [file] = (tmp_path / "data" / "http" / "sessions").iterdir()

    assert client.headers["Mcp-Session-Id"] not in file.name + file.read_text(encoding="utf-8")
    assert json.loads(file.read_bytes())["peer"] == ["2025-11-25", "tester", {"roots": {}}]
    assert [path.stat().st_mode & 0o077 for path in (file, file.parent, file.parent.parent)] == [0, 0, 0]


def test_a_session_whose_file_is_damaged_is_not_found_and_others_are(tmp_path: Path):
    told = environment(tmp_path / "data")
    first = Served(told, tmp_path / "said")
    clients = [first.client("handshake", f"client {number}") for number in range(3)]
    first.stop()
    whole = {json.loads(file.read_bytes())["peer"][1]: file for file in (tmp_path / "data/http/sessions").iterdir()}
    whole["client 0"].write_bytes(b"")
    whole["client 1"].unlink()

    again = Served(told, tmp_path / "said again")
    try:
        found = [again.client("handshake", headers=client.headers).post(PING).status for client in clients]
    finally:
        again.stop()

    assert found == [404, 404, 200]


def test_where_nothing_can_be_written_a_session_is_known_to_its_process_and_that_is_said(
    server: Served, tmp_path: Path
):
    (tmp_path / "data" / "http").write_bytes(b"in the way")

    client = server.client("handshake")

    assert client.post(PING).status == 200
    soon(lambda: "a session cannot be kept" in server.stderr())


def test_fields_are_changed_one_by_one_and_of_what_is_gone_nothing_comes_back(files: SessionFiles):
    key = files.key_of(b"handle")
    first = files.change(key, {"one": 1, "two": 2}, is_new=True)
    second = files.change(key, {"two": 3})

    assert first is not None
    assert second not in (None, first)
    assert files.read(key) == ({"one": 1, "two": 3}, second)
    files.remove(key)
    assert files.change(key, {"two": 4}) is None
    assert files.read(key) is None


def test_no_two_changes_look_the_same_however_fast_they_come(files: SessionFiles):
    assert files.change("a", {}, is_new=True)

    changes = [files.change("a", {"stage": number}) for number in range(300)]

    assert None not in changes
    assert len(set(changes)) == len(changes)


def test_what_nobody_has_used_for_long_is_removed(files: SessionFiles, folder: Path):
    used, unused = files.key_of(b"used"), files.key_of(b"unused")
    for key in (used, unused):
        files.change(key, {}, is_new=True)
    hour_ago = time.time() - 3600
    for key in (used, unused):
        os.utime(folder / key, (hour_ago, hour_ago))
    files.touch(used)

    files.remove_unused(1800)

    assert [file.name for file in folder.iterdir()] == [used]


def test_where_there_is_no_folder_nothing_is_removed_and_nothing_fails(files: SessionFiles, folder: Path):
    files.remove_unused(0)
    folder.parent.write_bytes(b"in the way")
    files.remove_unused(0)


def test_a_lock_is_of_one_session_and_one_thing_and_ends_with_its_process(files: SessionFiles, folder: Path):
    script = (
        "import sys\nfrom pathlib import Path\n"
        "from thoughtbox.doors.mcp.transports.session_files import SessionFiles, TURN\n"
        "files = SessionFiles(Path(sys.argv[1]))\n"
        "print(files.lock(files.key_of(b'one'), TURN), flush=True)\nsys.stdin.read()"
    )
    other = subprocess.Popen(
        [sys.executable, "-P", "-c", script, str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    with other:
        assert other.stdout
        assert other.stdout.readline() == b"True\n"
        one, two = files.key_of(b"one"), files.key_of(b"two")
        assert not files.lock(one, TURN)
        assert files.lock(one, STREAM)
        assert files.lock(two, TURN)
        other.kill()

    assert files.lock(one, TURN)


def test_who_was_stopped_in_the_middle_of_writing_keeps_nobody_waiting(
    files: SessionFiles, folder: Path, caplog: pytest.LogCaptureFixture
):
    key = files.key_of(b"handle")
    files.change(key, {"one": 1}, is_new=True)
    holds = f"import fcntl, sys\nfile = open({str(folder.parent / 'locks')!r}, 'r+b')\n"
    holds += "fcntl.lockf(file, fcntl.LOCK_EX, 1, 0)\nprint('held', flush=True)\nsys.stdin.read()"
    with subprocess.Popen([sys.executable, "-c", holds], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as stopped:
        assert stopped.stdout
        stopped.stdout.readline()
        assert files.change(key, {"one": 2}) is not None
        stopped.kill()

    assert "its turn is passed over" in caplog.text


def test_what_a_killed_server_has_left_is_removed_by_the_next_and_what_a_living_one_has_is_not(tmp_path: Path):
    killed, living = SharedFiles(tmp_path), SharedFiles(tmp_path)
    for files in (killed, living):
        files.make()
    fcntl.flock(killed._lock, fcntl.LOCK_UN)  # as the system does it
    next_one = SharedFiles(tmp_path)

    next_one.make()

    left = {folder.name for folder in (tmp_path / "http").iterdir()}
    assert left == {f"server-{living.server:x}", f"server-{next_one.server:x}"}
    for files in (killed, living, next_one):
        files.remove()
    assert not list((tmp_path / "http").iterdir())
