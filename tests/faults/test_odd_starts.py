"""Stores, clocks, keys and directories that are not as they should be.

A clear error or a recovery, never a silent loss.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from random import Random
from threading import Event

import apsw
import pytest

from tests.faults.store import Store, fill, go_on_without_what_is_lost
from tests.support.box import START_MS, WORKSPACE, ticking_world
from tests.support.forks import PATIENCE
from thoughtbox.engine.sqlite import SqliteEngine
from thoughtbox.errors import InvalidProof, LedgerBroken, SchemaTooNew, StorageDamaged, StorageError
from thoughtbox.ledger import keeper
from thoughtbox.world import World

pytestmark = pytest.mark.sampled(3)

DATABASE = "thoughtbox.db"
LOG = "thoughtbox.db-wal"


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    """A store with a few records and a checkpoint, closed."""
    with Store(tmp_path / "store") as store:
        fill(store, 40)
        store.sign()
        fill(store, 10, seed=2)
    return tmp_path / "store"


@pytest.fixture
def crashed(tmp_path: Path) -> Path:
    """A store whose process died: all that it wrote stands in the log, and the newest checkpoint beside the store."""
    with Store(tmp_path / "living") as store:
        store.think("before the log")
    with Store(tmp_path / "living") as store:
        fill(store, 40)
        store.sign()
        store.think("after the checkpoint")
        shutil.copytree(tmp_path / "living", tmp_path / "crashed", ignore=shutil.ignore_patterns("*-shm"))
    assert (tmp_path / "crashed" / LOG).stat().st_size
    return tmp_path / "crashed"


def world(seed: int) -> World:
    """A world whose chance is its own."""
    return World(now_ms=ticking_world().now_ms, random_bytes=lambda size: bytes([seed]) * size)


class TestAClockThatGoesBackwards:
    def test_changes_neither_the_order_nor_the_chain(self, tmp_path: Path):
        ticks = count(START_MS, -86_400_000)
        with Store(tmp_path, world=World(now_ms=lambda: next(ticks), random_bytes=bytes)) as store:
            for number in range(20):
                store.think(f"thought {number}", "s1")
            store.sign()
            store.think("the last")
            store.assert_whole()
            times = [record.ts for record in store.by_number()]
            assert times == sorted(times, reverse=True)
            assert store.contents() == [*(f"thought {number}" for number in range(20)), "the last"]

    def test_before_anybody_counted_is_a_time_like_any_other(self, tmp_path: Path):
        with Store(tmp_path, world=World(now_ms=lambda: -1, random_bytes=bytes)) as store:
            store.think("early")
            assert [record.ts for record in store.by_number()] == ["1969-12-31T23:59:59.999Z"]
            store.assert_whole()


class TestTwoServersWithDifferentKeys:
    @pytest.fixture(params=["sqlite", "postgres"])
    def servers(self, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Store, Store]]:
        """Each with a data directory of its own, on one database."""
        if request.param == "postgres":
            url = request.getfixturevalue("postgres_url")
            ours = Store(tmp_path / "ours", world=world(1), database_url=url)
            theirs = Store(tmp_path / "theirs", world=world(2), database_url=url)
        else:
            path = tmp_path / DATABASE
            ours = Store(tmp_path / "ours", world=world(1), engine=SqliteEngine(path))
            theirs = Store(tmp_path / "theirs", world=world(2), engine=SqliteEngine(path))
        yield ours, theirs
        ours.close()
        theirs.close()

    def test_do_not_know_each_others_signatures(self, servers: tuple[Store, Store]):
        ours, theirs = servers
        ours.think("one")
        ours.sign()
        theirs.think("two")
        theirs.sign()
        for store, other in ((ours, theirs), (theirs, ours)):
            verdict = store.verify()
            assert (verdict.standing, verdict.records, verdict.checkpoints) == ("untrusted", 4, 2)
            [stranger] = verdict.strangers
            assert stranger.public_key == str(other.app.keyring.signer.verifier_key)

    def test_accept_the_signatures_of_those_they_trust(self, servers: tuple[Store, Store], tmp_path: Path):
        ours, theirs = servers
        ours.think("one")
        ours.sign()
        theirs.think("two")
        theirs.sign()
        trusted = Store(tmp_path / "ours", engine=ours.engine, trusted_keys=str(theirs.app.keyring.signer.verifier_key))
        trusted.assert_whole()
        assert trusted.verify().checkpoints == 2


@contextmanager
def nobody() -> Generator[None]:
    """Without the rights of root, whom no file mode keeps out."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


