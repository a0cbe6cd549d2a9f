"""The disk fails at any step of work that takes many: a migration, a replay, an import. All of it is done, or nothing.

Each piece of work runs once on a disk that counts what it is asked to do, and then on
one that fails there, once for each of those steps: all of them in the long form, every
so many-th in the short one.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.faults.disk import CHANGES, FailingDisk, How, failing_disk
from tests.faults.make_golden import GOLDEN
from tests.faults.store import Store, fill
from thoughtbox.domains.trail.view import Actions
from thoughtbox.engine import migrations, sqlite
from thoughtbox.errors import StorageError
from thoughtbox.ledger import importing, replay
from thoughtbox.ledger.importing import import_lines
from thoughtbox.ledger.replay import rebuild
from thoughtbox.ledger.shadow import left_behind

pytestmark = pytest.mark.sampled(3)

HOWS: tuple[How, ...] = ("full", "torn", "broken")
TRIED = 8
"""Steps that the short form lets fail, spread over the work."""


@dataclass(frozen=True)
class Work:
    """What is done to a store, and what the store holds before and after."""

    template: Path
    workspace: str
    do: Callable[[Store], None]
    before: list[bytes]
    after: list[bytes]


@pytest.fixture
def disk() -> Iterator[FailingDisk]:
    with failing_disk() as disk:
        yield disk


@pytest.fixture(autouse=True)
def small_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many slices, and the log is moved into the file in the middle of them."""
    monkeypatch.setattr(importing, "SLICE_SECONDS", 0.0)
    monkeypatch.setattr(replay, "SLICE_SECONDS", 0.0)
    monkeypatch.setattr(sqlite, "AUTOCHECKPOINT_PAGES", 60)


def nothing(store: Store) -> None:
    """Opening was all."""


def a_migration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Work:
    lines = (GOLDEN / "v1" / "export.jsonl").read_bytes().removesuffix(b"\n").split(b"\n")
    return Work(GOLDEN / "v1", "golden", nothing, lines, lines)


def a_replay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Work:
    """A new generation of one view, then all views once more."""
    template = tmp_path / "template"
    with Store(template) as store:
        fill(store, 25, sign_at=(10,))
        lines = store.export()
    monkeypatch.setattr(Actions, "generation", Actions.generation + 1)

    def do(store: Store) -> None:
        for kind in store.app.views.kinds:
            rebuild(store.engine, kind)

    return Work(template, store.workspace, do, lines, lines)


def an_import(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Work:
    """The rest of a history whose beginning is there."""
    template = tmp_path / "template"
    with Store(tmp_path / "source") as source:
        fill(source, 8)
        before = source.export()
        fill(source, 22, seed=2)
        after = source.export()
    with Store(template) as store:
        import_lines(store.engine, store.app.views, before)
    return Work(template, store.workspace, lambda store: _import(store, after), before, after)


def _import(store: Store, lines: list[bytes]) -> None:
    import_lines(store.engine, store.app.views, lines)


WORKS = {"migration": a_migration, "replay": a_replay, "import": an_import}


def run(work: Work, directory: Path, disk: FailingDisk) -> bool:
    """Whether all of it was done; where it was not, the disk is to blame."""
    try:
        store = Store(directory, workspace=work.workspace, vfs=disk.vfs_name, durability="full")
    except StorageError:
        assert disk.failures
        return False
    try:
        work.do(store)
    except StorageError:
        assert disk.failures
        return False
    finally:
        store.close()
    return True


def assert_all_or_nothing(work: Work, directory: Path, *, is_done: bool) -> None:
    with Store(directory, workspace=work.workspace) as store:
        held = store.export()
        assert held == work.after or (held == work.before and not is_done)
        steps = store.engine.read(lambda sql: sql.rows("SELECT step FROM schema_steps ORDER BY step")).result()
        assert [row[0] for row in steps] == [number for number, _ in migrations.steps("sqlite")]
        assert store.engine.read(left_behind).result() == []
        store.assert_whole()
        work.do(store)
        assert store.export() == work.after
        store.think("life goes on")
        store.assert_whole()


def fail_at_the_steps(
    name: str,
    tmp_path: Path,
    disk: FailingDisk,
    monkeypatch: pytest.MonkeyPatch,
    *,
    how: Callable[[int], How],
    tried: int | None,
    times: int = 1,
) -> None:
    work = WORKS[name](tmp_path, monkeypatch)
    disk.fail(-1, "full", times=0, counted=CHANGES)
    counting = shutil.copytree(work.template, tmp_path / "counting")
    assert run(work, counting, disk)
    steps = len(disk.steps)
    assert {step.verb for step in disk.steps} >= {"write", "sync"}
    for number in range(0, steps, 1 if tried is None else max(1, steps // tried)):
        directory = shutil.copytree(work.template, tmp_path / "failing")
        disk.fail(number, how(number), times=times, counted=CHANGES)
        is_done = run(work, directory, disk)
        disk.mend()
        assert_all_or_nothing(work, directory, is_done=is_done)
        shutil.rmtree(directory)


@pytest.mark.parametrize("name", WORKS)
def test_a_disk_that_fails_in_the_middle_leaves_all_of_the_work_or_nothing(
    name: str, tmp_path: Path, disk: FailingDisk, monkeypatch: pytest.MonkeyPatch
):
    fail_at_the_steps(name, tmp_path, disk, monkeypatch, how=lambda number: HOWS[number % 3], tried=TRIED)


@pytest.mark.torture
@pytest.mark.parametrize("name", WORKS)
@pytest.mark.parametrize("how", HOWS)
@pytest.mark.parametrize("times", [1, 10**9])
def test_a_disk_that_fails_at_every_step_leaves_all_of_the_work_or_nothing(
    name: str, how: How, times: int, tmp_path: Path, disk: FailingDisk, monkeypatch: pytest.MonkeyPatch
):
    fail_at_the_steps(name, tmp_path, disk, monkeypatch, how=lambda _: how, tried=None, times=times)
