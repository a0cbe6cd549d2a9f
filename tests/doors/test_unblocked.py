"""Writing without waiting, to whatever a descriptor may lead to."""

from __future__ import annotations

import os
import pty
import socket
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from thoughtbox.doors import unblocked
from thoughtbox.doors.unblocked import Unblocked

LINE = b"a line\n"


@pytest.fixture(params=["told not to wait", "asked before"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "asked before":
        monkeypatch.setattr(unblocked, "_NOT_WAITING", 0)
    return request.param


def test_a_pipe_takes_what_there_is_room_for_and_then_nothing(way: str):
    reading, writing = os.pipe()
    out = Unblocked(writing)
    taken = 0
    while more := out.write(b"x" * 10_000):
        taken += more
    assert taken >= 4096
    assert out.write(LINE) == 0

    left = taken
    while left:
        left -= len(os.read(reading, left))
    assert out.write(LINE) == len(LINE)
    assert os.read(reading, 100) == LINE
    for descriptor in (reading, writing):
        os.close(descriptor)


def test_whoever_has_gone_is_told_of(way: str):
    reading, writing = os.pipe()
    os.close(reading)
    with pytest.raises(BrokenPipeError):
        Unblocked(writing).write(LINE)
    os.close(writing)


def test_files_terminals_and_sockets_are_written_to_alike(way: str, tmp_path: Path):
    path = tmp_path / "said"
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    near, far = socket.socketpair()
    screen, terminal = pty.openpty()
    for descriptor in (file, near.fileno(), terminal):
        out = Unblocked(descriptor)
        assert [out.write(LINE), out.write(LINE)] == [len(LINE)] * 2

    assert path.read_bytes() == LINE * 2
    assert far.recv(100) == LINE * 2
    assert os.read(screen, 100).replace(b"\r", b"") in (LINE, LINE * 2)
    for descriptor in (file, screen, terminal):
        os.close(descriptor)
    near.close()
    far.close()


def test_others_who_share_the_descriptor_may_still_wait_on_it(way: str):
    reading, writing = os.pipe()
    Unblocked(writing).write(LINE)
    assert os.get_blocking(writing)
    for descriptor in (reading, writing):
        os.close(descriptor)


def test_several_threads_write_at_the_same_time_and_every_line_is_whole(way: str, tmp_path: Path):
    path = tmp_path / "said"
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    out = Unblocked(file)
    with ThreadPoolExecutor(4) as threads:
        written = list(threads.map(lambda _: out.write(LINE), range(300)))
    os.close(file)

    assert written == [len(LINE)] * 300
    assert path.read_bytes() == LINE * 300
