"""One file per question; each has a `measure` that takes a run and gives lines of the table."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from bench.measurements import (
    appends,
    briefs,
    calls,
    code_mode,
    concurrency,
    costs,
    floor,
    growth,
    hooks,
    http,
    idle_clients,
    judged,
    memory,
    mind,
    notebooks,
    observatory,
    postgres,
    questions,
    sharing,
    start,
    tbx,
    thoughts,
    trees,
    verification,
    workers,
)
from bench.run import Run
from bench.table import Line

MEASUREMENTS: dict[str, Callable[[Run], Iterable[Line]]] = {
    module.__name__.rpartition(".")[2]: module.measure
    for module in (
        calls,
        appends,
        http,
        idle_clients,
        workers,
        growth,
        concurrency,
        verification,
        trees,
        start,
        hooks,
        thoughts,
        briefs,
        judged,
        questions,
        mind,
        memory,
        code_mode,
        notebooks,
        costs,
        tbx,
        observatory,
        sharing,
        floor,
        postgres,
    )
}
"""In the order of the table."""
