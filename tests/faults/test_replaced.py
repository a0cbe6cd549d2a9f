"""The store removed, moved or replaced under a running server: nothing is acknowledged that will not be there."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.faults.store import Store
from tests.support.box import WORKSPACE
from tests.support.forks import PATIENCE
from tests.support.logs import is_folded
from tests.support.servers import StdioServer, environment, soon
from thoughtbox.errors import StorageError

DATABASE, LOG, SHARED = (f"thoughtbox.db{part}" for part in ("", "-wal", "-shm"))
Start = Callable[[], StdioServer]


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.fixture
def start(directory: Path) -> Iterator[Start]:
    """Starts real servers on the directory, with commits that reach the disk."""
    started: list[StdioServer] = []

    def start() -> StdioServer:
        server = StdioServer(environment(directory, THOUGHTBOX_PROJECT=WORKSPACE, THOUGHTBOX_DURABILITY="full"))
        started.append(server)
        server.initialize()
        return server

    yield start
    for server in started:
        server.stop()


def think(server: StdioServer, content: str) -> dict[str, Any]:
    return server.call("thought_record", sessionId="s1", thoughtType="note", content=content)


def assert_refused(answer: dict[str, Any]) -> None:
    assert answer["code"] == "STORAGE_ERROR", answer
    assert "removed or replaced" in answer["message"]


def end(server: StdioServer) -> None:
    server.close_stdin()
    server.ends_within(PATIENCE)


def files(directory: Path) -> dict[str, bytes]:
    """All but the shared memory, where readers leave their marks."""
    return {path.name: path.read_bytes() for path in directory.glob("thoughtbox.db*") if path.name != SHARED}


def contents(directory: Path) -> list[str]:
    with Store(directory, durability="full") as store:
        store.assert_whole()
        return store.contents()


def remove_files(directory: Path) -> None:
    for path in directory.glob("thoughtbox.db*"):
        path.unlink()


def move_directory(directory: Path) -> None:
    directory.rename(directory.with_name("away"))


def move_directory_and_make_another(directory: Path) -> None:
    move_directory(directory)
    directory.mkdir()


def move_database(directory: Path) -> None:
    (directory / DATABASE).rename(directory / "away.db")


@pytest.mark.parametrize(
    "take_away",
    [remove_files, shutil.rmtree, move_directory, move_directory_and_make_another, move_database],
    ids=lambda one: one.__name__,
)
def test_a_store_that_was_taken_away_is_neither_written_nor_read_nor_made_again(
    take_away: Callable[[Path], object], start: Start, directory: Path
):
    server = start()
    assert think(server, "one")["success"]
    take_away(directory)
    after = files(directory)
    for number in range(3):
        assert_refused(think(server, f"lost {number}"))
        assert_refused(server.call("ledger_status"))
    assert files(directory) == after
    end(server)
    assert files(directory) == after


def test_a_store_that_was_moved_away_and_back_is_written_again(start: Start, directory: Path):
    server = start()
    think(server, "one")
    move_directory(directory)
    assert_refused(think(server, "refused"))
    directory.with_name("away").rename(directory)
    assert think(server, "two")["success"]
    end(server)
    assert contents(directory) == ["one", "two"]


def test_a_store_that_was_replaced_by_a_copy_leaves_the_copy_alone(start: Start, directory: Path, tmp_path: Path):
    server = start()
    think(server, "one")
    copy = shutil.copytree(directory, tmp_path / "copy")
    think(server, "two")
    for name in (DATABASE, LOG, SHARED):
        (copy / name).replace(directory / name)
    before = files(directory)
    assert_refused(think(server, "refused"))
    assert_refused(server.call("ledger_status"))
    end(server)
    assert files(directory) == before


def test_a_log_taken_away_makes_neither_a_second_history_nor_a_valid_store(start: Start, directory: Path):
    """The first server has acknowledged what only its open descriptor still holds: the second sees that it is gone."""
    first = start()
    assert think(first, "one")["success"]
    for name in (LOG, SHARED):
        (directory / name).unlink()
    with pytest.raises(StorageError, match="missing tail"):
        Store(directory, durability="full")
    assert_refused(think(first, "refused"))
    end(first)
    with pytest.raises(StorageError, match="missing tail"):
        Store(directory, durability="full")


def test_a_log_at_rest_that_is_taken_away_lets_a_second_server_start_and_stops_the_first(start: Start, directory: Path):
    first = start()
    assert think(first, "one")["success"]
    soon(lambda: is_folded(directory / DATABASE))
    for name in (LOG, SHARED):
        (directory / name).unlink()
    second = start()
    assert think(second, "two")["success"]
    assert_refused(think(first, "refused"))
    assert think(second, "three")["success"]
    end(first)
    assert think(second, "four")["success"]
    end(second)
    assert contents(directory) == ["one", "two", "three", "four"]


def test_a_store_reached_through_a_link_that_leads_elsewhere_now_is_not_the_store(start: Start, directory: Path):
    directory.with_name("first").mkdir()
    directory.symlink_to(directory.with_name("first"))
    server = start()
    assert think(server, "one")["success"]
    directory.with_name("second").mkdir()
    directory.unlink()
    directory.symlink_to(directory.with_name("second"))
    assert_refused(think(server, "refused"))
    end(server)
    assert contents(directory.with_name("first")) == ["one"]
    assert list(directory.with_name("second").iterdir()) == []
