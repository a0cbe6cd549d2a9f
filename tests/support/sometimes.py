"""Tests for `tests/test_steady.py`, which names this file: one that always holds, and one that sometimes does not."""

from __future__ import annotations

import os
import random

import pytest


@pytest.mark.parametrize("way", ["one", "other"])
def test_that_always_holds(way: str):
    assert way


@pytest.mark.parametrize("way", ["one", "other"])
def test_that_holds_by_chance(way: str, request: pytest.FixtureRequest):
    chance = random.Random(f"{os.environ['THOUGHTBOX_TEST_SEED']} {request.node.name}")
    assert way == "one" or chance.random() < 0.5
