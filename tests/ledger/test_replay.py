"""Views are made beside those in use: others go on writing, and who dies on the way has changed nothing."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.conformance.store import Gate
from tests.faults.store import Store
from tests.support.box import WORKSPACE, Box
from tests.support.forks import PATIENCE
from tests.support.preludes import NEXT_RELEASE
from thoughtbox.domains.trail.view import Actions
from thoughtbox.engine.protocol import Engine, Sql
from thoughtbox.ledger import replay
from thoughtbox.ledger.answers import Answers
from thoughtbox.ledger.replay import rebuild
from thoughtbox.ledger.shadow import Shadow, left_behind
from thoughtbox.ledger.view import View

Boxes = Callable[..., Box]

LIVING = """
import sys
from pathlib import Path
exec(sys.argv[3], {})
from tests.faults.store import Store
Store(Path(sys.argv[1]), database_url=sys.argv[2]).close()
"""

DYING = """
import os, sys
from pathlib import Path
exec(sys.argv[3], {})
from tests.faults.store import Store
from thoughtbox.ledger import replay
replay.SLICE_SECONDS = 0.0
slices = 0
whole = replay._Making._slice

def dies(self, *given, **more):
    global slices
    slices += 1
    if slices == 6:
        os._exit(7)
    return whole(self, *given, **more)

replay._Making._slice = dies
Store(Path(sys.argv[1]), database_url=sys.argv[2])
"""


@pytest.fixture(autouse=True)
def small_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every record is a slice of its own."""
    monkeypatch.setattr(replay, "SLICE_SECONDS", 0.0)


def think(box: Box, content: str, action: str = "deploy") -> None:
    box.thought_record(sessionId="s1", thoughtType="note", content=content, actionId=action)


def test_others_write_and_read_while_views_are_made_anew(open_box: Boxes):
    box, other = open_box(), open_box()
    for number in range(6):
        think(box, f"{number}")
    counts = []

    def meanwhile(done: int, total: int) -> None:
        if done <= 3:
            think(other, "meanwhile")
            counts.append(other.thought_for_action(actionId="deploy")["count"])

    for kind in box.app.views.kinds:
        assert rebuild(box.app.engine, kind, meanwhile), kind

    assert counts == list(range(7, 7 + len(counts)))
    assert len(counts) >= 12
    assert other.thought_for_action(actionId="deploy")["count"] == counts[-1]
    assert all(rebuild(box.app.engine, kind) for kind in box.app.views.kinds)


@pytest.mark.parametrize("make", [rebuild, lambda engine, kind: replay.remake(engine, [kind])])
def test_the_first_records_of_a_store_may_come_while_its_views_are_made(
    open_box: Boxes, monkeypatch: pytest.MonkeyPatch, make: Callable[[Engine, type[View]], object]
):
    box, other = open_box(), open_box()
    heads = replay.heads

    def heads_of_first_records(sql: Sql) -> dict[str, int]:
        monkeypatch.undo()
        for number in range(3):
            think(other, f"{number}")
        return heads(sql)

    monkeypatch.setattr(replay, "heads", heads_of_first_records)
    make(box.app.engine, Actions)

    assert other.thought_for_action(actionId="deploy")["count"] == 3
    assert rebuild(box.app.engine, Actions)


def test_a_difference_is_found_however_much_is_written_meanwhile(open_box: Boxes):
    box, other = open_box(), open_box()
    for number in range(6):
        think(box, f"{number}", f"a{number}")
    box.app.engine.write(WORKSPACE, lambda sql: sql.run("DELETE FROM trail_actions WHERE action_id = 'a3'")).result()
    [actions] = [kind for kind in box.app.views.kinds if kind.name == "trail_actions"]

    def meanwhile(done: int, total: int) -> None:
        if done <= 3:
            think(other, "meanwhile")

    assert not rebuild(box.app.engine, actions, meanwhile)
    assert rebuild(box.app.engine, actions, meanwhile)
    assert other.thought_for_action(actionId="a3")["count"] == 1


