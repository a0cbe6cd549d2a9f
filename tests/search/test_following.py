"""The index follows the tail: in slices, once, whatever comes in between."""

from __future__ import annotations

import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.search.conftest import BACK, BOOK, GONE, NAMED, Library, OpenLibrary
from tests.support.box import WORKSPACE
from tests.support.forks import PATIENCE
from tests.support.servers import soon
from thoughtbox.engine.protocol import Sql
from thoughtbox.errors import LedgerBroken, StorageDamaged
from thoughtbox.ledger import keeper
from thoughtbox.ledger.feed import Feed
from thoughtbox.ledger.keyring import Keyring
from thoughtbox.ledger.replay import advance, catch_up, cursor, ensure, lagging, rebuild
from thoughtbox.ledger.tree import WIDTH, Tree
from thoughtbox.ledger.view import View, create, fingerprint
from thoughtbox.search.registry import searchable
from thoughtbox.search.texts import SLICE_RECORDS, Texts

pytestmark = pytest.mark.sampled(2)


LASTING = pytest.mark.parametrize("open_library", ["sqlite", "postgres"], indirect=True)
"""Not in memory, where a store is gone with its process."""


def taken_in(library: Library) -> list[int]:
    return [row[0] for row in library.engine.read(lambda sql: sql.rows("SELECT seq FROM texts ORDER BY seq")).result()]


def keeping(library: Library) -> keeper.Keeper:
    keyring = Keyring(None, library.world)
    feed = Feed(library.engine, library.views)
    return keeper.Keeper(library.engine, feed, library.views, keyring, library.world, every=0)


def wait_until(library: Library, reached: int) -> None:
    soon(lambda: library.reached() >= reached)


def test_an_append_leaves_the_index_for_later(library: Library):
    library.add("cache")

    assert library.reached() == 0
    assert taken_in(library) == []


def test_it_goes_on_where_it_was_and_takes_in_everything_once(library: Library):
    library.add("one", "two")
    library.catch_up()
    library.add("three")
    library.catch_up()
    library.catch_up()

    assert taken_in(library) == [1, 2, 3]


def test_it_goes_no_further_than_asked(library: Library):
    library.add(*["cache"] * 9)

    assert catch_up(library.engine, Texts, WORKSPACE, 4) == 4
    assert taken_in(library) == [1, 2, 3, 4]


def test_slices_are_bounded_in_number_and_in_size_but_always_move_on(library: Library):
    library.add(*["cache"] * (SLICE_RECORDS + 10))
    library.add("x " * 200_000, "y " * 200_000)
    newest = library.newest()

    steps = []
    while (reached := advance(library.engine, Texts, WORKSPACE, newest).result()) not in steps:
        steps.append(reached)

    assert steps == [SLICE_RECORDS, newest - 2, newest - 1, newest]


def test_an_index_made_anew_equals_the_one_that_followed(library: Library):
    library.add("the cache is cold", "東京タワー", "y " * 20_000 + "end")
    library.add("", topic=BOOK, data={"title": "a book", "tags": ["t"]})
    library.add("", topic=NAMED, session="called", data={"title": "old", "tags": ["t"]})
    library.add("", topic=NAMED, session="called", data={"title": "new"})
    library.add("gone", session="gone")
    library.add("", topic=GONE, session="gone")
    library.add("back", session="back")
    library.add("", topic=GONE, session="back")
    library.add("", topic=BACK, session="back")
    library.catch_up()
    library.add("another cache", workspace="other")
    library.catch_up("other")
    library.add("not taken in yet")

    assert rebuild(library.engine, Texts) is True
    assert library.reached() == 11
    assert library.seqs("cache") == [1]
    assert library.seqs("old gone") == []
    assert library.seqs("new back") == [6, 9]
    assert library.seqs("cache", workspace="other") == [1]


@pytest.mark.parametrize("order", [["first", "second"], ["second", "first"]])
def test_an_index_does_not_depend_on_which_workspace_came_first(library: Library, order: list[str]):
    library.add("the cache", workspace="first")
    library.add("a buffer", workspace="second")
    for workspace in order:
        library.catch_up(workspace)
    prints = library.engine.read(lambda sql: fingerprint(sql, Texts)).result()

    library.engine.write("", _start_over).result()
    for workspace in ["first", "second"]:
        library.catch_up(workspace)

    assert library.engine.read(lambda sql: fingerprint(sql, Texts)).result() == prints


def _start_over(sql: Sql) -> None:
    sql.run("DELETE FROM view_cursors WHERE view = 'texts'")
    create(sql, Texts)


