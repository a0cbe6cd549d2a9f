"""What processes use up, and what is kept beside them."""

from __future__ import annotations

import mmap
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from thoughtbox.confinement import holdings, usage
from thoughtbox.confinement.removal import remove
from thoughtbox.confinement.usage import Meter, Process

MEGABYTE = 1024 * 1024
TICKS = os.sysconf("SC_CLK_TCK")
PARENT, CHILD = (1, 10), (2, 20)


def process(own: int = 0, children: int = 0, *, is_running: bool = False) -> Process:
    return Process(own, children, 0, is_running)


def test_a_process_is_known_by_what_it_is_not_called(tmp_path: Path):
    strange = tmp_path / ") R 1 (x"
    strange.symlink_to(sys.executable)
    with subprocess.Popen([strange, "-c", "input()"], stdin=subprocess.PIPE) as started:
        found = next(one for (number, _), one in usage.now().items() if number == started.pid)
        assert found.own < TICKS * 10
        started.communicate(b"\n")


def test_time_is_counted_once_when_a_parent_waits():
    meter = Meter()
    assert meter.seconds({PARENT: process(5), CHILD: process(10)}) == 15 / TICKS
    assert meter.seconds({PARENT: process(5, 12)}) == 17 / TICKS


def test_time_of_a_child_that_nobody_waits_for_is_not_forgotten():
    meter = Meter()
    meter.seconds({PARENT: process(5), CHILD: process(10)})
    assert meter.seconds({PARENT: process(5)}) == 15 / TICKS
    assert meter.seconds({PARENT: process(6)}) == 16 / TICKS


def test_a_child_too_short_to_have_any_time_counts_if_it_was_running():
    meter = Meter()
    for number in range(100):
        meter.seconds({PARENT: process(), (number + 5, 1): process(is_running=True)})
    assert meter.seconds({PARENT: process()}) == 100 / TICKS
    assert Meter().seconds({PARENT: process()}) == 0


def test_the_same_number_may_be_another_process():
    meter = Meter()
    meter.seconds({PARENT: process(), (7, 1): process(30)})
    assert meter.seconds({PARENT: process(), (7, 2): process(1)}) == 31 / TICKS


def test_empty_files_and_folders_take_up_room(tmp_path: Path):
    for number in range(10):
        (tmp_path / f"folder-{number}").mkdir()
        (tmp_path / f"folder-{number}" / "empty").touch()
    assert holdings.size_of([str(tmp_path)]) >= 20 * holdings.LEAST


def test_a_file_with_two_names_counts_once(tmp_path: Path):
    (tmp_path / "one").write_bytes(bytes(MEGABYTE))
    before = holdings.size_of([str(tmp_path)])
    (tmp_path / "two").hardlink_to(tmp_path / "one")
    assert holdings.size_of([str(tmp_path)]) == before


def test_a_link_counts_as_itself(tmp_path: Path):
    (tmp_path / "all").symlink_to("/usr")
    assert holdings.size_of([str(tmp_path)]) == holdings.LEAST


def test_no_path_is_too_long_to_be_seen(tmp_path: Path):
    deep(tmp_path, levels=60)
    assert holdings.ENDLESS > holdings.size_of([str(tmp_path)]) >= MEGABYTE
    assert remove(tmp_path)


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is locked for root")
def test_a_locked_folder_is_unlocked_to_be_seen(tmp_path: Path):
    locked = tmp_path / "locked"
    locked.mkdir()
    (locked / "file").write_bytes(bytes(MEGABYTE))
    locked.chmod(0)
    assert holdings.size_of([str(tmp_path)]) >= MEGABYTE


def test_a_file_without_a_name_is_found_with_who_has_it_open(tmp_path: Path):
    before = holdings.held_by([os.getpid()]).files
    with (tmp_path / "file").open("wb") as file:
        file.write(bytes(4 * MEGABYTE))
        file.flush()
        os.fsync(file.fileno())
        (tmp_path / "file").unlink()
        assert holdings.held_by([os.getpid()]).files - before >= 4 * MEGABYTE
    assert holdings.held_by([os.getpid()]).files == before


def test_memory_that_is_shared_counts_though_nobody_touches_it():
    before = holdings.held_by([os.getpid()]).shared
    with mmap.mmap(-1, 32 * MEGABYTE):
        assert holdings.held_by([os.getpid()]).shared - before == 32 * MEGABYTE


def test_sockets_count_once_there_are_many():
    before = holdings.held_by([os.getpid()]).aside
    pairs = [socket.socketpair() for _ in range(holdings.FREE_SOCKETS)]
    try:
        assert holdings.held_by([os.getpid()]).aside - before >= holdings.FREE_SOCKETS * holdings.SOCKET
    finally:
        for one, other in pairs:
            one.close()
            other.close()


def deep(folder: Path, levels: int) -> None:
    """Folders in folders, with a file at the bottom; longer than any path may be."""
    opened = os.open(folder, os.O_RDONLY)
    for _ in range(levels):
        os.mkdir("d" * 200, dir_fd=opened)
        below = os.open("d" * 200, os.O_RDONLY, dir_fd=opened)
        os.close(opened)
        opened = below
    file = os.open("file", os.O_WRONLY | os.O_CREAT, dir_fd=opened)
    os.write(file, bytes(MEGABYTE))
    os.close(file)
    os.close(opened)
