"""Backups taken while others write, by export and by SQLite itself: each is a whole prefix of the ledger."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import apsw
import pytest

from tests.faults.processes import writing
from tests.faults.store import Store
from thoughtbox.ledger.importing import import_lines


def backed_up(source: Path, target: Path) -> None:
    """A copy as SQLite makes it, a few pages at a time, of a file that others write to."""
    (target / "checkpoints").parent.mkdir(parents=True, exist_ok=True)
    live, copy = apsw.Connection(str(source / "thoughtbox.db")), apsw.Connection(str(target / "thoughtbox.db"))
    try:
        with copy.backup("main", live, "main") as backup:
            while not backup.done:
                backup.step(200)
    finally:
        copy.close()
        live.close()


@pytest.mark.parametrize("rounds", [3, pytest.param(40, marks=pytest.mark.torture)])
def test_a_backup_during_load_is_a_prefix_that_verifies_and_can_be_lived_in(rounds: int, tmp_path: Path):
    live = tmp_path / "live"
    copies: list[Path] = []
    exports: list[list[bytes]] = []
    with writing(live, "writer", threads=4, durability="normal") as writer, Store(live) as store:
        assert writer.is_ready()
        writer.go()
        for number in range(rounds):
            writer.listen(until=len(writer.acknowledged) + 60)
            copies.append(tmp_path / f"copy-{number}")
            backed_up(live, copies[-1])
            exports.append(store.export())
        writer.kill()
        writer.listen()
    with Store(live) as store:
        history = [record.hash for record in store.by_number()]
    for copy in copies:
        with Store(copy) as store:
            store.assert_whole()
            held = [record.hash for record in store.by_number()]
            assert held
            assert held == history[: len(held)]
            store.think("life goes on here")
            store.assert_whole()
    for number, lines in enumerate(exports):
        with Store(tmp_path / f"restored-{number}") as store:
            import_lines(store.engine, store.app.views, lines)
            assert store.verify().valid
            held = [record.hash for record in store.by_number()]
            assert held == history[: len(held)]
            assert store.views_that_differ() == []


def test_an_export_taken_by_another_process_during_load_verifies_by_itself(tmp_path: Path):
    with writing(tmp_path, "writer", threads=2, durability="normal") as writer:
        assert writer.is_ready()
        writer.go()
        writer.listen(until=80)
        file = tmp_path / "backup.jsonl"
        settings = {"THOUGHTBOX_DATA_DIR": str(tmp_path), "THOUGHTBOX_PROJECT": "tests"}
        command = [sys.executable, "-m", "thoughtbox", "export", "-o", str(file)]
        subprocess.run(command, env=settings, check=True, capture_output=True)
        writer.kill()
        writer.listen()
    checked = subprocess.run(
        [sys.executable, "-m", "thoughtbox.verifier", "--json", str(file)], capture_output=True, check=False
    )
    assert checked.returncode == 0, checked.stdout
    assert json.loads(checked.stdout)
