"""The log written in advance: there for the next commits, never in anybody's way, and never taken for anything."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.conformance.store import add, ids, make_things, read, write
from tests.support.forks import PATIENCE
from tests.support.logs import is_folded
from tests.support.servers import HttpServer, StdioServer, environment, soon
from thoughtbox.engine import log_reserve, sqlite_watch
from thoughtbox.engine.open_files import OpenFiles
from thoughtbox.engine.sqlite import Durability, SqliteEngine
from thoughtbox.engine.wal import examine

AHEAD, LARGEST = 1 << 16, 1 << 18


@pytest.fixture(autouse=True)
def soon_at_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small logs, and short times."""
    monkeypatch.setattr(log_reserve, "AHEAD", AHEAD)
    monkeypatch.setattr(log_reserve, "LARGEST", LARGEST)
    monkeypatch.setattr(sqlite_watch, "IDLE_SECONDS", 0.2)
    monkeypatch.setattr(sqlite_watch, "FOLD_AGAIN_SECONDS", 0.01)
    monkeypatch.setattr(sqlite_watch, "FOLD_WHEN_BUSY_SECONDS", 0.01)
    monkeypatch.setattr(sqlite_watch, "SETTLE_SECONDS", 0.05)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "store.db"


@contextmanager
def serving(path: Path, durability: Durability = "full") -> Generator[SqliteEngine]:
    engine = SqliteEngine(path, durability=durability)
    engine.keep()
    engine.watch(lambda: None)
    yield engine
    engine.close()


def log_of(path: Path) -> Path:
    return Path(f"{path}-wal")


def size(path: Path) -> int:
    return log_of(path).stat().st_size


def assert_holds(path: Path, numbers: list[int]) -> None:
    engine = SqliteEngine(path)
    assert read(engine, ids) == numbers
    engine.close()


def as_it_lies(path: Path, target: Path) -> Path:
    """A copy of database and log, as a process that was killed leaves them."""
    target.mkdir()
    for part in ("", "-wal", "-witness"):
        if (file := Path(f"{path}{part}")).exists():
            shutil.copyfile(file, target / file.name)
    return target / path.name


def test_who_serves_has_the_log_written_in_advance_and_at_rest_the_file_alone_is_all_of_the_store(
    path: Path, tmp_path: Path
):
    with serving(path) as engine:
        make_things(engine, ["one", "two"])
        soon(lambda: size(path) >= AHEAD and is_folded(path))
        kept = size(path)
        copy = tmp_path / "copy.db"
        shutil.copyfile(path, copy)
        assert_holds(copy, [1, 2])
        for number in range(3, 6):
            write(engine, add(number))
            soon(lambda: is_folded(path))
        assert size(path) == kept
        assert read(engine, ids) == [1, 2, 3, 4, 5]
    assert not log_of(path).exists()
    assert_holds(path, [1, 2, 3, 4, 5])


def test_commits_that_are_not_synced_need_no_log_written_in_advance(path: Path):
    with serving(path, "normal") as engine:
        make_things(engine, ["one"])
        soon(lambda: size(path) == 0)


def test_a_log_that_has_become_too_large_is_emptied_at_rest(path: Path):
    with serving(path) as engine:
        make_things(engine)
        write(engine, lambda sql: sql.many("INSERT INTO things VALUES (?, ?)", ((n, "x" * 3000) for n in range(200))))
        assert size(path) > LARGEST
        soon(lambda: size(path) <= LARGEST)
        write(engine, add(200))
        soon(lambda: AHEAD <= size(path) <= LARGEST and is_folded(path))
        assert read(engine, ids) == list(range(201))


def test_under_load_of_many_nothing_is_lost_and_the_log_starts_over(path: Path, tmp_path: Path):
    """Two processes' worth of engines, with readers beside them; now and then, what a power cut would leave."""
    with serving(path) as engine, serving(path) as other:
        make_things(engine)
        told: list[int] = []
        stop = threading.Event()

        def look() -> None:
            while not stop.is_set():
                before = len(told)
                assert len(read(engine, ids)) >= before

        looking = threading.Thread(target=look)
        looking.start()
        largest = number = 0
        # Until twice as much was committed as the log has ever held: it has started over.
        while number < 600 or largest >= number * 4096:
            assert number < 60_000
            futures = [engine.write("lane", add(number, "x" * 1500), here=True), other.write("lane", add(number + 1))]
            for future in futures:
                future.result(PATIENCE)
            told += [number, number + 1]
            largest = max(largest, size(path))
            number += 2
        stop.set()
        looking.join(PATIENCE)
        assert read(engine, ids) == read(other, ids) == told
        left = as_it_lies(path, tmp_path / "left")
        assert not examine(log_of(left)).is_damaged
        assert_holds(left, told)


