"""kill -9 while it writes: every acknowledged record is there, and the chain verifies."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from random import Random

import pytest

from tests.faults.processes import writing
from tests.faults.store import Acknowledged, Store, fill, missing
from tests.support.box import WORKSPACE
from tests.support.forks import PATIENCE, spawned
from tests.support.servers import StdioServer, environment

pytestmark = pytest.mark.sampled(2)

SEED = 137
DURABILITIES = ("full", "normal")


@dataclass(frozen=True)
class Place:
    """A store, and how its processes are to open it."""

    directory: Path
    durability: str = "normal"
    database_url: str = ""


def die_while_writing(place: Place, life: str, chance: Random) -> list[Acknowledged]:
    """Four threads write, one signs, one rebuilds views; all are killed within their first moments."""
    told = {"durability": place.durability, "database_url": place.database_url}
    with writing(place.directory, life, threads=4, sign=True, rebuild=chance.random() < 0.5, **told) as writer:
        assert writer.is_ready()
        writer.go()
        if chance.random() < 0.8:
            writer.listen(until=1)
        alarm = threading.Timer(chance.uniform(0, 0.12), writer.kill)
        alarm.start()
        writer.listen()
        alarm.join()
    assert writer.errors == []
    assert not writer.is_done
    return writer.acknowledged


def assert_nothing_is_lost(place: Place, acknowledged: list[Acknowledged]) -> None:
    with Store(place.directory, database_url=place.database_url) as store:
        assert missing(store, acknowledged) == []
        store.assert_whole()
        size = store.verify().records
        for said in [said for said in acknowledged if said.key is not None][-3:]:
            action = f"action-{int(said.content.rpartition(' ')[2]) % 4}"  # as the writer has called it
            again = store.think(said.content, said.session, key=said.key, actionId=action)
            assert again == said.id, "the key's first answer is gone"
        assert store.verify().records == size


def kill_often(place: Place, lives: int, seed: int) -> None:
    print(f"seed {seed}")
    chance = Random(seed)
    acknowledged: list[Acknowledged] = []
    for life in range(lives):
        acknowledged += die_while_writing(place, f"life-{life}", chance)
        assert_nothing_is_lost(place, acknowledged)
    assert acknowledged


@pytest.mark.parametrize("durability", DURABILITIES)
@pytest.mark.parametrize("part", range(2))
def test_a_writing_process_that_is_killed_loses_nothing_it_acknowledged(part: int, durability: str, tmp_path: Path):
    kill_often(Place(tmp_path, durability), 4, SEED + part)


def test_a_process_that_writes_to_postgres_and_is_killed_loses_nothing_it_acknowledged(
    tmp_path: Path, postgres_url: str
):
    kill_often(Place(tmp_path, database_url=postgres_url), 2, SEED)


BUSY_LOG = """
from thoughtbox.engine import log_reserve, sqlite_watch
log_reserve.AHEAD, log_reserve.LARGEST = 1 << 16, 1 << 18
sqlite_watch.SHORTEST_PAUSE = sqlite_watch.SETTLE_SECONDS = sqlite_watch.FOLD_WHEN_BUSY_SECONDS = 0.002
"""
"""The log is looked at all the time, soon used up, and starts over every few appends."""


def die_alone(directory: Path, life: str, chance: Random) -> list[Acknowledged]:
    """One thread writes, in the writer's place, while the log is written in advance and folded in beside it."""
    told = {"durability": "full", "prelude": BUSY_LOG, "keeps_log": True}
    with writing(directory, life, threads=1, **told) as writer:
        assert writer.is_ready()
        writer.go()
        writer.listen(until=chance.randrange(1, 400))
        writer.kill()
        writer.listen()
    assert writer.errors == []
    return writer.acknowledged


def kill_alone(directory: Path, lives: int, seed: int) -> None:
    print(f"seed {seed}")
    chance = Random(seed)
    acknowledged: list[Acknowledged] = []
    for life in range(lives):
        acknowledged += die_alone(directory, f"life-{life}", chance)
        assert_nothing_is_lost(Place(directory), acknowledged)


@pytest.mark.parametrize("part", range(2))
def test_a_process_that_writes_in_its_own_thread_and_is_killed_loses_nothing_whatever_its_log_is_at(
    part: int, tmp_path: Path
):
    kill_alone(tmp_path, 3, SEED + part)


@pytest.mark.torture
@pytest.mark.parametrize("part", range(10))
def test_a_process_that_writes_in_its_own_thread_and_is_killed_ten_times_loses_nothing(part: int, tmp_path: Path):
    kill_alone(tmp_path, 10, SEED + 200 + part)


@pytest.mark.torture
@pytest.mark.parametrize("durability", DURABILITIES)
@pytest.mark.parametrize("part", range(15))
def test_a_writing_process_that_is_killed_ten_times_loses_nothing(part: int, durability: str, tmp_path: Path):
    """Three hundred writers in all; with the servers below, five hundred."""
    kill_often(Place(tmp_path, durability), 10, SEED + 100 + part)


