"""Two releases on one store, at work at the same time: the newer takes over, the older is told, nothing is missing."""

from __future__ import annotations

import logging
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.faults.processes import Writer, writing
from tests.faults.store import Store, missing
from tests.support.forks import PATIENCE
from tests.support.preludes import NEXT_RELEASE
from thoughtbox.domains.trail.view import Actions
from thoughtbox.errors import SchemaTooNew
from thoughtbox.ledger.replay import advance
from thoughtbox.ledger.view import made
from thoughtbox.search.texts import Texts

pytestmark = pytest.mark.sampled(3)

ENGINES = pytest.mark.parametrize("engine", ["sqlite", "postgres"])

OPEN = """
import sys
from pathlib import Path
exec(sys.argv[3], {})
from tests.faults.store import Store
Store(Path(sys.argv[1]), database_url=sys.argv[2]).close()
"""


def url_of(engine: str, request: pytest.FixtureRequest) -> str:
    return request.getfixturevalue("postgres_url") if engine == "postgres" else ""


def take_over(directory: Path, url: str) -> None:
    """The next release starts on the store, and is gone again."""
    subprocess.run(
        [sys.executable, "-c", OPEN, str(directory), url, NEXT_RELEASE],
        cwd=Path(__file__).resolve().parents[2],
        check=True,
        timeout=PATIENCE,
    )


@pytest.fixture
def next_release(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """From here on this process is the next release, until the test is over."""

    def become() -> None:
        for owner, name in ((Actions, "apply"), (Actions, "script"), (Actions, "generation"), (Texts, "generation")):
            monkeypatch.setattr(owner, name, owner.__dict__.get(name, getattr(owner, name)))
        exec(NEXT_RELEASE, {})

    return become


@ENGINES
def test_an_older_release_writes_until_the_newer_takes_over_and_nothing_is_missing_then(
    engine: str, tmp_path: Path, request: pytest.FixtureRequest, next_release: Callable[[], None]
):
    url = url_of(engine, request)
    with ExitStack() as stack:

        def release(life: str, **more: object) -> Writer:
            return stack.enter_context(writing(tmp_path, life, threads=2, database_url=url, **more))

        older = [release(f"older-{number}") for number in range(2)]
        assert [writer.is_ready() for writer in older] == [True, True]
        for writer in older:
            writer.go()
            writer.listen(until=40)
        newer = [release(f"newer-{number}", calls=30, prelude=NEXT_RELEASE) for number in range(2)]
        assert [writer.is_ready() for writer in newer] == [True, True]
        for writer in newer:
            writer.go()
        for writer in [*older, *newer]:
            writer.listen()
    assert [writer.errors for writer in newer] == [[], []]
    for writer in older:
        assert writer.errors
        assert all("a newer Thoughtbox has taken over this store" in error for error in writer.errors)
    acknowledged = [said for writer in [*older, *newer] for said in writer.acknowledged]

    with pytest.raises(SchemaTooNew):
        Store(tmp_path, database_url=url)
    next_release()
    with Store(tmp_path, database_url=url) as store:
        assert missing(store, acknowledged) == []
        assert Counter(store.contents()) == Counter(said.content for said in acknowledged)
        # What each record should have left in the new view is what the view is made of.
        held = store.engine.read(lambda sql: sql.rows("SELECT action_id, seq FROM trail_actions ORDER BY seq")).result()
        thoughts = [record for record in store.by_number() if record.topic == "trail.thought"]
        assert held == [(record.data["actionId"].upper(), record.seq) for record in thoughts]
        store.assert_whole()


@ENGINES
def test_an_older_release_that_runs_on_neither_reads_nor_writes_and_says_why_once(
    engine: str, tmp_path: Path, request: pytest.FixtureRequest, caplog: pytest.LogCaptureFixture
):
    url = url_of(engine, request)
    with Store(tmp_path, database_url=url) as older:
        older.think("before", actionId="deploy")
        assert older.call("thought_for_action", {"actionId": "deploy"})["count"] == 1

        take_over(tmp_path, url)

        with caplog.at_level(logging.ERROR):
            for _ in range(2):
                with pytest.raises(SchemaTooNew, match="a newer Thoughtbox has taken over"):
                    older.call("thought_for_action", {"actionId": "deploy"})
                with pytest.raises(SchemaTooNew):
                    older.think("after")
                with pytest.raises(SchemaTooNew):
                    advance(older.engine, Texts, older.workspace, 1).result()
        assert [record.levelname for record in caplog.records] == ["ERROR"]
        assert older.contents() == ["before"]
        older.workspace = "brand-new"
        with pytest.raises(SchemaTooNew):
            older.think("a workspace that was not there")


@ENGINES
def test_an_older_release_that_starts_is_refused_as_often_as_it_tries(
    engine: str, tmp_path: Path, request: pytest.FixtureRequest, next_release: Callable[[], None]
):
    url = url_of(engine, request)
    of_older = (Actions.generation, Texts.generation)
    with Store(tmp_path, database_url=url) as older:
        older.think("x", actionId="deploy")
    take_over(tmp_path, url)

    for _ in range(3):
        with pytest.raises(SchemaTooNew, match="a newer Thoughtbox has taken over"):
            Store(tmp_path, database_url=url)

    next_release()
    with Store(tmp_path, database_url=url) as store:
        stored = store.engine.read(made).result()
        of_next = (Actions.generation, Texts.generation)
        assert (stored["trail_actions"].generation, stored["texts"].generation) == of_next > of_older
        store.assert_whole()


@ENGINES
def test_servers_of_a_new_release_that_start_together_replay_once(
    engine: str, tmp_path: Path, request: pytest.FixtureRequest
):
    url = url_of(engine, request)
    with Store(tmp_path, database_url=url) as store:
        for number in range(50):
            store.think(f"{number}", actionId="deploy")
        before = store.engine.read(lambda sql: sql.standing().epoch).result()
        with ExitStack() as stack:
            newer = [
                stack.enter_context(
                    writing(tmp_path, f"{n}", threads=1, calls=1, database_url=url, prelude=NEXT_RELEASE)
                )
                for n in range(4)
            ]
            assert [writer.is_ready() for writer in newer] == [True] * 4
        assert store.engine.read(lambda sql: sql.standing().epoch).result() == before + 1
