"""Views are derived: dropped, replayed and compared; and those that follow the tail catch up."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.support.box import WORKSPACE, Box
from thoughtbox.domains.trail.view import Actions
from thoughtbox.ledger import merkle
from thoughtbox.ledger.keeper import checkpoint
from thoughtbox.ledger.ledger import Ledger
from thoughtbox.ledger.replay import catch_up, cursor, rebuild
from thoughtbox.ledger.tree import WIDTH, Tree
from thoughtbox.ledger.view import fingerprint


def fill(box: Box, count: int) -> None:
    waiting = [
        box.submit(
            "thought_record",
            {"sessionId": f"s{n % 7}", "thoughtType": "note", "content": f"thought {n}", "actionId": f"a{n % 3}"},
        )
        for n in range(count)
    ]
    for future in waiting:
        future.result()


def test_a_rebuilt_view_equals_the_live_one(box: Box):
    fill(box, 30)
    checkpoint(box.app.engine, box.app.views, box.app.keyring, box.app.world, WORKSPACE)
    box.call("thought_plan", {"sessionId": "s1", "planDescription": "once"}, key="k1")

    assert all(rebuild(box.app.engine, kind) for kind in box.app.views.kinds)


def test_a_view_that_was_tampered_with_is_found_different_and_healed(box: Box):
    fill(box, 9)
    box.app.engine.write(WORKSPACE, lambda sql: sql.run("DELETE FROM trail_actions WHERE action_id = 'a1'")).result()

    assert rebuild(box.app.engine, Actions) is False
    assert rebuild(box.app.engine, Actions) is True
    assert box.thought_for_action(actionId="a1")["count"] == 3


def test_a_view_of_another_shape_is_replayed_when_the_store_is_opened(
    open_box: Callable[..., Box], monkeypatch: pytest.MonkeyPatch
):
    box = open_box()
    fill(box, 9)
    before = box.app.engine.read(lambda sql: fingerprint(sql, Actions)).result()
    box.app.engine.write("", lambda sql: sql.run("DELETE FROM trail_actions")).result()
    box.close()

    monkeypatch.setattr(Actions, "generation", Actions.generation + 1)
    again = open_box()

    assert again.app.engine.read(lambda sql: fingerprint(sql, Actions)).result() == before


def test_the_tree_follows_the_tail_in_whole_blocks(box: Box):
    fill(box, 2 * WIDTH + 10)

    reached = catch_up(box.app.engine, Tree, WORKSPACE, 2 * WIDTH + 10)

    assert reached == 2 * WIDTH
    assert box.app.engine.read(lambda sql: cursor(sql, Tree, WORKSPACE)).result() == reached


@pytest.mark.parametrize("integrated", [False, True])
def test_the_tree_has_the_root_that_the_hashes_add_up_to(box: Box, integrated: bool):
    count = 3 * WIDTH + 7
    fill(box, count)
    if integrated:
        catch_up(box.app.engine, Tree, WORKSPACE, count)
    frontier = merkle.Frontier()
    for record in box.app.engine.read(lambda sql: list(Ledger(sql, WORKSPACE, box.app.views).tail(0))).result():
        frontier.add(record.hash)

    root = box.app.engine.read(lambda sql: merkle.root(count, Tree(sql, WORKSPACE).subtree)).result()

    assert root == frontier.root()
