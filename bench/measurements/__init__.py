"""One file per question; each takes a run and gives lines of the table, in this order."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from bench.measurements.calls import calls
from bench.measurements.concurrency import concurrency
from bench.measurements.floor import floor
from bench.measurements.growth import growth
from bench.measurements.postgres import postgres
from bench.measurements.start import start
from bench.measurements.trees import trees
from bench.measurements.verification import verification
from bench.run import Run
from bench.table import Line

MEASUREMENTS: dict[str, Callable[[Run], Iterable[Line]]] = {
    "calls": calls,
    "growth": growth,
    "concurrency": concurrency,
    "verification": verification,
    "trees": trees,
    "start": start,
    "floor": floor,
    "postgres": postgres,
}
