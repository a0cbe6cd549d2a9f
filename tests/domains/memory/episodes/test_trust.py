"""Trust on entry, and what raises it."""

from __future__ import annotations

import pytest

from thoughtbox.domains.memory.episodes.trust import capped, earned_trust, entry_trust, least_trusted


@pytest.mark.parametrize(
    ("source", "confidence", "trust"),
    [
        ("user", None, 2),
        ("user", 0.1, 2),
        ("agent", None, 1),
        ("agent", 1.0, 1),
        ("agent", 0.26, 1),
        ("agent", 0.25, 0),
        ("agent", 0.0, 0),
        ("derived", 0.9, 1),
        ("system", None, 1),
        ("import", 0.99, 1),
        ("import", 0.2, 0),
    ],
)
def test_what_a_user_states_is_trusted_on_entry_and_what_an_agent_writes_is_not(source, confidence, trust):
    assert entry_trust(source, confidence) == trust


@pytest.mark.parametrize(("source", "most"), [("user", 2), ("system", 2), ("agent", 1), ("derived", 1), ("odd", 1)])
def test_no_episode_is_trusted_further_than_its_origin_allows(source, most):
    assert [capped(trust, source) for trust in range(4)] == [min(trust, most) for trust in range(4)]


@pytest.mark.parametrize(
    ("evidence", "contradictions", "users", "validated", "trust"),
    [
        (2, 0, 2, 0, 1),
        (3, 0, 1, 0, 3),
        (3, 0, 0, 0, 1),
        (300, 0, 0, 0, 1),
        (3, 1, 3, 0, 1),
        (1, 0, 0, 1, 3),
        (1, 1, 0, 1, 1),
    ],
)
def test_three_pieces_with_a_users_or_a_validation_verify_and_a_contradiction_takes_it_back(
    evidence, contradictions, users, validated, trust
):
    assert earned_trust(1, evidence, contradictions, users, validated) == trust


def test_a_cell_is_said_to_come_from_its_least_trusted_origin():
    assert least_trusted(None, "user") == "user"
    assert least_trusted("user", "agent") == "agent"
    assert least_trusted("agent", "system") == "agent"
    assert least_trusted("agent", "odd") == "odd"
