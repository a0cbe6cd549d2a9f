"""Stores of every earlier version, as their own code left them: today's code opens them and finds them unchanged."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from tests.faults.make_golden import GOLDEN, VERSION, make
from tests.faults.store import Store
from tests.support.interruptions import migrations_interrupted_after
from thoughtbox.engine import migrations
from thoughtbox.errors import StorageError
from thoughtbox.ledger.importing import import_lines
from thoughtbox.operations.registry import TABLE

VERSIONS = sorted(path.name for path in GOLDEN.iterdir() if path.is_dir())


@pytest.fixture(params=VERSIONS)
def golden(request: pytest.FixtureRequest) -> Path:
    return GOLDEN / request.param


@pytest.fixture
def copy(golden: Path, tmp_path: Path) -> Path:
    return shutil.copytree(golden, tmp_path / "store")


def lines_of(golden: Path) -> list[bytes]:
    return (golden / "export.jsonl").read_bytes().removesuffix(b"\n").split(b"\n")


def test_a_golden_store_is_migrated_verified_and_exported_as_it_was(golden: Path, copy: Path):
    with Store(copy, workspace="golden") as store:
        steps = store.engine.read(lambda sql: sql.rows("SELECT step FROM schema_steps ORDER BY step")).result()
        assert [row[0] for row in steps] == [number for number, _ in migrations.steps("sqlite")]
        store.assert_whole()
        assert store.verify().checkpoints == 2
        assert store.export() == lines_of(golden)


def test_a_migration_that_is_interrupted_at_any_statement_leaves_the_store_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    oldest = GOLDEN / VERSIONS[0]
    copy = shutil.copytree(oldest, tmp_path / "store")
    for last in range(
        sum(len(migrations.statements(script)) for number, script in migrations.steps("sqlite") if number > 1)
    ):
        with migrations_interrupted_after(last, monkeypatch), pytest.raises(StorageError):
            Store(copy, workspace="golden")
        connection = sqlite3.connect(f"file:{copy / 'thoughtbox.db'}?mode=ro", uri=True)
        assert connection.execute("SELECT MAX(step) FROM schema_steps").fetchone() == (1,)
        connection.close()
    with Store(copy, workspace="golden") as store:
        store.assert_whole()
        assert store.export() == lines_of(oldest)


def test_a_golden_store_can_be_written_to(golden: Path, copy: Path):
    with Store(copy, workspace="golden") as store:
        before = store.by_number()
        store.think("today", "s1")
        store.sign()
        store.assert_whole()
        assert store.by_number()[: len(before)] == before


def test_a_golden_answer_is_still_given_to_its_key(copy: Path):
    with Store(copy, workspace="golden") as store:
        answered = [record for record in store.by_number() if record.topic == "ledger.answer"]
        calls = {record.id: record for record in store.by_number() if record.topic == "ledger.call"}
        assert answered
        for record in answered:
            asked = calls[record.attrs["callId"]].attrs
            assert store.call(asked["toolName"], asked["args"], key=record.data["key"]) == record.data["answer"]
        store.assert_whole()


def test_a_golden_export_makes_the_same_store(golden: Path):
    lines = lines_of(golden)
    with Store(None, workspace="golden") as store:
        import_lines(store.engine, store.app.views, lines, check=TABLE.check)
        assert store.export() == lines
        assert store.views_that_differ() == []
        assert store.call("ledger_verify", {"deep": True})["views_checked"]


def test_a_golden_export_is_verified_without_the_ledger(golden: Path, copy: Path):
    with Store(copy, workspace="golden") as store:
        key = str(store.app.keyring.signer.verifier_key)
    said = subprocess.run(
        [sys.executable, "-m", "thoughtbox.verifier", "--key", key, str(golden / "export.jsonl")],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert said.returncode == 0, said.stdout + said.stderr


def test_a_golden_store_is_a_plain_sqlite_file(golden: Path):
    """Whoever has the file alone can read it with any SQLite that knows strict tables."""
    if sqlite3.sqlite_version_info < (3, 37):
        pytest.skip("this Python's SQLite is too old")
    connection = sqlite3.connect(f"file:{golden / 'thoughtbox.db'}?mode=ro&immutable=1", uri=True)
    try:
        contents = [row[0] for row in connection.execute("SELECT content FROM records ORDER BY seq")]
    finally:
        connection.close()
    exported = [line.partition(b',"record":')[2][:-1] for line in lines_of(golden) if b',"record":' in line]
    assert contents == exported


def test_golden_stores_say_nothing_about_the_machine_they_were_made_on(golden: Path):
    home = str(Path.home()).encode()
    for path in golden.rglob("*"):
        if path.is_file():
            data = path.read_bytes()
            for word in (b"/tmp/", b"/home/", b"/Users/", home + b"/" if len(home) > 1 else b"/home/"):
                assert word not in data, path


def test_the_newest_golden_store_is_what_this_code_makes(tmp_path: Path):
    """When this fails, what is written has changed, or `fill` has: raise VERSION, and make one more golden store."""
    make(tmp_path / "made")
    assert (tmp_path / "made" / "export.jsonl").read_bytes() == (GOLDEN / VERSION / "export.jsonl").read_bytes()
