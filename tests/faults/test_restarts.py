"""A server that is restarted again and again while it is written to, watched, and used by real agents."""

from __future__ import annotations

import re
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed

from tests.doors.mcp.test_real_agents import claude, codex
from tests.support.forks import PATIENCE
from tests.support.pages import Answer, Call
from tests.support.servers import environment, is_running, soon
from tests.support.watching import get, watching
from tests.support.workers import Served
from thoughtbox.app import Thoughtbox
from thoughtbox.settings import load

GATEWAY = "thoughtbox_gateway"
WRITERS, WATCHERS = 16, 8
AGENTS_EVERY = 25
"""Restarts between two real agents."""


class Story(threading.Thread):
    """Something that goes on until it is stopped; what is wrong is noted and ends it."""

    def __init__(self, number: int) -> None:
        super().__init__(daemon=True)
        self.number = number
        self.failure: BaseException | None = None
        self._is_to_stop = threading.Event()

    def run(self) -> None:
        try:
            self.tell()
        except BaseException as error:
            self.failure = error

    def tell(self) -> None:
        raise NotImplementedError

    def goes_on(self) -> bool:
        return not self._is_to_stop.is_set()

    def stop(self) -> None:
        self._is_to_stop.set()


class Writer(Story):
    """A client that waits for each answer. Every other one has a session, and knows it by nothing else."""

    def __init__(self, server: Served, number: int) -> None:
        super().__init__(number)
        self._client = server.client("handshake" if number % 2 else "stateless", f"writer-{number}")
        self.said: list[str] = []

    def tell(self) -> None:
        begun = self._begun() if self.number % 2 else ""
        while self.goes_on():
            text = f"writer-{self.number} says {len(self.said)}."
            if self.number % 8 == 7:
                self._client.reconnect()
            if begun:
                answer = self._client.call(GATEWAY, operation="thought", thought=text, nextThoughtNeeded=True)
                assert (answer["sessionId"], answer["thoughtNumber"]) == (begun, len(self.said) + 1)
            else:
                self._client.call("thought_record", sessionId=f"s{self.number}", thoughtType="note", content=text)
            self.said.append(text)

    def _begun(self) -> str:
        begun = self._client.call(GATEWAY, operation="start_new", sessionTitle=f"Of writer {self.number}")
        self._client.call(GATEWAY, operation="cipher")
        return begun["sessionId"]


class WatcherOfRecords(Story):
    """One who watches, and comes back behind the last record that it was told of."""

    def __init__(self, port: int, number: int) -> None:
        super().__init__(number)
        self._port = port
        self.told = 0
        self.codes: list[int] = []

    def tell(self) -> None:
        while self.goes_on():
            with watching(self._port, "/ws") as watcher:
                try:
                    watcher.subscribe("records", since=self.told)
                    while True:
                        self._take(watcher.next())
                except ConnectionClosed:
                    self.codes.append(watcher.closed_with())

    def _take(self, event: dict[str, Any]) -> None:
        if event["event"] == "record:added":
            assert event["seq"] == self.told + 1, "one after the other, and none twice"
            self.told = event["seq"]


@pytest.fixture
def stories() -> Iterator[list[Story]]:
    """What goes on; all of it is stopped in the end."""
    found: list[Story] = []
    yield found
    for one in found:
        one.stop()
    for one in found:
        one.join(PATIENCE)


@pytest.mark.parametrize(
    ("restarts", "workers", "observed"),
    [
        (3, 2, True),
        *(
            pytest.param(200, workers, observed, marks=pytest.mark.torture)
            for workers in (1, 2)
            for observed in (False, True)
        ),
    ],
)
def test_however_often_a_server_is_restarted_nobody_who_works_with_it_is_failed(
    tmp_path: Path, stories: list[Story], restarts: int, workers: int, observed: bool
):
    told = {**environment(tmp_path / "data"), "THOUGHTBOX_OBSERVATORY_PORT": "0"}
    server = Served(told, tmp_path / "said", "--workers", str(workers), *(["--observe"] if observed else []))
    try:
        writers = [Writer(server, number) for number in range(WRITERS)]
        watchers = [WatcherOfRecords(_port(server), number) for number in range(WATCHERS)] if observed else []
        stories += [*writers, *watchers]
        for story in stories:
            story.start()
        for number in range(restarts):
            server.restart()
            counts = [len(writer.said) for writer in writers]
            soon(lambda before=counts: all(len(one.said) > said for one, said in zip(writers, before, strict=True)))
            if number % AGENTS_EVERY == AGENTS_EVERY - 1:
                _let_agents_think(server, tmp_path / f"agents-{number}")
        for writer in writers:
            writer.stop()
        for writer in writers:
            writer.join(PATIENCE)
        soon(server.has_left)
        newest = _newest(told)
        for watcher in watchers:
            soon(lambda one=watcher: one.failure is not None or one.told == newest)
        if watchers:
            soon(lambda: get(_port(server), "/api/health").json()["connections"] == WATCHERS)
        for watcher in watchers:
            watcher.stop()
        processes = {server.pid, *server.workers()}
    finally:
        server.popen.terminate()
        code = server.ends_within(PATIENCE)
        server.stop()

    assert [(one.number, one.failure) for one in stories if one.failure is not None] == []
    assert code == 0
    soon(lambda: not any(map(is_running, processes)))
    written = _written(told)
    assert written == Counter(text for writer in writers for text in writer.said), "each call once"
    for watcher in watchers:
        watcher.join(PATIENCE)
        assert len(watcher.codes) > restarts
        assert set(watcher.codes[:-1]) == {1012}
        assert watcher.codes[-1] == 1001, "the end of the server itself"


def _port(server: Served) -> int:
    return int(soon(lambda: re.search(r"observatory +http://127\.0\.0\.1:(\d+)/", server.stderr()))[1])


def _newest(told: dict[str, str]) -> int:
    with Thoughtbox(load(told)) as box:
        return int(box.engine.read(lambda sql: sql.rows("SELECT max(seq) FROM records")).result()[0][0])


def _written(told: dict[str, str]) -> Counter[str]:
    with Thoughtbox(load(told)) as box:
        rows = box.engine.read(lambda sql: sql.rows("SELECT content FROM records")).result()
    found = (re.search(rb"writer-\d+ says \d+\.", bytes(content)) for (content,) in rows)
    return Counter(each[0].decode() for each in found if each is not None)


def _let_agents_think(server: Served, folder: Path) -> None:
    """Claude Code and Codex, with a restart before each of their thoughts."""

    def script(answers: list[Answer]) -> Call | None:
        if not answers:
            return {"operation": "start_new", "sessionTitle": "In between"}
        if len(answers) == 1:
            return {"operation": "cipher", "sessionId": answers[0]["sessionId"]}
        if len(answers) == 4:
            return None
        server.restart()
        thought = {"operation": "thought", "thought": "Go on", "nextThoughtNeeded": True}
        return {**thought, "sessionId": answers[0]["sessionId"]}

    for name in ("claude", "codex"):
        (folder / name).mkdir(parents=True)
    model = claude({"type": "http", "url": server.url}, script, folder / "claude")
    assert [answer.get("thoughtNumber") for answer in model.last.answers[2:]] == [1, 2]
    model = codex([f'url = "{server.url}"'], script, folder / "codex")
    assert [answer.get("thoughtNumber") for answer in model.last.answers[2:]] == [1, 2]
