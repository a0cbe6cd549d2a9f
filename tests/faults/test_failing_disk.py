"""The disk fills up, or fails, at every step there is: the call fails, and nothing else does.

A workload runs once on a disk that counts what it is asked to do, and then once for
each of those steps on a disk that fails there.
"""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event

import pytest

from tests.faults.disk import CHANGES, FailingDisk, How, Verb, failing_disk
from tests.faults.store import Acknowledged, Store, fill, missing
from tests.support.forks import PATIENCE
from thoughtbox.engine import sqlite
from thoughtbox.engine.protocol import Sql
from thoughtbox.errors import StorageError, StorageFull
from thoughtbox.operations.dispatch import Call

HOWS: tuple[How, ...] = ("full", "torn", "broken")
FOREVER = 10**9
PARTS = 8
"""The steps are dealt out to this many tests, so that they can run side by side; one of them runs each time."""
PARTS_OF_A_START = 32
"""The same for a first start, of which one runs each time."""


@pytest.fixture
def disk() -> Iterator[FailingDisk]:
    with failing_disk() as disk:
        yield disk


class Workload:
    """Calls on a store whose disk may fail at any of them."""

    def __init__(self, directory: Path, disk: FailingDisk, *, forgiving: bool = False) -> None:
        """`forgiving`: a call may fail although its record is there.

        SQLite forgives a failure while it moves the log into the database file behind a
        commit; a VFS written in Python is heard nevertheless, and the commit seems to fail.
        """
        self.directory = directory
        self.disk = disk
        self.forgiving = forgiving
        self.acknowledged: list[Acknowledged] = []
        self.refused: list[str] = []
        self.crashed = 0
        self._store: Store | None = None

    @property
    def store(self) -> Store:
        assert self._store is not None
        return self._store

    def first_start(self) -> None:
        """From nothing to a store with two thoughts."""
        self.open()
        self.think("first")
        self.think("second")
        self.close()

    def a_day(self) -> None:
        """Everything a serving process does to its disk, on a store that is already there."""
        self.open()
        self.think("alone")
        self.think_together("together 1", "together 2", "together 3")
        self.think("with a key", key="once")
        self.sign()
        self.think("longer than a page " * 400)
        self.close()
        self.open()
        self.think("after the night")
        self.close()

    def open(self) -> None:
        def step() -> None:
            self._store = Store(self.directory, vfs=self.disk.vfs_name, durability="full")

        self._until_the_disk_is_mended(step)

    def close(self) -> None:
        """Closing never fails: what could not be tidied up is found at the next start."""
        self.store.close()
        self.disk.mend()
        self._store = None

    def think(self, content: str, key: str | None = None) -> None:
        def step() -> None:
            self._acknowledge(self.store.think(content, key=key), content)

        self._until_the_disk_is_mended(step, content)

    def think_together(self, *contents: str) -> None:
        """Calls that share a commit share its fate, or are told apart: each hears its own."""
        held, go_on = Event(), Event()

        def hold(_: Sql) -> None:
            held.set()
            assert go_on.wait(PATIENCE)

        holding = self.store.engine.write("", hold)
        assert held.wait(PATIENCE)
        waiting = {content: self.store.app.dispatcher.submit(self._call(content)) for content in contents}
        go_on.set()
        holding.exception(PATIENCE)
        failed = [content for content, future in waiting.items() if future.exception(PATIENCE)]
        for content, future in waiting.items():
            error = future.exception()
            if error is None:
                self._acknowledge(future.result()["thought"]["thoughtId"], content)
            else:
                self._must_be_of_the_disk(error)
        if failed:
            self._after_a_failure()
            for content in failed:
                if not self._is_there_nevertheless(content):
                    self.think(content)

    def sign(self) -> None:
        self._until_the_disk_is_mended(self.store.sign)

    def _call(self, content: str) -> Call:
        return Call(
            operation="thought_record",
            workspace=self.store.workspace,
            arguments={"sessionId": "s1", "thoughtType": "hunch", "content": content},
        )

    def _acknowledge(self, id: str, content: str) -> None:
        self.acknowledged.append(Acknowledged(id, "s1", content))

    def _until_the_disk_is_mended(self, step: Callable[[], object], content: str | None = None) -> None:
        try:
            step()
        except StorageError as error:
            self._must_be_of_the_disk(error)
            self._after_a_failure()
            if content is None or not self._is_there_nevertheless(content):
                step()

    def _is_there_nevertheless(self, content: str) -> bool:
        there = content in self.store.contents()
        assert self.forgiving or not there, "a call that failed has left its record"
        return there

    def _must_be_of_the_disk(self, error: BaseException) -> None:
        assert isinstance(error, StorageError)
        assert self.disk.failures, f"the disk did nothing wrong, and yet: {error}"
        self.refused.append(error.code)

    def _after_a_failure(self) -> None:
        """If the process died right now, the next start would find all that was acknowledged."""
        self.disk.mend()
        self.crashed += 1
        elsewhere = self.directory.with_name(f"{self.directory.name}-crash-{self.crashed}")
        shutil.copytree(self.directory, elsewhere, ignore=shutil.ignore_patterns("*-shm"))
        with Store(elsewhere) as store:
            assert missing(store, self.acknowledged) == []
            store.assert_whole()
        shutil.rmtree(elsewhere)


