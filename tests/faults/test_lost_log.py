"""A log that was damaged, cut or taken away: what was acknowledged is there, or somebody says that it is not."""

from __future__ import annotations

import os
import shutil
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from random import Random

import pytest

from tests.faults.processes import writing
from tests.faults.store import Acknowledged, Store, go_on_without_what_is_lost, missing
from tests.support.box import WORKSPACE
from tests.support.forks import PATIENCE
from thoughtbox.engine.sqlite import SqliteEngine
from thoughtbox.engine.wal import examine
from thoughtbox.errors import StorageDamaged
from thoughtbox.ledger.verdict import Verdict
from thoughtbox.ledger.verify import verify_workspace

pytestmark = pytest.mark.sampled(3)

SEED = 20261115
DATABASE, LOG, SHARED, WITNESS = (f"thoughtbox.db{part}" for part in ("", "-wal", "-shm", "-witness"))


@dataclass(frozen=True)
class Left:
    """What a killed process left, and what it had acknowledged."""

    directory: Path
    acknowledged: list[Acknowledged]


def kill_after(directory: Path, life: str, records: int, durability: str = "full") -> list[Acknowledged]:
    with writing(directory, life, threads=2, durability=durability) as writer:
        assert writer.is_ready()
        writer.go()
        writer.listen(until=records)
        writer.kill()
        writer.listen()
    assert writer.errors == []
    return writer.acknowledged


@pytest.fixture(scope="module")
def left(tmp_path_factory: pytest.TempPathFactory) -> list[Left]:
    """Stores of `durability=full` whose processes were killed: at once, after a while, and in their second life."""
    stores = []
    for lives in ([12], [60], [25, 30]):
        directory = tmp_path_factory.mktemp("left")
        acknowledged: list[Acknowledged] = []
        for number, records in enumerate(lives):
            acknowledged += kill_after(directory, f"life-{number}", records)
        assert (directory / LOG).stat().st_size
        assert (directory / SHARED).exists()
        stores.append(Left(directory, acknowledged))
    return stores


def do_harm(directory: Path, chance: Random) -> str:
    """Flip a bit, cut off an end, blank out a part, or take the log away; what was done, in words."""
    log = directory / LOG
    content = bytearray(log.read_bytes())
    place = chance.randrange(len(content))
    how = chance.choice(["flip", "flip", "cut", "blank", "gone"])
    if how == "flip":
        content[place] ^= 1 << chance.randrange(8)
    elif how == "cut":
        del content[place:]
    elif how == "blank":
        size = min(chance.choice([8, 512, 4096]), len(content) - place)
        content[place : place + size] = bytes(size)
    log.write_bytes(content)
    if how == "gone":
        log.unlink()
    if chance.random() < 0.5:
        (directory / SHARED).unlink()
    return f"{how} at {place} of {len(content)}"


def looked_at(directory: Path) -> Verdict:
    """What verification says of a store that was opened only to be looked at."""
    engine = SqliteEngine(directory / DATABASE, tolerant=True)
    try:
        return engine.read(
            lambda sql: verify_workspace(sql, WORKSPACE, keys=[], witness=sql.witness.get(WORKSPACE)), long=True
        ).result(PATIENCE)
    finally:
        engine.close()


def outcome(directory: Path, acknowledged: list[Acknowledged]) -> str:
    """What came of the damage: it was named at the start and by verification, or nothing is missing."""
    before = contents(directory)
    refusal = refused(directory)
    if refusal is None:
        with Store(directory, durability="full") as store:
            assert missing(store, acknowledged) == [], "valid, and an acknowledged record is missing"
            store.assert_whole()
        return "harmless"
    assert contents(directory) == before, "what was refused was changed"
    assert wrong_with(directory) == "missing tail"
    go_on_without_what_is_lost(refusal)
    with Store(directory, durability="full") as store:
        store.assert_whole()
        lost = missing(store, acknowledged)
        assert store.think("life goes on")
    return "named" if lost else "named, and nothing acknowledged was lost"


def refused(directory: Path) -> StorageDamaged | None:
    """How the engine refuses the store, if it does."""
    try:
        SqliteEngine(directory / DATABASE).close()
    except StorageDamaged as refusal:
        return refusal
    return None


def contents(directory: Path) -> dict[str, bytes]:
    """The files that hold the store; an empty log is none."""
    names = (DATABASE, LOG, WITNESS)
    found = {name: (directory / name).read_bytes() for name in names if (directory / name).exists()}
    return {name: content for name, content in found.items() if content}


def wrong_with(directory: Path) -> str:
    """What verification finds, or why there is nothing that it could look at."""
    try:
        verdict = looked_at(directory)
    except StorageDamaged as refusal:
        return refusal.message.partition(":")[0]
    return verdict.problem.wrong if verdict.problem else "nothing"


def harm(left: list[Left], times: int, seed: int, place: Path) -> Counter[str]:
    print(f"seed {seed}")
    chance = Random(seed)
    met: Counter[str] = Counter()
    for number in range(times):
        one = left[number % len(left)]
        directory = shutil.copytree(one.directory, place / f"harmed-{number}")
        done = do_harm(directory, chance)
        try:
            met[outcome(directory, one.acknowledged)] += 1
        except BaseException as error:
            error.add_note(f"{done}, store {number % len(left)}")
            raise
        shutil.rmtree(directory)
    print(met)
    return met


def test_a_damaged_log_is_named_or_nothing_acknowledged_is_missing(left: list[Left], tmp_path: Path):
    met = harm(left, 30, SEED, tmp_path)
    assert met["named"] > 10


