"""Real disks that are full, or become read-only, under a server that runs: it says so, loses nothing, and goes on."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.forks import PATIENCE


def on_a_disk_of_its_own(verb: str, directory: Path, *needed: str) -> dict[str, Any]:
    apart = ["unshare", "-m"] if os.geteuid() == 0 else ["unshare", "-rm"]
    if not all(map(shutil.which, ("unshare", *needed))) or subprocess.run([*apart, "true"], check=False).returncode:
        pytest.skip("this machine lets nobody mount a file system for themselves")
    done = subprocess.run(
        [*apart, sys.executable, "-m", "tests.faults.mounted", verb, str(directory)],
        cwd=Path(__file__).resolve().parents[2],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        timeout=PATIENCE,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_disk_that_is_full_refuses_every_call_by_name_and_loses_nothing(tmp_path: Path):
    found = on_a_disk_of_its_own("full", tmp_path, "mount")

    assert found["refused"] == ["STORAGE_FULL"]
    assert found["lost"] == 0
    assert found["acknowledged"] >= 2


@pytest.mark.skipif(os.geteuid() != 0 or not Path("/sys/fs/ext4").exists(), reason="only root has disks to spare")
def test_a_disk_that_becomes_read_only_under_a_server_is_told_of_and_loses_nothing(tmp_path: Path):
    found = on_a_disk_of_its_own("read_only", tmp_path, "mkfs.ext4", "losetup", "findmnt")

    assert found["refused"] == ["STORAGE_ERROR"] * 3
    assert found["readable"] == 20
    assert found["lost"] == 0
    assert found["acknowledged"] == 21