@pytest.mark.parametrize("engine", ["sqlite", "postgres"])
def test_a_replay_that_is_killed_leaves_the_view_in_use_and_the_next_start_clears_up(
    engine: str, tmp_path: Path, request: pytest.FixtureRequest
):
    url = request.getfixturevalue("postgres_url") if engine == "postgres" else ""
    with Store(tmp_path, database_url=url) as older:
        for number in range(10):
            older.think(f"{number}", actionId="deploy")

        def start(script: str) -> int:
            return subprocess.run(
                [sys.executable, "-c", script, str(tmp_path), url, NEXT_RELEASE],
                cwd=Path(__file__).resolve().parents[2],
                check=False,
                timeout=PATIENCE,
            ).returncode

        assert start(DYING) == 7
        assert older.engine.read(left_behind).result()
        older.think("still at work", actionId="deploy")
        assert older.call("thought_for_action", {"actionId": "deploy"})["count"] == 11
        assert start(LIVING) == 0
        assert older.engine.read(left_behind).result() == []
        held = older.engine.read(lambda sql: sql.rows("SELECT DISTINCT action_id FROM trail_actions")).result()
        assert held == [("DEPLOY",)]


def test_what_a_rebuild_has_left_behind_is_cleared_by_the_next_start_unless_somebody_is_at_it(open_box: Boxes):
    """A disk that stays full leaves no way to clear up, and the view in use needs no replay."""
    box = open_box()
    box.thought_record(sessionId="s", thoughtType="note", content="x")
    box.app.engine.write("", Shadow(Answers, box.app.engine.dialect, "0badcafe").create).result()
    with box.app.engine.alone():
        other = open_box()
        assert other.app.engine.read(left_behind).result() == ["answers__0badcafe"]
    assert open_box().app.engine.read(left_behind).result() == []


class _Words(View):
    name = "words"
    schema = "none"

    @classmethod
    def script(cls, dialect: str) -> str:
        tables = "CREATE TABLE words (word TEXT);\nCREATE TABLE words_index (n INTEGER);\n"
        return f"{tables}CREATE INDEX by_word ON words (word);"


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("SELECT word FROM words WHERE n = ?", "SELECT word FROM words__m WHERE n = ?"),
        ("SELECT words.word FROM words", "SELECT words__m.word FROM words__m"),
        ("SELECT w.words FROM words AS w", "SELECT w.words FROM words__m AS w"),
        ("SELECT 'words', \"words\" FROM words_index", "SELECT 'words', \"words\" FROM words_index__m"),
        ("CREATE INDEX by_word ON words (word)", "CREATE INDEX by_word__m ON words__m (word)"),
        ("SELECT bm25(words_index) FROM other_words", "SELECT bm25(words_index__m) FROM other_words"),
        ("SELECT content FROM records", "SELECT content FROM records"),
    ],
)
def test_a_shadow_puts_its_names_in_the_place_of_tables_and_of_nothing_else(statement: str, expected: str):
    assert Shadow(_Words, "sqlite", "m").in_its_words(statement) == expected


def test_a_long_read_is_let_finish_and_the_view_takes_its_place_then(open_box: Boxes):
    """On PostgreSQL a snapshot does not cover tables that take each other's place."""
    box, other = open_box(), open_box()
    for number in range(5):
        think(box, f"{number}")
    [actions] = [kind for kind in box.app.views.kinds if kind.name == "trail_actions"]
    made: list[bool] = []

    def long_read(sql: Sql) -> tuple[int, int]:
        before = sql.rows("SELECT COUNT(*) FROM trail_actions")
        making.append(threads.submit(lambda: made.append(rebuild(box.app.engine, actions))))
        for _ in range(40):
            if made:
                break
            never.wait(0.02)
        return before[0][0], sql.rows("SELECT COUNT(*) FROM trail_actions")[0][0]

    never = threading.Event()
    making: list[Future[None]] = []
    with ThreadPoolExecutor(1) as threads:
        assert other.app.engine.read(long_read).result() == (5, 5)
        making[0].result(PATIENCE)
    assert made == [True]


def test_what_shares_a_transaction_with_the_last_step_is_in_the_new_tables_too(box: Box):
    """A call and the step that puts the tables in place may be committed together."""
    engine = box.app.engine
    plan = {"sessionId": "s1", "planDescription": "p", "actionId": "deploy"}
    box.call("thought_plan", plan, key="before")
    with engine.alone(), replay._Making(engine, [Answers, Actions], None) as making:
        making.take_in(engine.read(replay.heads).result())
        gate = Gate(engine, WORKSPACE)
        waiting = [
            box.submit("thought_plan", plan, key="together"),
            engine.write(WORKSPACE, lambda sql: making._last_step(sql, (), 0)),
        ]
        gate.open()
        for one in waiting:
            one.result(PATIENCE)

    assert all(rebuild(engine, kind) for kind in (Answers, Actions))
    assert box.thought_for_action(actionId="deploy")["count"] == 2