@pytest.mark.torture
@pytest.mark.parametrize("part", range(6))
def test_fifty_damaged_logs_are_named_or_nothing_acknowledged_is_missing(part: int, left: list[Left], tmp_path: Path):
    """Three hundred in all."""
    harm(left, 50, SEED + 1 + part, tmp_path)


def test_what_a_killed_process_leaves_is_never_called_damage(left: list[Left], tmp_path: Path):
    for number, one in enumerate(left):
        for rest in ([SHARED], []):
            directory = shutil.copytree(one.directory, tmp_path / f"{number}-{len(rest)}")
            for name in rest:
                (directory / name).unlink()
            assert not examine(directory / LOG).is_damaged
            with Store(directory, durability="full") as store:
                assert missing(store, one.acknowledged) == []
                store.assert_whole()


@pytest.mark.parametrize("durability", ["full", "normal"])
def test_a_log_without_its_last_synced_commit_is_what_a_power_cut_leaves(durability: str, tmp_path: Path):
    """Frames of the last transaction reach the disk in any order, or not at all; nobody was answered."""
    with Store(tmp_path / "living", durability=durability) as store:
        store.think("answered")
        witness = (tmp_path / "living" / WITNESS).read_bytes()
        store.think("under way when the power failed")
        directory = shutil.copytree(tmp_path / "living", tmp_path / "left", ignore=shutil.ignore_patterns("*-shm"))
    (directory / WITNESS).write_bytes(witness)
    content = bytearray((directory / LOG).read_bytes())
    last = 32 + 4120 * commits_in(directory / LOG)[-2]
    content[last : last + 4120] = bytes(4120)
    (directory / LOG).write_bytes(content)
    assert examine(directory / LOG).following > 0
    with Store(directory, durability=durability) as store:
        assert store.contents() == ["answered"]
        store.assert_whole()


def commits_in(log: Path) -> list[int]:
    """The numbers of the frames that end a transaction."""
    content = log.read_bytes()
    places = range(32, len(content), 4120)
    return [number for number, place in enumerate(places, 1) if content[place + 4 : place + 8] != bytes(4)]


@pytest.fixture
def crashed(left: list[Left], tmp_path: Path) -> Path:
    return shutil.copytree(left[1].directory, tmp_path / "crashed")


def damage_frame(log: Path, frame: int) -> None:
    content = bytearray(log.read_bytes())
    content[32 + 4120 * (frame - 1) + 100] ^= 1
    log.write_bytes(content)


def test_damage_in_the_log_of_a_store_that_has_no_witness_is_still_named(crashed: Path):
    """An older release wrote it, or somebody moved the witness away."""
    (crashed / WITNESS).unlink()
    frame = commits_in(crashed / LOG)[5] + 1
    damage_frame(crashed / LOG, frame)
    with pytest.raises(
        StorageDamaged, match=rf"frame {frame} of {LOG} has a bad checksum and \d+ whole frames follow: damage"
    ) as caught:
        Store(crashed, durability="full")
    go_on_without_what_is_lost(caught.value)
    with Store(crashed, durability="full") as store:
        store.assert_whole()
        assert store.contents()


def test_holes_that_a_power_cut_may_leave_without_syncs_are_not_held_against_a_store(crashed: Path):
    (crashed / WITNESS).unlink()
    damage_frame(crashed / LOG, commits_in(crashed / LOG)[5] + 1)
    with Store(crashed, durability="normal") as store:
        store.assert_whole()


def test_a_log_put_back_makes_the_store_whole_again(crashed: Path, left: list[Left]):
    log = (crashed / LOG).read_bytes()
    os.truncate(crashed / LOG, len(log) // 2)
    with pytest.raises(StorageDamaged, match="missing tail"):
        Store(crashed)
    (crashed / LOG).write_bytes(log)
    with Store(crashed) as store:
        assert missing(store, left[1].acknowledged) == []
        store.assert_whole()


def test_a_store_opened_to_be_looked_at_takes_nothing_in_and_keeps_its_files(crashed: Path):
    os.truncate(crashed / LOG, 32 + 4120 * commits_in(crashed / LOG)[5])
    before = (crashed / LOG).read_bytes(), (crashed / DATABASE).read_bytes()
    with Store(crashed, engine=SqliteEngine(crashed / DATABASE, tolerant=True)) as store:
        problem = store.verify().problem
        assert problem
        assert problem.wrong == "missing tail"
        assert store.contents()
        assert store.export()
        with pytest.raises(StorageDamaged, match="missing tail"):
            store.think("not here")
    assert ((crashed / LOG).read_bytes(), (crashed / DATABASE).read_bytes()) == before


def test_an_older_copy_of_the_database_is_missed(tmp_path: Path):
    with Store(tmp_path) as store:
        store.think("one")
    older = (tmp_path / DATABASE).read_bytes()
    with Store(tmp_path) as store:
        store.think("two")
    (tmp_path / DATABASE).write_bytes(older)
    with pytest.raises(StorageDamaged, match="th:2 to th:2 of workspace tests are gone"):
        Store(tmp_path)


def test_another_history_of_the_same_length_is_not_taken_for_the_one_that_was_written(tmp_path: Path):
    for name in ("ours", "theirs"):
        with Store(tmp_path / name) as store:
            store.think(f"the thought of {name}")
    shutil.copy(tmp_path / "theirs" / DATABASE, tmp_path / "ours" / DATABASE)
    with pytest.raises(StorageDamaged, match="th:1 of workspace tests is not the record that was written"):
        Store(tmp_path / "ours")
    verdict = looked_at(tmp_path / "ours")
    assert verdict.problem
    assert (verdict.problem.wrong, verdict.problem.seq) == ("link", 1)
