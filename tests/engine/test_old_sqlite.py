"""A start on an SQLite that may damage a store."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.forks import PATIENCE

OLD = """
import sys
import apsw
apsw.sqlite_lib_version = lambda: "{version}"
from thoughtbox.doors.cli.main import main
sys.exit(main({arguments}))
"""


def run(directory: Path, version: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A command of a Thoughtbox whose apsw carries another SQLite."""
    code = OLD.format(version=version, arguments=list(arguments))
    return subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "THOUGHTBOX_DATA_DIR": str(directory)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=PATIENCE,
        check=False,
    )


@pytest.mark.parametrize("version", ["3.7.0", "3.40.1", "3.51.2"])
@pytest.mark.parametrize("arguments", [("serve", "--stdio"), ("call", "ledger_status")], ids=lambda words: words[0])
def test_is_refused_and_makes_no_store(arguments: tuple[str, ...], version: str, tmp_path: Path):
    ran = run(tmp_path / "data", version, *arguments)
    assert ran.returncode
    assert f"SQLite {version} is too old" in ran.stderr
    assert "3.51.3 or later" in ran.stderr
    assert not (tmp_path / "data" / "thoughtbox.db").exists()


def test_is_found_by_doctor(tmp_path: Path):
    ran = run(tmp_path / "data", "3.51.2", "doctor")
    assert ran.returncode == 1
    assert "SQLite 3.51.2 is too old" in ran.stdout


def test_that_is_new_enough_is_used(tmp_path: Path):
    assert run(tmp_path / "data", "3.51.3", "call", "ledger_status").returncode == 0
