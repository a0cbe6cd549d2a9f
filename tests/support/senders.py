"""Every way to send a page's calls: within this process, through the SDK's client, and from a shell."""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.support.agent import Door, Doors, Era, Transport
from tests.support.box import WORKSPACE, Box
from tests.support.forks import run_forked
from tests.support.pages import GATEWAY, Answer, Call
from tests.support.servers import environment
from tests.support.thinker import Client
from thoughtbox.errors import ThoughtboxError

NAMED = {"THOUGHTBOX_PROJECT": WORKSPACE}
"""The workspace of the tests, which pages name where an error does."""

THROUGH_DOORS = ("stdio handshake", "stdio stateless", "http handshake", "http stateless", "shell")


class Sender(NamedTuple):
    """Sends a call and returns the answer, or the error."""

    send: Callable[[Call], Answer]
    names_session: bool = False
    """Nothing is remembered of it, and every call has to name its session."""
    has_stages: bool = True
    """Something is remembered of it, so that it can come too early."""
    exactly: bool = False
    """In the ticking world of the tests: ids and times are those on the page."""


@pytest.fixture(params=["in process", *(pytest.param(way, marks=pytest.mark.sampled(2)) for way in THROUGH_DOORS)])
def sender(request: pytest.FixtureRequest, doors: Doors, tmp_path: Path) -> Iterator[Sender]:
    """One way after the other, each with a store of its own."""
    if request.param == "in process":
        way = in_process()
    elif request.param == "shell":
        way = from_a_shell(tmp_path)
    else:
        transport, era = request.param.split()
        way = through_the_sdk(doors, tmp_path, transport, era)
    with way as found:
        yield found


@contextmanager
def in_process() -> Generator[Sender]:
    box = Box()
    tester = Client(box, agent="tester")

    def send(call: Call) -> Answer:
        try:
            return tester.send(GATEWAY, call)
        except ThoughtboxError as error:
            return error.payload()

    try:
        yield Sender(send, exactly=True)
    finally:
        box.close()


@contextmanager
def through_the_sdk(doors: Doors, directory: Path, transport: Transport, era: Era) -> Generator[Sender]:
    """A process on stdio has one client, and remembers it in every era; over HTTP that takes a handshake."""
    with doors.fresh_agent(Door(transport, era, "sqlite"), directory, settings=NAMED) as agent:

        def send(call: Call) -> Answer:
            answer = agent.raw_call(GATEWAY, call).structured_content
            assert answer is not None
            return answer

        stateless = transport == "http" and era == "stateless"
        yield Sender(send, names_session=stateless, has_stages=not stateless)


@contextmanager
def from_a_shell(directory: Path) -> Generator[Sender]:
    """A process per call; without a `sessionId` it takes the workspace's latest session."""
    told = environment(directory, **NAMED)

    def send(call: Call) -> Answer:
        words = ["-m", "thoughtbox", "call", GATEWAY, "--json", json.dumps(call)]
        done = run_forked(words, told)
        return json.loads(done.stderr if done.returncode else done.stdout)

    yield Sender(send, has_stages=False)