def test_zeros_and_frames_of_earlier_rounds_behind_the_last_commit_are_nothing(
    path: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
):
    with serving(path) as engine:
        make_things(engine)
        for number in range(12):
            write(engine, add(number))
        soon(lambda: is_folded(path))
        write(engine, add(12))  # over the first frames of the round before
        left = as_it_lies(path, tmp_path / "left")
        log = log_of(left).read_bytes()
    assert log.endswith(bytes(4096))
    found = examine(log_of(left))
    assert found.frames < 12 * 2
    assert found.bad == found.frames + 1
    assert not found.is_damaged
    for tail in (b"", bytes(1), bytes(4096), bytes(1 << 20)):
        log_of(left).write_bytes(log + tail)
        assert not examine(log_of(left)).is_damaged
        assert_holds(left, list(range(13)))
    log_of(left).write_bytes(bytes(1 << 16))
    assert_holds(left, list(range(13)))
    assert caplog.messages == []


def test_another_process_that_empties_the_log_takes_nothing_and_is_followed_by_a_new_one(path: Path):
    with serving(path) as engine:
        make_things(engine)
        soon(lambda: size(path) >= AHEAD)
        with serving(path, "normal") as other:
            write(other, add(1))
            soon(lambda: size(path) == 0)
        write(engine, add(2))
        soon(lambda: size(path) >= AHEAD and is_folded(path))
        assert read(engine, ids) == [1, 2]


def test_whoever_has_not_long_to_live_leaves_the_log_alone(path: Path):
    engine = SqliteEngine(path)
    engine.watch(lambda: None)
    make_things(engine, ["one"])
    soon(lambda: size(path) == 0)
    engine.close()


FULL_DISK = """
import resource, sys
from pathlib import Path
from tests.conformance.store import add, ids, make_things, read, write
from tests.support.servers import soon
from thoughtbox.engine import log_reserve, sqlite_watch
from thoughtbox.engine.sqlite import SqliteEngine

sqlite_watch.SETTLE_SECONDS = 0.05
path = Path(sys.argv[1])
engine = SqliteEngine(path)
make_things(engine)
resource.setrlimit(resource.RLIMIT_FSIZE, (log_reserve.AHEAD // 2, log_reserve.AHEAD // 2))
told = []
log_reserve.logger.warning = lambda *words: told.append(words)
engine.keep()
engine.watch(lambda: None)
write(engine, add(1))
soon(lambda: told)
write(engine, add(2))
assert read(engine, ids) == [1, 2]
engine.close()
"""


def test_a_disk_that_has_no_room_for_it_is_said_and_nobody_fails(path: Path):
    pytest.importorskip("resource")
    done = subprocess.run(
        [sys.executable, "-c", FULL_DISK, str(path)], capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert done.returncode == 0, done.stderr
    assert_holds(path, [1, 2])


def test_a_file_in_the_place_of_the_log_is_not_written_to(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    with serving(path) as engine:
        make_things(engine)
        soon(lambda: size(path) >= AHEAD)
        log_of(path).rename(tmp_path / "moved")
        log_of(path).write_bytes(b"somebody else's")
        looks: list[bool] = []
        in_place = OpenFiles.are_in_place
        monkeypatch.setattr(OpenFiles, "are_in_place", lambda files: looks.append(in_place(files)) or looks[-1])
        monkeypatch.setattr(sqlite_watch, "IDLE_SECONDS", 10 * PATIENCE)
        monkeypatch.setattr(sqlite_watch, "SETTLE_SECONDS", PATIENCE)
        engine._last_commit = time.monotonic() - PATIENCE  # as if something was committed: it is time to write ahead
        soon(lambda: len(looks) > 1)  # and the first look has led to nothing
        assert not any(looks)
        assert log_of(path).read_bytes() == b"somebody else's"
        log_of(path).unlink()
        (tmp_path / "moved").rename(log_of(path))


@pytest.mark.sampled(2)
@pytest.mark.parametrize("serve", [StdioServer, HttpServer])
def test_a_server_that_syncs_every_commit_has_all_in_its_file_at_rest_and_no_log_when_it_has_ended(
    serve: type[StdioServer] | type[HttpServer], tmp_path: Path
):
    server = serve(environment(tmp_path / "data", THOUGHTBOX_DURABILITY="full"))
    database = tmp_path / "data" / "thoughtbox.db"
    try:
        if isinstance(server, StdioServer):
            server.initialize()
        server.call("thought_record", sessionId="s1", thoughtType="note", content="one")
        soon(lambda: size(database) >= 1 << 20 and is_folded(database))
        assert server.call("ledger_verify")["records"] == 1
        os.kill(server.pid, signal.SIGTERM)
        server.ends_within(PATIENCE)
        assert not log_of(database).exists()
    finally:
        server.stop()