@pytest.mark.parametrize("what", ["row", "words", "frequency", "total", "absence"])
def test_an_index_that_was_tampered_with_is_found_different_and_mended(library: Library, what: str):
    library.add("the cache", "a buffer")
    library.add("gone", session="s2")
    library.add("gone", topic=GONE, session="s2")
    library.catch_up()

    def tamper(sql: Sql) -> None:
        if what == "row":
            sql.run("UPDATE texts SET session = 'other' WHERE seq = 1")
        elif what == "frequency":
            sql.run("UPDATE text_words SET entries = 7 WHERE word = 'cach'")
        elif what == "total":
            sql.run("UPDATE text_totals SET length = length + 1")
        elif what == "absence":
            sql.run("DELETE FROM text_absences")
        elif sql.dialect == "postgres":
            sql.run("UPDATE texts SET vector = CAST('cash:2' AS tsvector) WHERE seq = 1")
        else:
            sql.run("INSERT INTO texts_index (rowid, said, rest) VALUES (1, 'cash', '')")

    library.engine.write(WORKSPACE, tamper).result()

    assert rebuild(library.engine, Texts) is False
    assert rebuild(library.engine, Texts) is True
    assert library.seqs("cache") == [1]


@pytest.mark.parametrize("open_library", ["sqlite", "memory"], indirect=True)
def test_an_index_that_is_damaged_is_made_anew(library: Library):
    library.add(*["the cache"] * 200)
    library.catch_up()
    library.engine.write(
        WORKSPACE, lambda sql: sql.run("UPDATE texts_index_data SET block = x'00' WHERE id > 99")
    ).result()
    with pytest.raises(StorageDamaged):
        library.find("cache")

    assert rebuild(library.engine, Texts) is False
    assert library.seqs("cache", session="s1") == list(range(101, 201))


@pytest.mark.parametrize("kind", [Texts, Tree])
def test_records_that_others_take_in_meanwhile_are_no_difference(library: Library, kind: type[View]):
    library.add(*["cache"] * (WIDTH + 3))
    catch_up(library.engine, kind, WORKSPACE, WIDTH)
    library.add(*["later"] * WIDTH)

    def another_server(done: int, total: int) -> None:
        catch_up(library.engine, kind, WORKSPACE, library.newest())

    def reached(sql: Sql) -> int:
        return cursor(sql, kind, WORKSPACE)

    assert rebuild(library.engine, kind, another_server) is True
    assert library.engine.read(reached).result() == (2 * WIDTH + 3 if kind is Texts else 2 * WIDTH)
    assert rebuild(library.engine, kind) is True


@LASTING
def test_another_choice_of_what_is_searchable_makes_the_index_anew(open_library: OpenLibrary):
    library = open_library()
    library.add("", topic=BOOK, data={"title": "a title", "tags": ["t"]})
    assert library.seqs("title") == [1]
    library.close()

    searchable(BOOK, lambda record: "another text", version=2)
    again = open_library()

    assert again.reached() == 0
    assert again.seqs("title") == []
    assert again.seqs("another") == [1]


@LASTING
def test_opening_a_store_again_leaves_its_index_alone(open_library: OpenLibrary):
    library = open_library()
    library.add("cache")
    library.catch_up()
    library.close()

    again = open_library()

    assert again.reached() == 1
    assert again.engine.read(again.views.outdated).result() == []


def test_a_slice_that_fails_leaves_neither_rows_nor_cursor(library: Library, monkeypatch: pytest.MonkeyPatch):
    library.add("one", "two")
    whole = Texts.advance

    def fails(self: Texts, after: int, limit: int) -> int:
        whole(self, after, limit)
        raise ZeroDivisionError

    monkeypatch.setattr(Texts, "advance", fails)
    with pytest.raises(ZeroDivisionError):
        library.catch_up()
    assert (library.reached(), taken_in(library)) == (0, [])

    monkeypatch.setattr(Texts, "advance", whole)
    assert library.seqs("two") == [2]


CRASHING = """
import os, sys
from pathlib import Path
from tests.search.conftest import Library, declare_topics
from thoughtbox.search.texts import Texts

declare_topics()
whole = Texts.advance
slices = 0

def dies(self, after, limit):
    global slices
    slices += 1
    reached = whole(self, after, min(limit, 10))
    if slices == 3:
        os._exit(7)
    return reached

Texts.advance = dies
Library(Path(sys.argv[1]), **dict(pair.split("=", 1) for pair in sys.argv[2:])).catch_up()
"""