@pytest.mark.torture
@pytest.mark.parametrize("part", range(2))
def test_a_process_that_writes_to_postgres_and_is_killed_ten_times_loses_nothing(
    part: int, tmp_path: Path, postgres_url: str
):
    kill_often(Place(tmp_path, database_url=postgres_url), 10, SEED + 100 + part)


def die_while_serving(directory: Path, life: str, chance: Random, durability: str) -> list[Acknowledged]:
    """A real MCP server over stdio with calls waiting, killed between two answers."""
    told = environment(
        directory, THOUGHTBOX_PROJECT=WORKSPACE, THOUGHTBOX_DURABILITY=durability, THOUGHTBOX_CHECKPOINT_EVERY="50"
    )
    server = StdioServer(told, start=spawned)
    sent = {f"{life}-{number}": Acknowledged("", f"s{number % 3}", f"{life} {number}") for number in range(400)}

    def send_all() -> None:
        with suppress(BrokenPipeError, ValueError):
            for id, said in sent.items():
                arguments = {"sessionId": said.session, "thoughtType": "note", "content": said.content}
                params = {"name": "thought_record", "arguments": arguments}
                server.send({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})

    sending = threading.Thread(target=send_all)
    answers = []
    try:
        server.initialize()
        sending.start()
        enough = chance.randrange(5, 250)
        while len(answers) < enough:
            answers.append(server.receive())
        os.kill(server.pid, signal.SIGKILL)
        answers += server.rest()
    finally:
        server.stop()
        sending.join(PATIENCE)
    acknowledged = []
    for answer in answers:
        if answer.get("id") in sent:
            thought = answer["result"]["structuredContent"]["thought"]
            said = sent[answer["id"]]
            acknowledged.append(Acknowledged(thought["thoughtId"], said.session, said.content))
    return acknowledged


def kill_servers(directory: Path, lives: int, durability: str, seed: int) -> None:
    print(f"seed {seed}")
    chance = Random(seed)
    acknowledged: list[Acknowledged] = []
    for life in range(lives):
        acknowledged += die_while_serving(directory, f"life-{life}", chance, durability)
        assert_nothing_is_lost(Place(directory), acknowledged)
    assert len(acknowledged) >= lives


@pytest.mark.parametrize("durability", DURABILITIES)
@pytest.mark.parametrize("part", [0, pytest.param(1, marks=pytest.mark.torture)])
def test_a_serving_process_that_is_killed_loses_nothing_it_answered(part: int, durability: str, tmp_path: Path):
    """Ten servers each time."""
    kill_servers(tmp_path, 5, durability, SEED + part)


@pytest.mark.torture
@pytest.mark.parametrize("durability", DURABILITIES)
@pytest.mark.parametrize("part", range(10))
def test_a_serving_process_that_is_killed_ten_times_loses_nothing(part: int, durability: str, tmp_path: Path):
    """Two hundred servers in all."""
    kill_servers(tmp_path, 10, durability, SEED + 1 + part)


def die_in_a_checkpoint(directory: Path, writes: int, how: str) -> bool:
    """SQLite moves its log into the file, and the process is gone at this write of it. Whether it came to that."""
    process = subprocess.run(
        [sys.executable, "-m", "tests.faults.dying", str(directory), str(writes), how],
        cwd=Path(__file__).resolve().parents[2],
        stdout=subprocess.PIPE,
        check=False,
        timeout=PATIENCE,
    )
    lines = [json.loads(line) for line in process.stdout.splitlines()]
    with Store(directory) as store:
        assert missing(store, [Acknowledged(**line) for line in lines]) == []
        store.assert_whole()
    return process.returncode == -signal.SIGKILL


def die_in_checkpoints(tmp_path: Path, writes: list[int], how: str) -> None:
    with Store(tmp_path / "template") as store:
        fill(store, 20)
    for number in writes:
        directory = shutil.copytree(tmp_path / "template", tmp_path / "dying")
        assert die_in_a_checkpoint(directory, number, how)
        shutil.rmtree(directory)


@pytest.mark.parametrize(("how", "writes"), [("whole", [1, 9, 40]), ("torn", [2, 17, 90])])
def test_a_kill_inside_sqlites_own_checkpoint_loses_nothing(how: str, writes: list[int], tmp_path: Path):
    die_in_checkpoints(tmp_path, writes, how)


@pytest.mark.torture
@pytest.mark.parametrize("how", ["whole", "torn"])
@pytest.mark.parametrize("part", range(4))
def test_a_kill_at_any_write_of_a_checkpoint_loses_nothing(part: int, how: str, tmp_path: Path):
    die_in_checkpoints(tmp_path, list(range(1 + part, 101, 4)), how)
