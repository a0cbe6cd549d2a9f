"""Clocks that jump: the order is by number, and the time is written down as it was observed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.box import START_MS, WORKSPACE, Box, settings_for
from thoughtbox.app import Thoughtbox
from thoughtbox.ledger.keeper import checkpoint
from thoughtbox.ledger.replay import rebuild
from thoughtbox.ledger.verify import verify_workspace
from thoughtbox.world import World, iso

DAY_MS = 86_400_000
JUMPS = [0, 1, -DAY_MS, -DAY_MS + 5, 365 * DAY_MS, 365 * DAY_MS, 0, 2]


@pytest.fixture
def now() -> list[int]:
    return [START_MS]


class JumpingBox(Box):
    """A box whose clock shows what the test says."""

    def __init__(self, directory: Path, now: list[int]) -> None:
        self.app = Thoughtbox(settings_for(directory), world=World(now_ms=lambda: now[0]))


@pytest.fixture
def jumping(tmp_path: Path, now: list[int]) -> Iterator[Box]:
    box = JumpingBox(tmp_path, now)
    yield box
    box.close()


def test_a_clock_that_goes_back_a_day_and_forward_a_year_changes_no_order(jumping: Box, now: list[int]):
    for number, jump in enumerate(JUMPS):
        now[0] = START_MS + jump
        jumping.thought_record(sessionId="s1", thoughtType="note", content=f"{number}", actionId="deploy")
        jumping.start_new(sessionTitle=f"{number}")
    engine, views = jumping.app.engine, jumping.app.views
    assert checkpoint(engine, views, jumping.app.keyring, jumping.app.world, WORKSPACE)

    thoughts = jumping.thought_for_action(actionId="deploy")["thoughts"]
    tail = [record for record in jumping.ledger_tail(limit=100)["records"] if record["kind"] != "checkpoint"]
    titles = [session["title"] for session in jumping.list_sessions(limit=50)["sessions"]]

    assert [thought["content"] for thought in thoughts] == [f"{number}" for number in range(len(JUMPS))]
    assert sorted(record["ts"] for record in tail) == sorted(iso(START_MS + jump) for jump in JUMPS for _ in range(2))
    assert titles == [f"{number}" for number in reversed(range(len(JUMPS)))]
    verdict = engine.read(lambda sql: verify_workspace(sql, WORKSPACE, keys=jumping.app.keyring.verifiers)).result()
    assert verdict.valid
    assert all(rebuild(engine, kind) for kind in views.kinds)
