"""The formula of salience, in numbers."""

from __future__ import annotations

import pytest

from thoughtbox.domains.memory.episodes.salience import DAY_MS, episode_salience, recency, salience


@pytest.mark.parametrize(
    ("state", "weight"),
    [
        ("unverified", 0),
        ("observed", 50),
        ("reinforced", 100),
        ("stable", 150),
        ("decaying", 25),
        ("archived", 0),
        ("unheard of", 0),
    ],
)
def test_every_part_of_the_formula_weighs_what_the_specification_says(state, weight):
    assert salience(state, 1, 0, 1, 0, 0) == weight + 60 + 5 * 20 + 40
    assert salience(state, 7, 2, 3, 0, 0) == weight + 7 * 60 + 5 * 20 + 3 * 40 - 2 * 120


def test_salience_lies_between_0_and_1000():
    assert salience("stable", 100, 0, 3, 0, 0) == 1000
    assert salience("decaying", 0, 10, 0, 0, 0) == 0


@pytest.mark.parametrize(
    ("days", "bucket"), [(0, 5), (1, 5), (1.01, 4), (7, 4), (7.01, 3), (30, 3), (30.01, 2), (90, 2), (90.01, 1)]
)
def test_what_is_older_counts_as_less_recent(days, bucket):
    assert recency(0, round(days * DAY_MS)) == bucket


def test_what_a_clock_that_went_back_has_written_is_recent():
    assert recency(DAY_MS, 0) == 5


def test_an_episode_has_its_salience_from_its_trust():
    assert [episode_salience(trust) for trust in range(4)] == [100, 190, 280, 320]
