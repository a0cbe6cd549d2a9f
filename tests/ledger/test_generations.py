"""A view's shape never changes without its generation; a store keeps the latest, whoever else comes."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.ledger.generations import changed_without_a_new_generation, pinned, present
from tests.support.box import Box
from thoughtbox.domains.trail.view import Actions
from thoughtbox.engine.protocol import Sql
from thoughtbox.errors import SchemaTooNew, StorageDamaged
from thoughtbox.ledger.replay import rebuild
from thoughtbox.ledger.shadow import left_behind
from thoughtbox.ledger.view import made

Boxes = Callable[..., Box]


def think(box: Box, action: str = "a1") -> None:
    box.thought_record(sessionId="s1", thoughtType="note", content="x", actionId=action)


def rows(sql: Sql) -> list[tuple[str, int]]:
    return [(row[0], row[1]) for row in sql.rows("SELECT action_id, seq FROM trail_actions ORDER BY seq")]


def test_every_view_has_the_shape_that_is_written_down_for_its_generation():
    """When this fails: raise the `generation` of what has changed, then run `python -m tests.ledger.generations`."""
    assert present() == pinned()


def test_another_shape_cannot_be_written_down_under_the_same_generation():
    before = {"answers": {"generation": 2, "sqlite": "a", "postgres": "a"}}
    for generation, forgotten in ((1, True), (2, True), (3, False)):
        now = {"answers": {"generation": generation, "sqlite": "b", "postgres": "a"}}
        assert changed_without_a_new_generation(before, now) == (["answers"] if forgotten else [])


def test_a_list_of_views_that_cannot_be_read_is_damage(open_box: Boxes):
    """A flipped bit may turn a column into nothing at all, whatever its table allows."""
    box = open_box()
    for statement in (
        "ALTER TABLE views RENAME TO views_as_they_were",
        "CREATE TABLE views (view TEXT, version TEXT, generation INTEGER, tables TEXT)",
        "INSERT INTO views (version, generation) VALUES ('x', 1)",
    ):
        box.app.engine.write("", lambda sql, statement=statement: sql.run(statement)).result()
    with pytest.raises(StorageDamaged, match="list of views"):
        open_box()


def test_no_column_is_called_like_a_table(box: Box):
    """A shadow's names are put into statements: what is called like a table must be one."""
    for kind in box.app.views.kinds:
        tables = set(kind.tables(box.app.engine.dialect))
        script = kind.script(box.app.engine.dialect)
        columns = {line.split()[0] for line in script.splitlines() if line.startswith("  ")}
        assert not tables & columns, kind


def test_a_later_generation_makes_the_view_anew_and_leaves_nothing_beside_it(
    open_box: Boxes, monkeypatch: pytest.MonkeyPatch
):
    box = open_box()
    think(box)
    box.app.engine.write("", lambda sql: sql.run("DELETE FROM trail_actions")).result()
    box.close()

    monkeypatch.setattr(Actions, "generation", Actions.generation + 1)
    newer = open_box()

    assert newer.app.engine.read(rows).result() == [("a1", 1)]
    assert newer.app.engine.read(made).result()["trail_actions"].generation == Actions.generation
    assert newer.app.engine.read(left_behind).result() == []


def test_an_earlier_generation_is_refused_and_changes_nothing(open_box: Boxes, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(Actions, "generation", Actions.generation + 1)
    newer = open_box()
    think(newer)
    before = newer.app.engine.read(made).result()
    monkeypatch.undo()

    with pytest.raises(SchemaTooNew, match="a newer Thoughtbox has taken over this store"):
        open_box()

    assert newer.app.engine.read(made).result() == before
    assert newer.app.engine.read(rows).result() == [("a1", 1)]


def test_another_shape_of_the_same_generation_is_a_build_in_the_making_and_is_replayed(
    open_box: Boxes, monkeypatch: pytest.MonkeyPatch
):
    box = open_box()
    think(box)
    box.close()
    whole = Actions.script("sqlite")

    def with_an_index(dialect: str) -> str:
        return f"{whole}CREATE INDEX trail_actions_by_seq ON trail_actions (workspace, seq);"

    monkeypatch.setattr(Actions, "script", with_an_index)
    again = open_box()

    assert again.app.engine.read(rows).result() == [("a1", 1)]
    assert again.app.engine.read(again.app.views.outdated).result() == []


def test_a_view_that_nobody_here_has_heard_of_is_a_newer_release(open_box: Boxes):
    box = open_box()
    think(box)
    unknown = "INSERT INTO views (view, version, generation) VALUES ('moods', 'x', 1)"
    box.app.engine.write("", lambda sql: sql.run(unknown)).result()

    with pytest.raises(SchemaTooNew, match="moods"):
        open_box()


def test_a_rebuild_by_another_process_stops_nobody(open_box: Boxes):
    box, other = open_box(), open_box()
    think(box)
    for kind in other.app.views.kinds:
        assert rebuild(other.app.engine, kind)

    think(box, "a2")

    assert box.thought_for_action(actionId="a2")["count"] == 1
    assert other.app.engine.read(rows).result() == [("a1", 1), ("a2", 2)]


def test_a_table_that_a_release_no_longer_has_goes_with_the_view(open_box: Boxes, monkeypatch: pytest.MonkeyPatch):
    box = open_box()
    think(box)
    box.close()
    renamed = Actions.script("sqlite").replace("trail_actions", "trail_deeds")
    with monkeypatch.context() as newer:
        newer.setattr(Actions, "generation", Actions.generation + 1)
        newer.setattr(Actions, "script", lambda dialect: renamed)
        newer.setattr(Actions, "apply", lambda self, record: None)
        open_box().close()

    with pytest.raises(SchemaTooNew):
        open_box()
    monkeypatch.setattr(Actions, "generation", Actions.generation + 2)
    again = open_box()
    with pytest.raises(Exception, match="trail_deeds"):
        again.app.engine.read(lambda sql: sql.rows("SELECT * FROM trail_deeds")).result()
    assert again.app.engine.read(rows).result() == [("a1", 1)]


def test_a_workspace_made_after_views_changed_is_in_the_present_epoch(open_box: Boxes, monkeypatch: pytest.MonkeyPatch):
    open_box().close()
    monkeypatch.setattr(Actions, "generation", Actions.generation + 1)
    newer = open_box()
    think(newer)

    def epochs(sql: Sql) -> set[int]:
        return {sql.standing().epoch, *(row[0] for row in sql.rows("SELECT epoch FROM workspaces"))}

    assert newer.app.engine.read(epochs).result() == {newer.app.views.epoch}
