"""Views that are not what the ledger makes of them are named, and nothing is touched to find that out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from tests.support.box import WORKSPACE, Box, empty_schema
from tests.support.memory import fill_memory
from tests.support.mind import fill_mind
from tests.support.notebooks import fill_notebooks
from tests.support.thinker import Client
from thoughtbox.app import all_views
from thoughtbox.engine.protocol import Sql
from thoughtbox.ledger.comparison import compare
from thoughtbox.ledger.keeper import checkpoint
from thoughtbox.ledger.ledger import Ledger
from thoughtbox.ledger.replay import catch_up_all, rebuild
from thoughtbox.ledger.view import View

KINDS = all_views().kinds

PARTS = 8
"""The views are dealt out to this many tests."""


def fill(box: Box) -> None:
    """Something in every view but that of notebooks, whose cells take time to run."""
    mia = Client(box)
    mia.start_new(sessionTitle="Slow pages", sessionTags=["db"])
    mia.cipher()
    mia.thought(thought="S1|O|pages are slow")
    mia.thought(thought="S2|H|S1|a missing index")
    mia.thought(thought="S7|E|S2|EXPLAIN shows a scan")
    mia.thought(thought="another way", branchId="alt", branchFromThought=1)
    mia.critique(thoughtNumber=2, text="Is it?")
    mia.call("knowledge.write_note", title="Open ends", content="ask about the replica")
    box.claim(text="The cache is cold", session="s", supports=["th:1"])
    box.call("vars.set", {"name": "page", "value": 3, "session": "s"})
    fill_mind(box)
    fill_memory(box)
    for number in range(200):
        box.submit("thought_record", {"sessionId": "s", "thoughtType": "note", "content": f"n {number}"})
    box.call("thought_plan", {"sessionId": "s", "planDescription": "once", "actionId": "deploy-1"}, key="k1")
    checkpoint(box.app.engine, box.app.views, box.app.keyring, box.app.world, WORKSPACE)
    catch_up_all(box.app.engine, box.app.views, WORKSPACE)


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def filled(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Box]:
    """A box of one workspace that tests share: whoever changes a view of it makes that anew."""
    with ExitStack() as kept:
        place = {}
        if request.param == "postgres":
            place["THOUGHTBOX_DATABASE_URL"] = kept.enter_context(empty_schema(request.config))
        box = Box(tmp_path_factory.mktemp("filled"), **place)
        kept.callback(box.close)
        fill(box)
        yield box


def change(box: Box, statement: str) -> None:
    box.app.engine.write("", lambda sql: sql.run(statement)).result()


def emptied(sql: Sql, kind: type[View]) -> list[str]:
    """Statements that empty each table of a view that has anything in it."""
    tables = [table for table in kind.tables(sql.dialect) if table not in ("texts_index", "texts_instances")]
    filled = [table for table in tables if sql.row(f"SELECT COUNT(*) FROM {table}") != (0,)]
    index = ["INSERT INTO texts_index (texts_index) VALUES ('delete-all')"]
    return [f"DELETE FROM {table}" for table in filled] + index * ("texts_index" in kind.tables(sql.dialect))


def test_views_that_nobody_touched_are_what_the_ledger_makes_of_them(box: Box):
    fill(box)
    fill_notebooks(box)

    found = box.ledger_verify(deep=True)

    assert (found["standing"], found["views_checked"], found["problem"]) == ("valid", True, None)
    assert box.ledger_verify()["views_checked"] is False


@pytest.mark.sampled(12)
@pytest.mark.parametrize("part", range(PARTS))
def test_whatever_is_missing_from_a_view_is_found_and_the_view_is_named(box: Box, part: int):
    fill(box)
    fill_notebooks(box)
    for kind in KINDS[part::PARTS]:
        harm = box.app.engine.read(lambda sql, kind=kind: emptied(sql, kind)).result()
        assert harm, kind
        for statement in harm:
            change(box, statement)
            found = box.ledger_verify(deep=True)
            assert (found["standing"], found["problem"]["wrong"]) == ("broken", "view"), statement
            assert f"`{kind.name}`" in found["problem"]["message"], statement
            assert box.ledger_verify()["standing"] == "valid" or kind.name == "checkpoints"
            make_anew(box, kind.name)
    assert box.ledger_verify(deep=True)["standing"] == "valid"


@pytest.mark.parametrize(
    ("view", "statement"),
    [
        ("answers", "UPDATE answers SET key = 'k2'"),
        ("answers", "INSERT INTO answers SELECT workspace, agent, 'never used', seq FROM answers"),
        ("trail_actions", "UPDATE trail_actions SET seq = 1"),
        ("tree", "UPDATE tree_nodes SET hash = (SELECT hash FROM records WHERE seq = 1)"),
        ("texts", "UPDATE texts SET session = 'another'"),
        ("texts", "UPDATE view_cursors SET seq = seq + 1000 WHERE view = 'texts'"),
        ("tree", "UPDATE view_cursors SET seq = 0 WHERE view = 'tree'"),
        ("tree", "UPDATE view_cursors SET seq = -5 WHERE view = 'tree'"),
    ],
)
def test_a_row_that_was_changed_is_found(filled: Box, view: str, statement: str):
    change(filled, statement)

    found = filled.ledger_verify(deep=True)
    make_anew(filled, view)

    assert found["problem"]["wrong"] == "view"
    assert f"`{view}`" in found["problem"]["message"]


def make_anew(box: Box, view: str) -> None:
    rebuild(box.app.engine, next(kind for kind in KINDS if kind.name == view))
    catch_up_all(box.app.engine, box.app.views, WORKSPACE)


def test_rows_of_a_workspace_that_has_no_records_are_found(filled: Box):
    change(
        filled,
        "INSERT INTO trail_actions VALUES ('nowhere', 'deploy-9', 1, 'trail/s1')",
    )

    found = filled.app.engine.scratch(lambda sql: compare(sql, filled.app.views)).result()
    make_anew(filled, "trail_actions")

    assert [(one.workspace, one.view) for one in found.differences] == [("nowhere", "trail_actions")]


def test_a_workspace_hears_nothing_of_the_views_of_another(box: Box):
    fill(box)
    Client(box, workspace="other").call("thought_plan", sessionId="s", planDescription="p", actionId="a")
    change(box, "DELETE FROM trail_actions WHERE workspace = 'other'")

    assert box.ledger_verify(deep=True)["standing"] == "valid"


def test_a_table_that_is_gone_is_a_view_that_cannot_be_read(box: Box):
    fill(box)
    change(box, "DROP TABLE trail_actions")

    found = box.ledger_verify(deep=True)

    assert found["problem"]["wrong"] == "view"
    assert "the view `trail_actions` cannot be read" in found["problem"]["message"]


def test_a_view_in_the_shape_of_another_release_is_not_compared(box: Box):
    fill(box)
    change(box, "UPDATE views SET version = 'another' WHERE view = 'trail_actions'")

    found = box.ledger_verify(deep=True)

    assert (found["standing"], found["views_checked"]) == ("valid", False)


def test_comparing_writes_nothing_and_leaves_nothing(open_box: Callable[..., Box]):
    box = open_box()
    fill(box)

    def everything(sql: Sql) -> list[object]:
        tables = {table for kind in KINDS for table in kind.tables(sql.dialect)} - {"texts_index", "texts_words"}
        return [sql.rows(f"SELECT * FROM {table} ORDER BY 1, 2") for table in sorted(tables)]

    before = box.app.engine.read(everything).result()
    box.ledger_verify(deep=True)
    assert box.app.engine.read(everything).result() == before
    assert box.thought_for_action(actionId="deploy-1")["count"] == 1


def test_a_store_in_memory_is_compared_too_and_goes_on():
    box = Box(None)
    fill(box)

    assert box.ledger_verify(deep=True)["views_checked"] is True
    change(box, "DELETE FROM answers")
    assert box.ledger_verify(deep=True)["problem"]["wrong"] == "view"
    assert box.thought_plan(sessionId="s", planDescription="and on")["success"]
    last = box.app.engine.read(lambda sql: Ledger(sql, WORKSPACE, box.app.views).last_seq()).result()
    assert box.ledger_verify()["records"] == last
    box.close()