def run(workload: Workload, name: str) -> None:
    """The workload, and then a start on a disk that works: everything is there, once, and whole."""
    getattr(workload, name)()
    with Store(workload.directory) as store:
        store.assert_whole()
        assert missing(store, workload.acknowledged) == []
        asked = Counter(said.content for said in workload.acknowledged)
        held = Counter(store.contents())
        assert {content: held[content] for content in asked} == dict(asked)
        topics = Counter(record.topic for record in store.by_number())
        assert topics["ledger.call"] == topics["ledger.answer"]


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("template")
    with Store(directory) as store:
        fill(store, 30)
    return directory


def steps_of(name: str, template: Path, tmp_path: Path, disk: FailingDisk, counted: frozenset[Verb]) -> int:
    disk.fail(-1, "full", times=0, counted=counted)
    run(started(name, template, tmp_path / "counting", disk), name)
    return len(disk.steps)


def started(name: str, template: Path, directory: Path, disk: FailingDisk, *, forgiving: bool = False) -> Workload:
    if name == "a_day":
        shutil.copytree(template, directory)
    return Workload(directory, disk, forgiving=forgiving)


def fail_at_every_step(
    name: str,
    template: Path,
    tmp_path: Path,
    disk: FailingDisk,
    *,
    how: Callable[[int], How],
    times: int = 1,
    part: int = 0,
    parts: int = 1,
    counted: frozenset[Verb] = CHANGES,
    forgiving: bool = False,
) -> Counter[str]:
    """Which errors the callers met, over all runs."""
    steps = steps_of(name, template, tmp_path, disk, counted)
    met: Counter[str] = Counter()
    for number in range(part, steps, parts):
        workload = started(name, template, tmp_path / str(number), disk, forgiving=forgiving)
        disk.fail(number, how(number), times=times, counted=counted)
        run(workload, name)
        met.update(workload.refused or ["nothing"])
        shutil.rmtree(workload.directory)
    return met


@pytest.mark.parametrize("part", [0, *(pytest.param(part, marks=pytest.mark.torture) for part in range(1, PARTS))])
def test_a_disk_that_fails_once_at_any_step_costs_one_call_at_most(
    part: int, template: Path, tmp_path: Path, disk: FailingDisk
):
    met = fail_at_every_step(
        "a_day", template, tmp_path, disk, how=lambda number: HOWS[number // PARTS % 3], part=part, parts=PARTS
    )
    print(met)
    assert set(met) <= {"nothing", StorageFull.code, StorageError.code}
    assert met[StorageFull.code]
    assert met[StorageError.code]


@pytest.mark.parametrize("part", [0])
def test_a_first_start_on_a_disk_that_fails_is_a_first_start_again(
    part: int, template: Path, tmp_path: Path, disk: FailingDisk
):
    start_on_a_failing_disk(part, template, tmp_path, disk)


@pytest.mark.torture
@pytest.mark.parametrize("part", range(1, PARTS_OF_A_START))
def test_it_is_so_at_every_other_step(part: int, template: Path, tmp_path: Path, disk: FailingDisk):
    start_on_a_failing_disk(part, template, tmp_path, disk)


def start_on_a_failing_disk(part: int, template: Path, tmp_path: Path, disk: FailingDisk) -> None:
    """At one step of many."""
    met = fail_at_every_step(
        "first_start",
        template,
        tmp_path,
        disk,
        how=lambda number: HOWS[number // PARTS_OF_A_START % 3],
        part=part,
        parts=PARTS_OF_A_START,
    )
    assert set(met) <= {"nothing", StorageFull.code, StorageError.code}
    assert met[StorageFull.code]


@pytest.mark.parametrize("part", [0, *(pytest.param(part, marks=pytest.mark.torture) for part in range(1, 5))])
def test_a_disk_that_fails_while_the_log_is_moved_into_the_file_loses_nothing(
    part: int, template: Path, tmp_path: Path, disk: FailingDisk, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(sqlite, "AUTOCHECKPOINT_PAGES", 12)
    met = fail_at_every_step(
        "a_day", template, tmp_path, disk, how=lambda _: "broken", part=2 * part, parts=10, forgiving=True
    )
    assert met[StorageError.code]


def test_a_watcher_hears_again_once_the_disk_works(template: Path, disk: FailingDisk, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sqlite, "RETRY_SECONDS", 0.01)
    engine = sqlite.SqliteEngine(template / "thoughtbox.db", vfs=disk.vfs_name)
    heard = Event()
    disk.fail(0, "broken", times=FOREVER, counted=frozenset({"read"}))
    engine.watch(heard.set)
    while not disk.failures:
        assert not heard.wait(0.01)
    disk.mend()
    assert heard.wait(PATIENCE)
    engine.close()


@pytest.mark.torture
@pytest.mark.parametrize("name", ["a_day", "first_start"])
@pytest.mark.parametrize("times", [1, 3, FOREVER])
@pytest.mark.parametrize("how", HOWS)
def test_a_disk_that_fails_in_every_way_at_every_step(
    name: str, how: How, times: int, template: Path, tmp_path: Path, disk: FailingDisk
):
    met = fail_at_every_step(name, template, tmp_path, disk, how=lambda _: how, times=times)
    assert set(met) <= {"nothing", StorageFull.code, StorageError.code}


@pytest.mark.torture
@pytest.mark.parametrize("times", [1, FOREVER])
def test_a_disk_that_fails_to_read_at_every_step(times: int, template: Path, tmp_path: Path, disk: FailingDisk):
    met = fail_at_every_step(
        "a_day", template, tmp_path, disk, how=lambda _: "broken", times=times, counted=frozenset({"read"})
    )
    assert set(met) <= {"nothing", StorageError.code}
