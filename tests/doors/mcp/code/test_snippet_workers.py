"""Snippets in a server of several processes, also while it is restarted: each has its own sandboxes, and ends them."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.doors.mcp.test_workers import one_in_each
from tests.support.forks import PATIENCE
from tests.support.servers import command, environment, soon
from tests.support.snippets import BUILDS, LANGUAGES, kinds, records_of, runs, sandboxes
from tests.support.workers import Served


@pytest.fixture
def two(tmp_path: Path) -> Iterator[Served]:
    server = Served(environment(tmp_path / "data"), tmp_path / "said", "--workers", "2")
    yield server
    server.stop()


def boxes(server: Served) -> dict[int, list[int]]:
    """The sandboxes of each worker."""
    return {worker: sandboxes(worker) for worker in server.workers()}


def test_snippets_are_run_in_each_worker_and_write_to_one_ledger(two: Served):
    clients = one_in_each(two)

    answers = [
        client.call("execute", code=BUILDS[language], language=language) for client in clients for language in LANGUAGES
    ]

    assert {len(answer["records"]) for answer in answers} == {2}
    assert [len(found) > 1 for found in boxes(two).values()] == [True, True]
    again = [
        client.call("execute", code="tb.code.authored({}).records.length", language="javascript") for client in clients
    ]
    assert [answer["result"] for answer in again] == [6, 6]
    found = runs(records_of(lambda tool, arguments: two.client().call(tool, **arguments)))
    assert [kinds(run) for run in found] == [["claim", "evidence"]] * 6 + [[]] * 2


class Snippets(threading.Thread):
    """Runs one snippet after the other, and notes every one that fails."""

    def __init__(self, server: Served, era: str, language: str) -> None:
        super().__init__(daemon=True)
        self._client = server.client(era, f"{era}-{language}")
        self._language = language
        self._is_to_stop = threading.Event()
        self.done = 0
        self.failures: list[str] = []
        self.start()

    def run(self) -> None:
        while not self._is_to_stop.is_set() and not self.failures:
            try:
                self._client.call("execute", code=BUILDS[self._language], language=self._language)
            except Exception as error:
                self.failures.append(repr(error))
            else:
                self.done += 1

    def stop(self) -> None:
        self._is_to_stop.set()
        self.join(PATIENCE)


def test_no_snippet_fails_when_a_server_is_restarted_and_the_old_sandboxes_end(two: Served):
    running = [
        Snippets(two, era, language) for era in ("handshake", "stateless") for language in ("javascript", "python")
    ]
    soon(lambda: all(each.done or each.failures for each in running))
    old = [pid for found in boxes(two).values() for pid in found]
    assert old

    two.restart()

    soon(lambda: not any(map(command, old)))
    before = [each.done for each in running]
    soon(lambda: all(each.done > done or each.failures for each, done in zip(running, before, strict=True)))
    for each in running:
        each.stop()
    assert [failure for each in running for failure in each.failures] == []
    found = runs(records_of(lambda tool, arguments: two.client().call(tool, **arguments)))
    assert [kinds(run) for run in found] == [["claim", "evidence"]] * sum(each.done for each in running)


def test_a_server_of_several_workers_takes_all_sandboxes_with_it(two: Served):
    for client in one_in_each(two):
        client.call("execute", code="1", language="javascript")
        client.call("execute", code="1", language="python")
    left = [pid for found in boxes(two).values() for pid in found]
    assert len(left) >= 4

    two.popen.terminate()

    assert two.ends_within(PATIENCE) == 0
    soon(lambda: not any(map(command, left)))
