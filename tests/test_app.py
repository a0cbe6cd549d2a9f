"""A store that is new gets its views when it is first used; every other one has them from the start."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from tests.support.box import BareBox

PLAN = {"sessionId": "s", "planDescription": "p"}


def views(directory: Path) -> set[str]:
    """What the store has, as somebody sees it who knows nothing of us."""
    connection = apsw.Connection(str(directory / "thoughtbox.db"), flags=apsw.SQLITE_OPEN_READONLY)
    found = {row[0] for row in connection.execute("SELECT view FROM views")}
    connection.close()
    return found


def test_a_new_store_gets_its_views_when_it_is_first_used(tmp_path: Path):
    box = BareBox(tmp_path)
    assert views(tmp_path) == set()

    box.call("thought_plan", PLAN)

    assert views(tmp_path) == {kind.name for kind in box.app.views.kinds}
    box.close()


def test_of_several_who_open_a_new_store_all_can_use_it(tmp_path: Path):
    boxes = [BareBox(tmp_path) for _ in range(3)]

    for number, box in enumerate(boxes):
        box.call("thought_plan", {**PLAN, "sessionId": f"s{number}"})
    counts = [box.call("ledger_status", {})["records"] for box in boxes]

    assert counts == [3, 3, 3]
    for box in boxes:
        box.close()


def test_a_store_that_lacks_a_view_and_has_records_gets_it_at_the_start(tmp_path: Path):
    box = BareBox(tmp_path)
    box.call("thought_plan", PLAN)
    box.close()
    with apsw.Connection(str(tmp_path / "thoughtbox.db")) as connection:
        connection.execute("DELETE FROM views WHERE view = 'trail_actions'")

    box = BareBox(tmp_path)

    assert "trail_actions" in views(tmp_path)
    box.close()


def test_a_store_that_is_closed_unused_is_left_without_views(tmp_path: Path):
    BareBox(tmp_path).close()

    assert views(tmp_path) == set()
    again = BareBox(tmp_path)
    assert again.call("thought_plan", PLAN)
    again.close()


@pytest.mark.parametrize("use", ["engine", "feed", "dispatcher"])
def test_whatever_is_used_first_finds_the_views_made(use: str, tmp_path: Path):
    box = BareBox(tmp_path)

    assert getattr(box.app, use) is not None

    assert views(tmp_path)
    box.close()
