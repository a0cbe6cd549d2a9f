"""What the tests draw by chance, and how those are found that fail by chance."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import core

from tests import conftest, steady

SOMETIMES = "tests/support/sometimes.py"


def test_tests_that_ever_fail_are_listed_with_how_often(tmp_path: Path):
    failed = steady.run([SOMETIMES], 10, seed=7, report=tmp_path / "report.xml", processes=0)

    [(name, count)] = failed.items()
    assert name == "tests.support.sometimes::test_that_holds_by_chance[other]"
    assert 0 < count < 10


def collected(*words: str, seed: str) -> list[str]:
    told = {**conftest.os.environ, conftest.SEED: seed}
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:xdist", *words]
    done = subprocess.run(command, cwd=conftest.ROOT, env=told, capture_output=True, text=True, check=True)
    return [line for line in done.stdout.splitlines() if "::" in line]


@pytest.mark.sampled(2)
def test_the_same_seed_draws_the_same_doors_in_the_same_order_and_another_one_does_not():
    words = ("tests/scenarios/test_trail.py", "--shuffle")
    once = collected(*words, seed="1")
    assert collected(*words, seed="1") == once
    assert sorted(collected(*words, seed="2")) != sorted(once)


def test_a_commit_has_its_seed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    seed = conftest._seed_of_commit()
    assert conftest._seed_of_commit() == seed
    assert seed.isdigit()
    monkeypatch.setattr(conftest, "ROOT", tmp_path)
    assert conftest._seed_of_commit() == "0", "where there is no history"


def test_what_hypothesis_draws_comes_from_the_seed():
    assert core.global_force_seed == int(conftest.os.environ[conftest.SEED])
