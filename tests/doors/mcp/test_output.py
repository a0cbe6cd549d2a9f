"""Answers on standard output: nobody who has one is ever held up by a client that does not read."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import suppress
from functools import partial

import pytest

from tests.support.forks import PATIENCE
from thoughtbox.doors.mcp.transports.mailbox import Mailbox
from thoughtbox.doors.mcp.transports.output import Output


class Pipe:
    """A pipe with an output on it."""

    def __init__(self) -> None:
        self.reading, self.writing = os.pipe()
        self.lost = threading.Event()
        self.output = Output(self.writing, Mailbox().post, self.lost.set)

    def read(self, size: int) -> bytes:
        parts = b""
        while len(parts) < size:
            parts += os.read(self.reading, size - len(parts))
        return parts


@pytest.fixture
def pipe() -> Iterator[Pipe]:
    pipe = Pipe()
    yield pipe
    for descriptor in (pipe.reading, pipe.writing):
        with suppress(OSError):
            os.close(descriptor)


def test_a_message_is_a_line_and_written_at_once(pipe: Pipe):
    pipe.output.send(b"one")
    pipe.output.answer(b"two", -1)
    pipe.output.unanswered()

    assert pipe.output.is_clear
    assert os.read(pipe.reading, 100) == b"one\ntwo\n"


@pytest.mark.parametrize("size", [10, 5_000, 300_000])
def test_a_client_that_does_not_read_holds_nobody_up_and_gets_everything_in_order(pipe: Pipe, size: int):
    messages = [f"{number:06}".encode() * (size // 6) for number in range(3_000_000 // size // 6 * 6)]

    for message in messages:
        pipe.output.send(message)  # comes back, though nobody reads

    assert not pipe.output.is_clear
    for message in messages:
        assert pipe.read(len(message) + 1) == message + b"\n"
    pipe.output.wait_until_taken(0, PATIENCE)
    assert pipe.output.is_clear


def test_what_waits_for_the_client_is_done_once_it_has_taken_all(pipe: Pipe):
    cleared = threading.Event()
    message = b"x" * 200_000
    pipe.output.send(message)

    pipe.output.when_clear(cleared.set)

    pipe.read(100_000)
    assert not cleared.is_set(), "the rest is more than a pipe holds"
    pipe.read(len(message) + 1 - 100_000)
    assert cleared.wait(PATIENCE)


def test_when_nothing_waits_it_is_done_soon(pipe: Pipe):
    cleared = threading.Event()

    pipe.output.when_clear(cleared.set)

    assert cleared.wait(PATIENCE)


@pytest.mark.parametrize("size", [10, 200_000])
def test_that_nobody_hears_us_any_more_is_noticed_once_and_does_no_harm(pipe: Pipe, size: int):
    pipe.output.send(b"x" * size)
    os.close(pipe.reading)

    for _ in range(3):
        pipe.output.send(b"y" * size)

    assert pipe.lost.wait(PATIENCE)
    pipe.output.wait_until_taken(0, PATIENCE)


def test_who_reads_requests_can_wait_for_the_client(pipe: Pipe):
    pipe.output.send(b"x" * 500_000)
    waiting = threading.Thread(target=partial(pipe.output.wait_until_taken, 100_000))
    waiting.start()

    pipe.read(300_000)
    assert waiting.is_alive(), "so much more than a pipe holds waits still"
    pipe.read(200_001)
    waiting.join(PATIENCE)
    assert not waiting.is_alive()
