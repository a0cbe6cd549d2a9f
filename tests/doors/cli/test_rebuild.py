"""`thoughtbox rebuild`: views made again from the ledger."""

from __future__ import annotations

from pathlib import Path

from tests.doors.cli.conftest import Cli
from tests.support.box import WORKSPACE, Box


def test_rebuilt_views_equal_what_they_were(cli: Cli):
    cli.think(3)
    cli("checkpoint")

    ran = cli("rebuild", "--check", "--json")

    assert ran.code == 0
    views = ran.json()["views"]
    assert {view["view"] for view in views} >= {"answers", "checkpoints", "tree", "trail_actions"}
    assert all(view["same"] for view in views)


def test_a_view_that_was_touched_is_mended_and_said_to_have_been_different(cli: Cli):
    cli("call", "thought_plan", "sessionId=s1", "planDescription=x", "actionId=a1")
    cli.tamper("DELETE FROM trail_actions")

    checked = cli("rebuild", "trail_actions", "answers", "--check")
    again = cli("rebuild", "--check")

    assert checked.code == 1
    assert "was different, and is mended" in checked.out
    assert again.code == 0
    assert cli("call", "thought_for_action", "actionId=a1").json()["count"] == 1


def test_without_check_a_difference_is_no_failure(cli: Cli):
    cli("call", "thought_plan", "sessionId=s1", "planDescription=x", "actionId=a1")
    cli.tamper("DELETE FROM trail_actions")

    assert cli("rebuild").code == 0


def test_a_tree_that_lags_behind_is_not_taken_for_a_different_one(cli: Cli):
    fill(cli.directory, 260)
    cli("checkpoint", "--workspace", WORKSPACE)
    fill(cli.directory, 520)

    assert cli("rebuild", "tree", "--check").code == 0


def fill(directory: Path, count: int) -> None:
    box = Box(directory)
    for number in range(count):
        box.thought_record(sessionId="s1", thoughtType="note", content=f"{number}")
    box.close()


def test_a_view_that_is_not_there_gets_the_nearest_one(cli: Cli):
    cli.think(1)

    ran = cli("rebuild", "trail_action")

    assert ran.code == 2
    assert "did you mean `trail_actions`?" in ran.err
