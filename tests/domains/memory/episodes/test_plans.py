"""What consolidation comes to, whatever the order, the process or the day."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from cProfile import Profile
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.domains.memory.episodes.conftest import Memory
from tests.support.box import Box
from tests.support.forks import PATIENCE
from thoughtbox.domains.memory.episodes.episode import Episode
from thoughtbox.domains.memory.episodes.placing import Fresh, Places
from thoughtbox.domains.memory.episodes.plan import Caps, planned, statements
from thoughtbox.domains.memory.episodes.salience import DAY_MS
from thoughtbox.domains.memory.view.episodes import Episodes
from thoughtbox.domains.memory.view.semantic import Semantic
from thoughtbox.ledger.replay import rebuild
from thoughtbox.world import milliseconds

ROOT = Path(__file__).resolve().parents[4]
CAPS = Caps(1000, 50)

SENTENCES = st.sampled_from(
    [
        f"{word} {what}."
        for word in ("Always", "Never", "The cache is", "I prefer")
        for what in ("use tabs", "use tabs first", "warm 17", "checking a.py")
    ]
)
SUMMARIES = st.lists(SENTENCES, min_size=1, max_size=3).map(" ".join)
SAID = st.tuples(st.sampled_from(["red", "green", "blue sky"]), SUMMARIES, st.sampled_from(["user", "agent"]))


def episode(id: int, keys: str, summary: str, source: str) -> Episode:
    trust = 2 if source == "user" else 1
    stamp = "2026-01-01T00:00:00.000Z"
    named = tuple(sorted(keys.split()))
    return Episode(
        id, None, "project", named, summary, "success", trust, 190, stamp, source, None, False, False, source == "user"
    )


def outcome(episodes: list[Episode]) -> set[tuple[object, ...]]:
    places = Places((), {}).place_all({one.context_keys for one in episodes})
    plan = planned(list(statements(episodes, places)), "project", [], [], CAPS, 0)
    told = set()
    for forming in plan.created:
        assert isinstance(forming.scene, Fresh)
        counts = (forming.evidence, forming.contradictions, forming.trust, forming.salience, forming.state)
        told.add((forming.scene.keys, forming.cell_type, forming.body, forming.conflict_group, *counts))
    return told


@settings(max_examples=25, deadline=None)
@given(said=st.lists(SAID, max_size=25), seed=st.integers())
def test_how_episodes_about_different_things_are_mixed_does_not_matter(said, seed):
    """Only what is said about one thing keeps its order: who contradicts whom depends on it."""
    groups = {keys: [one for one in said if one[0] == keys] for keys, *_ in said}
    chance = Random(seed)
    turns = [keys for keys, *_ in said]
    chance.shuffle(turns)
    left = {keys: list(group) for keys, group in groups.items()}
    mixed = [left[keys].pop(0) for keys in turns]
    assert outcome([episode(id, *one) for id, one in enumerate(said, 1)]) == outcome(
        [episode(id, *one) for id, one in enumerate(mixed, 1)]
    )


@settings(max_examples=10, deadline=None, suppress_health_check=list(HealthCheck))
@given(runs=st.lists(st.lists(SAID, min_size=1, max_size=5), min_size=1, max_size=4))
def test_the_same_episodes_make_the_same_cells_and_views_are_what_the_ledger_says(runs):
    def told() -> list[dict[str, Any]]:
        box = Box()
        memory = Memory(box)
        for run in runs:
            for keys, summary, source in run:
                memory.hears(summary, source=source, about=keys)
            memory.run()
        cells = memory.cells() + memory.cells(state="archived")
        for cell in cells:
            pieces = memory.box.get_cell(cell_id=cell["cell_id"])["evidence"]
            relations = [piece["relation"] for piece in pieces]
            assert relations.count("supports") == cell["evidence_count"]
            assert relations.count("contradicts") == cell["contradiction_count"]
            assert cell["trust"] < 3 or any(piece["source"] == "user" for piece in pieces)
        assert all(rebuild(box.app.engine, view) for view in (Semantic, Episodes))
        box.close()
        return cells

    assert told() == told()


def test_what_nobody_repeats_matters_less_as_time_goes_by(memory: Memory):
    memory.learns("Always run the linter.")
    live = memory.ask(lambda tx: tx.ask(Semantic).selected(["project"], limit=9))
    told = milliseconds(live[0].updated_at)
    ages = (0, 2, 20, 80, 200)
    plans = [planned([], "project", live, [], CAPS, told + days * DAY_MS) for days in ages]
    # The first plan has nothing to write: nothing has changed.
    assert plans[0].changed == []
    faded = [plan.changed[0] for plan in plans[1:]]
    assert [forming.salience for forming in faded] == [230, 210, 190, 170]
    assert not any(forming.is_touched for forming in faded)


@pytest.mark.parametrize("kind", ["one scene", "opposites", "a scene each", "few words"])
def test_ten_times_the_episodes_are_about_ten_times_the_work(kind: str):
    """Counted in calls, since nothing is timed here."""

    def work(count: int) -> int:
        chance = Random(count)
        said = [_kinds(kind, number, chance) for number in range(count)]
        episodes = [episode(id, keys, summary, "agent") for id, (keys, summary) in enumerate(said, 1)]
        profile = Profile()
        profile.enable()
        outcome(episodes)
        profile.disable()
        return sum(entry.callcount for entry in profile.getstats())

    work(10)  # What is worked out once and kept does not count.
    assert work(1500) <= 14 * work(150)


def _kinds(kind: str, number: int, chance: Random) -> tuple[str, str]:
    if kind == "one scene":
        return "release", f"Always check module {number} before release {number % 7}."
    if kind == "opposites":
        return "release", f"{'Always' if number % 2 else 'Never'} check module {number // 2 % 97} twice."
    if kind == "a scene each":
        return f"debugging a{number} b{number}", f"Always check module {number}."
    words = [f"w{chr(97 + chance.randrange(26))}" for _ in range(6)]
    return " ".join(
        chance.sample("abcdefghijklmnopqrst", 4)
    ), f"{chance.choice(('Always', 'Never'))} {' '.join(words)}."


def test_a_process_that_is_killed_while_it_writes_leaves_nothing_of_the_run_behind(tmp_path: Path):
    killed = subprocess.run(
        [sys.executable, "-m", "tests.domains.memory.episodes.dying", str(tmp_path)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        check=False,
        timeout=PATIENCE,
    )
    assert killed.returncode == -signal.SIGKILL
    assert killed.stdout.decode().split() == ["40", "cells"]
    box = Box(tmp_path / "data")
    memory = Memory(box)
    assert memory.cells() == []
    assert memory.ask(lambda tx: tx.ask(Semantic).scenes(["project"])) == []
    run = memory.run()
    assert (run["processed"], run["cells_created"]) == (40, 40)
    assert {cell["evidence_count"] for cell in memory.cells()} == {1}
    box.close()