class TestADirectoryThatCannotBeWritten:
    @pytest.fixture
    def outside(self) -> Iterator[Path]:
        """A directory whose parents everybody may enter; pytest's own are closed to others."""
        with tempfile.TemporaryDirectory() as name:
            Path(name).chmod(0o755)
            yield Path(name)

    def test_is_refused_and_stays_empty(self, outside: Path):
        closed = outside / "closed"
        closed.mkdir()
        closed.chmod(0o555)
        with nobody(), pytest.raises(StorageError, match="writ") as caught:
            Store(closed)
        assert "THOUGHTBOX_DATA_DIR" in (caught.value.recovery or "")
        assert list(closed.iterdir()) == []

    def test_with_a_store_in_it_is_refused_and_stays_as_it_was(self, directory: Path, outside: Path):
        closed = shutil.copytree(directory, outside / "closed")
        before = (closed / DATABASE).read_bytes()
        for path in [*closed.rglob("*"), closed]:
            path.chmod(0o555 if path.is_dir() else 0o444)
        with nobody(), pytest.raises(StorageError, match="writ"):
            Store(closed)
        assert (closed / DATABASE).read_bytes() == before
        for path in [closed, *closed.rglob("*")]:
            path.chmod(0o755 if path.is_dir() else 0o644)
        with Store(closed) as store:
            store.assert_whole()

    def test_is_refused_when_it_is_no_directory(self, tmp_path: Path):
        (tmp_path / "file").write_text("not a directory", encoding="utf-8")
        with pytest.raises(StorageError):
            Store(tmp_path / "file")
        with pytest.raises(StorageError):
            Store(tmp_path / "file" / "below")


class TestASchemaOfAnotherTime:
    def test_that_is_newer_is_refused_and_left_alone(self, directory: Path):
        edit(directory, "INSERT INTO schema_steps (step) VALUES (9999)")
        before = (directory / DATABASE).read_bytes()
        with pytest.raises(SchemaTooNew, match="9999"):
            Store(directory)
        assert (directory / DATABASE).read_bytes() == before
        edit(directory, "DELETE FROM schema_steps WHERE step = 9999")
        with Store(directory) as store:
            store.assert_whole()

    @pytest.mark.parametrize("view", ["trail_actions", "answers", "checkpoints", "tree"])
    def test_of_a_view_is_replaced_and_replayed(self, view: str, directory: Path):
        with Store(directory) as store:
            before = {kind.name: rows(store, kind.tables("sqlite")) for kind in store.app.views.kinds}
            tables = {kind.name: kind.tables("sqlite") for kind in store.app.views.kinds}[view]
        for table in tables:
            edit(directory, f"DROP TABLE {table}", f"CREATE TABLE {table} (workspace TEXT, old_column TEXT)")
        edit(directory, f"UPDATE views SET version = 'an older shape' WHERE view = '{view}'")
        with Store(directory) as store:
            store.sign()
            store.assert_whole()
        edit(directory, "UPDATE views SET version = 'an older shape'")
        with Store(directory) as store:
            store.assert_whole()
            for kind in store.app.views.kinds:
                held = rows(store, kind.tables("sqlite"))
                assert all(row in held for row in before[kind.name])

    def test_with_a_view_that_is_not_there_at_all_gets_it(self, directory: Path):
        edit(directory, "DROP TABLE answers", "DELETE FROM views WHERE view = 'answers'")
        with Store(directory) as store:
            store.assert_whole()
            assert rows(store, ["answers"])


def edit(directory: Path, *statements: str) -> None:
    connection = apsw.Connection(str(directory / DATABASE))
    for statement in statements:
        connection.execute(statement)
    connection.close()


def rows(store: Store, tables: list[str]) -> list[tuple[object, ...]]:
    return store.engine.read(
        lambda sql: [row for table in tables for row in sql.rows(f"SELECT * FROM {table}")]
    ).result(PATIENCE)