@LASTING
def test_a_crash_in_the_middle_loses_nothing_and_doubles_nothing(open_library: OpenLibrary):
    library = open_library()
    library.add(*[f"cache {number}" for number in range(45)])
    url = library.settings.database_url
    given = [f"THOUGHTBOX_DATABASE_URL={url}"] if url else []

    crashed = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", CRASHING, str(library.settings.data_dir), *given],
        cwd=Path(__file__).resolve().parents[2],
        check=False,
        timeout=PATIENCE,
    )

    assert crashed.returncode == 7
    assert library.reached() == 20
    assert taken_in(library) == list(range(1, 21))
    assert library.seqs("cache") == list(range(1, 46))
    assert rebuild(library.engine, Texts) is True


def test_writers_searchers_and_followers_do_not_get_in_each_others_way(open_library: OpenLibrary):
    library = open_library()
    other = library if library.settings.storage == "memory" else open_library()
    ends = threading.Event()

    def write(number: int) -> None:
        for turn in range(30):
            library.submit(f"cache {number} {turn}", session=f"s{number}").result()

    def follow(library: Library) -> None:
        while not ends.is_set():
            library.catch_up()

    def search() -> None:
        while not ends.is_set():
            hits = library.engine.read(lambda sql: Texts(sql, WORKSPACE).find("cache", limit=100).hits).result()
            assert all(hit.snippet.startswith("«cache»") for hit in hits)

    with ThreadPoolExecutor(8) as threads:
        around = [threads.submit(follow, library), threads.submit(follow, other), threads.submit(search)]
        writers = [threads.submit(write, number) for number in range(4)]
        try:
            for writer in writers:
                writer.result()
        finally:
            ends.set()
        for done in around:
            done.result()

    library.catch_up()
    assert taken_in(library) == list(range(1, 121))
    assert rebuild(library.engine, Texts) is True


def test_a_serving_process_lets_its_views_catch_up_soon_after_a_commit(library: Library):
    kept = keeping(library)
    library.add("cache")
    wait_until(library, 1)
    library.add(*["more"] * WIDTH)
    wait_until(library, WIDTH + 1)
    kept.close()

    assert library.engine.read(lambda sql: lagging(sql, library.views)).result() == []


@LASTING
def test_what_an_earlier_process_left_behind_is_caught_up_with_when_the_next_one_starts(open_library: OpenLibrary):
    library = open_library()
    library.add("cache")

    kept = keeping(library)
    wait_until(library, 1)
    kept.close()


def test_a_view_that_moves_in_blocks_does_not_lag_before_there_is_a_block(library: Library):
    library.add(*["cache"] * (WIDTH - 1))
    lags = library.engine.read(lambda sql: lagging(sql, library.views)).result()
    library.add("cache")
    then = library.engine.read(lambda sql: lagging(sql, library.views)).result()

    assert [(lag.kind, lag.reached, lag.newest) for lag in lags] == [(Texts, 0, WIDTH - 1)]
    assert [(lag.kind, lag.reached, lag.newest) for lag in then] == [(Tree, 0, WIDTH), (Texts, 0, WIDTH)]


def test_a_keeper_ends_between_two_slices_however_much_there_is_to_do(
    library: Library, monkeypatch: pytest.MonkeyPatch
):
    library.add(*["cache"] * 60)
    begun, may_go_on = threading.Event(), threading.Event()
    whole = Texts.advance

    def one_by_one(self: Texts, after: int, limit: int) -> int:
        begun.set()
        assert may_go_on.wait(PATIENCE)
        return whole(self, after, 1)

    monkeypatch.setattr(Texts, "advance", one_by_one)
    kept = keeping(library)
    library.add("stirs it")
    assert begun.wait(PATIENCE)
    closing = threading.Thread(target=kept.close)
    closing.start()
    assert kept._stopping.wait(PATIENCE)
    may_go_on.set()
    closing.join(PATIENCE)

    assert not kept._thread.is_alive()
    assert library.reached() <= 1


def test_a_view_that_cannot_go_on_does_not_keep_the_others_from_it(
    library: Library, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
):
    def broken(self: Tree, after: int, limit: int) -> int:
        raise LedgerBroken("a record is damaged")

    monkeypatch.setattr(Tree, "advance", broken)
    library.add(*["cache"] * WIDTH)
    kept = keeping(library)
    library.add("stirs it")
    wait_until(library, WIDTH + 1)
    kept.close()

    assert f"the tree of {WORKSPACE} did not catch up" in caplog.text


def test_a_store_made_before_there_was_an_index_gets_one(library: Library):
    library.add("cache")

    def without(sql: Sql) -> None:
        for table in reversed(Texts.tables(sql.dialect)):
            sql.run(f"DROP TABLE {table}")
        sql.run("DELETE FROM views WHERE view = 'texts'")

    library.engine.write("", without).result()
    ensure(library.engine, library.views)

    assert library.seqs("cache") == [1]
