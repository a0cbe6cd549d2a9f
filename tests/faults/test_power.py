"""The power fails: what was synced is there, and of the rest any part.

With `durability=full` nothing that was acknowledged is lost; with `normal`, what is left is a whole prefix.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

import apsw
import pytest

from tests.faults.power import RememberingDisk, remembering_disk
from tests.faults.store import Acknowledged, Store, fill, missing
from thoughtbox.engine import log_reserve, sqlite
from thoughtbox.engine.sqlite import SqliteEngine
from thoughtbox.engine.sqlite_watch import SqliteWatch
from thoughtbox.ledger import importing, replay
from thoughtbox.ledger.importing import import_lines
from thoughtbox.ledger.replay import rebuild
from thoughtbox.ledger.verify import verify_workspace

pytestmark = pytest.mark.sampled(3)

SEED = 731


@dataclass(frozen=True)
class Cut:
    """What a power cut has left, and what had been acknowledged by then."""

    directory: Path
    acknowledged: list[Acknowledged]
    step: int


@pytest.fixture
def disk() -> Iterator[RememberingDisk]:
    with remembering_disk() as disk:
        yield disk


@pytest.fixture(autouse=True)
def small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """The log is moved into the file every few pages, and long work is done in many slices."""
    monkeypatch.setattr(sqlite, "AUTOCHECKPOINT_PAGES", 25)
    monkeypatch.setattr(importing, "SLICE_SECONDS", 0.0)
    monkeypatch.setattr(replay, "SLICE_SECONDS", 0.0)


class Life:
    """A store on the remembering disk, and copies of what power cuts at chosen steps would have left of it."""

    def __init__(
        self, directory: Path, disk: RememberingDisk, durability: str, chance: Random, *, keeps_log: bool = False
    ) -> None:
        """`keeps_log`: as who serves does, it is written in advance, and starts over again and again."""
        self.directory = directory
        self.durability = durability
        self.keeps_log = keeps_log
        self.acknowledged: list[Acknowledged] = []
        self.cuts: list[Cut] = []
        self._disk = disk
        self._chance = chance
        self._wanted: set[int] = set()
        disk.at_every_step = self._look

    def cut_at(self, steps: set[int]) -> None:
        self._wanted = steps

    def live(self, incoming: list[bytes]) -> None:
        """Thoughts alone and with keys, a checkpoint, views made anew, an import beside it, and a night."""
        with self._open() as store:
            self._think(store, *(f"first day {number}" for number in range(12)))
            store.sign()
            self._think(store, "longer than a page " * 400)
            for kind in store.app.views.kinds:
                rebuild(store.engine, kind)
            self._think(store, *(f"afternoon {number}" for number in range(6)))
        with self._open() as store:
            import_lines(store.engine, store.app.views, incoming)
            self._think(store, *(f"second day {number}" for number in range(12)))

    def _open(self) -> Store:
        return Store(self.directory, vfs=self._disk.vfs_name, durability=self.durability)

    def _think(self, store: Store, *contents: str) -> None:
        for number, content in enumerate(contents):
            id = store.think(content, key=content[:40] if number % 4 == 0 else None, actionId="deploy")
            self.acknowledged.append(Acknowledged(id, "s1", content))
            if self.keeps_log and number % 3 == 0:
                self._tend_log(store)

    def _tend_log(self, store: Store) -> None:
        """What is done beside those who write, done now: the log folded in, and more of it written in advance."""
        assert isinstance(store.engine, SqliteEngine)
        connection = apsw.Connection(str(self.directory / "thoughtbox.db"), vfs=self._disk.vfs_name)
        connection.pragma("synchronous", self.durability)
        watch = SqliteWatch(self.directory / "thoughtbox.db", connection, store.engine._files, lambda: True)
        watch._rest()
        watch._tend(time.monotonic(), is_busy=False)
        watch.close()
        connection.close()

    def _look(self) -> None:
        if self._disk.steps not in self._wanted:
            return
        place = self.directory.with_name(f"cut-{self._disk.steps}")
        shutil.copytree(self.directory, place, ignore=shutil.ignore_patterns("thoughtbox.db*"))
        for path, image in self._disk.after_a_cut(self._chance).items():
            (place / Path(path).name).write_bytes(image)
        self.cuts.append(Cut(place, list(self.acknowledged), self._disk.steps))


def a_history(tmp_path: Path) -> list[bytes]:
    with Store(tmp_path / "elsewhere", workspace="imported") as store:
        fill(store, 40)
        return store.export()


def cut_often(
    tmp_path: Path, disk: RememberingDisk, durability: str, seed: int, cuts: int, *, keeps_log: bool
) -> Iterator[Cut]:
    print(f"seed {seed}")
    chance = Random(seed)
    incoming = a_history(tmp_path)
    counting = Life(tmp_path / "counting" / "store", disk, durability, chance, keeps_log=keeps_log)
    counting.live(incoming)
    steps = disk.steps
    disk.files.clear()
    disk.steps = 0
    life = Life(tmp_path / "cut" / "store", disk, durability, chance, keeps_log=keeps_log)
    life.cut_at(set(chance.sample(range(1, steps + 1), min(cuts, steps))))
    life.live(incoming)
    assert len(life.cuts) >= min(cuts, steps) * 0.8
    said = [one.content for one in life.acknowledged]
    for cut in life.cuts:
        yield cut
        assert_a_prefix(cut, said, incoming)
        shutil.rmtree(cut.directory)


def assert_a_prefix(cut: Cut, said: list[str], incoming: list[bytes]) -> None:
    """What is left holds together, and is the beginning of what was thought; of an import, all or nothing."""
    with Store(cut.directory) as store:
        assert_holds_together(store)
        contents = store.contents()
        assert contents == said[: len(contents)], cut.step
    with Store(cut.directory, workspace="imported") as store:
        assert_holds_together(store)
        assert store.verify().records == 0 or store.export() == incoming, cut.step


def assert_holds_together(store: Store) -> None:
    """By itself: a note kept outside the store may know of records that are gone, and is right to say so."""
    verdict = store.engine.read(
        lambda sql: verify_workspace(sql, store.workspace, keys=store.app.keyring.verifiers)
    ).result()
    assert verdict.valid, verdict.problem
    assert store.by_stream() == store.by_number()
    assert store.views_that_differ() == []


def lose_power(
    tmp_path: Path, disk: RememberingDisk, durability: str, seed: int, cuts: int, *, keeps_log: bool = False
) -> None:
    lost = 0
    for cut in cut_often(tmp_path, disk, durability, seed, cuts, keeps_log=keeps_log):
        with Store(cut.directory) as store:
            gone = missing(store, cut.acknowledged)
            if durability == "full":
                assert gone == [], cut.step
                assert store.verify().valid
            # What is missing is the end of it.
            assert gone == cut.acknowledged[len(cut.acknowledged) - len(gone) :], cut.step
            lost += len(gone)
    print(f"{lost} acknowledged records were lost")


@pytest.mark.parametrize("durability", ["full", "normal"])
def test_a_power_cut_leaves_all_that_was_acknowledged_or_a_whole_prefix(
    durability: str, tmp_path: Path, disk: RememberingDisk
):
    lose_power(tmp_path, disk, durability, SEED, 12)


def test_a_power_cut_leaves_all_that_was_acknowledged_of_a_log_that_is_written_in_advance_and_starts_over(
    tmp_path: Path, disk: RememberingDisk, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(log_reserve, "AHEAD", 1 << 17)
    monkeypatch.setattr(log_reserve, "LARGEST", 1 << 19)
    lose_power(tmp_path, disk, "full", SEED, 8, keeps_log=True)


@pytest.mark.torture
@pytest.mark.parametrize("part", range(10))
def test_hundreds_of_power_cuts_leave_all_that_was_acknowledged_of_a_log_that_starts_over(
    part: int, tmp_path: Path, disk: RememberingDisk, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(log_reserve, "AHEAD", 1 << 17)
    monkeypatch.setattr(log_reserve, "LARGEST", 1 << 19)
    lose_power(tmp_path, disk, "full", SEED + 1 + part, 60, keeps_log=True)


@pytest.mark.torture
@pytest.mark.parametrize("part", range(10))
@pytest.mark.parametrize("durability", ["full", "normal"])
def test_hundreds_of_power_cuts_leave_all_that_was_acknowledged_or_a_whole_prefix(
    durability: str, part: int, tmp_path: Path, disk: RememberingDisk
):
    lose_power(tmp_path, disk, durability, SEED + 1 + part, 60)