class TestALogThatIsNotWhole:
    def assert_a_beginning(self, directory: Path, whole: list[str]) -> int:
        """A store that lacks anything is refused; without it goes on from a beginning of what was, and the
        checkpoint still tells of signed records that are missing."""
        refused = False
        try:
            Store(directory).close()
        except StorageDamaged as refusal:
            go_on_without_what_is_lost(refusal)
            refused = refusal.details["missing"][0]["last"] == len(whole)
        with Store(directory) as store:
            texts = [record.text for record in store.by_number()]
            assert texts == whole[: len(texts)]
            assert refused == (len(texts) < len(whole))
            verdict = store.verify()
            signed = store.app.keyring.recall(WORKSPACE)[0].split("\n")[1]
            if len(texts) < int(signed):
                assert verdict.problem
                assert (verdict.problem.wrong, verdict.problem.seq) == ("missing tail", len(texts) + 1)
                with pytest.raises(LedgerBroken):
                    store.sign()
            else:
                assert verdict.valid
            assert store.views_that_differ() == []
            store.think("life goes on")
        return len(texts)

    def test_because_it_was_cut_leaves_a_beginning_and_a_missing_tail_is_named(self, crashed: Path, tmp_path: Path):
        with Store(shutil.copytree(crashed, tmp_path / "whole")) as store:
            whole = [record.text for record in store.by_number()]
        size = (crashed / LOG).stat().st_size
        lengths = set()
        for number, kept in enumerate([*range(0, size, size // 25), size - 1, size - 4096, 31, 32, 33]):
            copy = shutil.copytree(crashed, tmp_path / f"cut-{number}")
            os.truncate(copy / LOG, kept)
            lengths.add(self.assert_a_beginning(copy, whole))
        assert min(lengths) <= 1
        assert max(lengths) == len(whole) - 1
        assert len(lengths) > 10

    def test_because_it_is_gone_leaves_a_beginning_and_a_missing_tail_is_named(self, crashed: Path, tmp_path: Path):
        with Store(shutil.copytree(crashed, tmp_path / "whole")) as store:
            whole = [record.text for record in store.by_number()]
        (crashed / LOG).unlink()
        assert self.assert_a_beginning(crashed, whole) == 1

    def test_because_bytes_in_it_changed_leaves_a_beginning(self, crashed: Path, tmp_path: Path):
        with Store(shutil.copytree(crashed, tmp_path / "whole")) as store:
            whole = [record.text for record in store.by_number()]
        log = (crashed / LOG).read_bytes()
        for place in range(0, len(log), len(log) // 25):
            copy = shutil.copytree(crashed, tmp_path / f"flipped-{place}")
            (copy / LOG).write_bytes(log[:place] + bytes([log[place] ^ 0x10]) + log[place + 1 :])
            self.assert_a_beginning(copy, whole)

    @pytest.mark.parametrize("is_there", [True, False])
    def test_is_never_thrown_away_because_its_database_file_is_empty_or_gone(self, is_there: bool, crashed: Path):
        log, database = (crashed / LOG).read_bytes(), (crashed / DATABASE).read_bytes()
        (crashed / DATABASE).unlink()
        if is_there:
            (crashed / DATABASE).touch()
        with pytest.raises(StorageDamaged, match="its log"):
            Store(crashed)
        assert (crashed / LOG).read_bytes() == log
        (crashed / DATABASE).write_bytes(database)
        with Store(crashed) as store:
            store.assert_whole()
            assert store.contents()[-1] == "after the checkpoint"

    def test_is_not_left_behind_by_a_store_that_was_closed(self, tmp_path: Path):
        """Whoever copies the one file of a closed store has all of it."""
        store = Store(tmp_path)
        fill(store, 20)
        store.assert_whole()
        store.close()
        assert {path.name for path in tmp_path.glob(f"{DATABASE}*")} == {
            DATABASE,
            f"{DATABASE}-alone",
            f"{DATABASE}-door",
            f"{DATABASE}-floor",
            f"{DATABASE}-witness",
        }


class TestAFileThatIsNoStore:
    def test_but_empty_is_refused_and_becomes_one_when_told_to_and_what_was_signed_is_missed(self, directory: Path):
        (directory / DATABASE).write_bytes(b"")
        with pytest.raises(StorageDamaged, match="th:1 to th:51 of workspace tests are gone") as caught:
            Store(directory)
        assert (directory / DATABASE).read_bytes() == b""
        go_on_without_what_is_lost(caught.value)
        with Store(directory) as store:
            verdict = store.verify()
            assert verdict.problem
            assert (verdict.problem.wrong, verdict.problem.seq) == ("missing tail", 1)
            store.think("a new beginning")
            with pytest.raises(LedgerBroken, match="kept outside"):
                store.sign()

    @pytest.mark.parametrize(
        "content",
        [
            b"xy",
            b"not a database\n" * 1000,
            b"\0" * 8192,
            b"SQLite format 3\0" + b"\xff" * 4080,
            Random(7).randbytes(5000),
        ],
        ids=["two letters", "text", "zeros", "a header alone", "noise"],
    )
    def test_is_refused_and_left_alone(self, content: bytes, directory: Path):
        (directory / DATABASE).write_bytes(content)
        with pytest.raises(StorageDamaged):
            Store(directory)
        assert (directory / DATABASE).read_bytes() == content

    def test_but_a_directory_is_refused(self, tmp_path: Path):
        (tmp_path / DATABASE).mkdir()
        with pytest.raises(StorageError):
            Store(tmp_path)

    def test_but_the_database_of_somebody_else_is_refused_and_left_alone(self, tmp_path: Path):
        edit(tmp_path, "CREATE TABLE records (name TEXT)", "INSERT INTO records VALUES ('theirs')")
        for _ in range(2):
            with pytest.raises(StorageError):
                Store(tmp_path)
        connection = apsw.Connection(str(tmp_path / DATABASE))
        assert connection.execute("SELECT name FROM records").get == "theirs"
        assert connection.execute("SELECT COUNT(*) FROM sqlite_schema").get == 1
        connection.close()

    @pytest.mark.parametrize("kept", [100, 4096, 4097, 20_000])
    def test_because_its_end_is_missing_is_refused_or_named(self, kept: int, directory: Path):
        os.truncate(directory / DATABASE, kept)
        try:
            store = Store(directory)
        except StorageError:
            return
        with store:
            assert not store.verify().valid


class TestASigningKey:
    def test_that_cannot_be_read_keeps_nobody_from_writing(self, directory: Path):
        (directory / "signing.key").write_text("torn", encoding="utf-8")
        with Store(directory) as store:
            store.think("still here")
            with pytest.raises(InvalidProof, match="does not hold a signing key"):
                store.sign()

    def test_that_was_lost_is_replaced_and_older_checkpoints_are_of_an_unknown_signer(self, directory: Path):
        (directory / "signing.key").unlink()
        with Store(directory, world=world(9)) as store:
            store.think("still here")
            store.sign()
            verdict = store.verify()
            assert (verdict.standing, verdict.problem) == ("untrusted", None)
            assert [signatory.trusted for signatory in verdict.signatories].count(False) == 1


class TestTheCopyOfTheCheckpointBesideTheStore:
    def test_of_one_database_is_not_held_against_another(self, directory: Path, postgres_url: str):
        """One data directory, used with SQLite yesterday and with PostgreSQL today."""
        with Store(directory, database_url=postgres_url) as store:
            store.think("a new beginning")
            store.sign()
            store.assert_whole()
        with Store(directory) as store:
            store.assert_whole()

    def test_does_not_end_the_keeper_when_it_cannot_be_written(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
        monkeypatch.setattr(keeper, "REST_SECONDS", 0.01)
        with Store(tmp_path) as store:
            (tmp_path / "checkpoints").write_text("in the way", encoding="utf-8")
            failed, kept = Event(), Event()
            remember = store.app.keyring.remember

            def watched(workspace: str, note: str) -> None:
                try:
                    remember(workspace, note)
                except OSError:
                    failed.set()
                    raise
                kept.set()

            monkeypatch.setattr(store.app.keyring, "remember", watched)
            keeping = keeper.Keeper(
                store.engine, store.app.feed, store.app.views, store.app.keyring, store.app.world, every=1
            )
            store.think("one")
            assert failed.wait(PATIENCE)
            (tmp_path / "checkpoints").unlink()
            store.think("two")
            assert kept.wait(PATIENCE)
            keeping.close()
            store.assert_whole()
            assert store.app.keyring.recall(WORKSPACE)

    def test_is_never_replaced_by_an_older_one(self, directory: Path):
        """Two servers sign at the same time, and the one that signed first may be the last to keep its copy."""
        with Store(directory) as store:
            [older] = store.app.keyring.recall(WORKSPACE)
            newer = store.sign().note
            store.app.keyring.remember(WORKSPACE, older)
            assert store.app.keyring.recall(WORKSPACE) == [newer]
            assert sorted(path.name for path in (directory / "checkpoints").iterdir()) == [".lock", "tests.note"]
