"""`thoughtbox import` of an `experiences.db`."""

from __future__ import annotations

from pathlib import Path

from tests.doors.cli.conftest import Cli
from tests.support.old_stores import write_store


def test_an_experiences_db_is_imported_with_counts_and_once(cli: Cli, tmp_path: Path):
    store = write_store(tmp_path / "elsewhere" / "old.sqlite")

    first = cli("import", store)
    second = cli("import", store, "--json").json()

    assert first.code == 0
    assert "4 experiences and 1 episodes came over" in first.out
    assert "run_consolidation makes cells anew" in first.out
    assert "row 5: its domain is 'Gardening'" in first.out
    [report] = second["imported"]
    assert (report["file"], report["experiences"], report["episodes"]) == (str(store), 0, 0)
    assert [each.name for each in store.parent.iterdir()] == [store.name]
    found = cli("call", "search_experiences", "query=cache").json()
    assert found["count"] == 1


def test_databases_and_exports_are_not_mixed_and_a_foreign_one_is_refused(cli: Cli, tmp_path: Path):
    store = write_store(tmp_path / "old.db")
    cli.think(1)
    cli("export", "-o", "export.jsonl")

    mixed = cli("import", store, "export.jsonl")
    own = cli("import", cli.database)

    assert mixed.code != 0
    assert "cannot be imported together" in mixed.err
    assert own.code != 0
    assert "is a store of this product" in own.err
