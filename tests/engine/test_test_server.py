"""The PostgreSQL of the tests starts for everybody who uses this machine."""

from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path

import psycopg
import pytest

from tests.support import postgres
from tests.support.forks import PATIENCE


@pytest.mark.skipif(bool(os.environ.get(postgres.URL_VARIABLE)), reason="no server is started here")
def test_a_lock_file_of_another_user_is_in_nobodys_way():
    """What stands in for it cannot be opened by anybody, root included."""
    with tempfile.TemporaryDirectory(prefix="thoughtbox-") as shared:
        Path(shared).chmod(0o1777)
        Path(shared, ".lockfile").mkdir()
        variables = {**os.environ, "TMPDIR": shared}
        variables.pop("XDG_RUNTIME_DIR", None)
        keeper = subprocess.Popen(
            postgres.KEEPER,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            env=variables,
        )
        assert keeper.stdout
        url = keeper.stdout.readline().strip()
        try:
            with psycopg.connect(url) as connection:
                assert connection.execute("SELECT 1").fetchone() == (1,)
        finally:
            keeper.communicate(timeout=PATIENCE)
