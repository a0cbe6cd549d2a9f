"""Whether appending gets slower as the ledger grows: a small and a large store, in turns, in one process."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import count
from pathlib import Path

from bench.clock import medians
from bench.run import Run, settings_for
from bench.stores import fill, record_thought, session_of
from bench.table import Line, at_most
from thoughtbox.app import Thoughtbox

SMALL = 1_000


def measure(run: Run) -> Iterator[Line]:
    small = run.new_directory()
    fill(settings_for(small), SMALL)
    sizes = {small: SMALL, run.large_store: run.records}
    with ExitStack() as stack:
        boxes = {path: stack.enter_context(Thoughtbox(settings_for(path))) for path in sizes}
        rounds = run.rounds(1000, 400)
        last = medians(rounds, {path: _append(box, _newest(sizes[path])) for path, box in boxes.items()}, warm_up=50)
        any_ = medians(rounds, {path: _append(box, _any(sizes[path])) for path, box in boxes.items()}, warm_up=50)
    yield _line(f"append at {run.records:,} records, to a session under way, p50", last, small, run.large_store)
    yield _line(f"append at {run.records:,} records, to any earlier session, p50", any_, small, run.large_store)


def _append(box: Thoughtbox, session: Callable[[], str]) -> Callable[[], object]:
    numbers = count()
    return lambda: box.dispatcher.call(record_thought(box.settings.project, session(), next(numbers)))


def _newest(size: int) -> Callable[[], str]:
    return lambda: session_of(size - 1)


def _any(size: int) -> Callable[[], str]:
    chance = random.Random(size)
    return lambda: session_of(chance.randrange(size))


def _line(what: str, p50: dict[Path, float], small: Path, large: Path) -> Line:
    return Line(
        what=what,
        value=p50[large] * 1e6,
        unit="µs",
        against=p50[small] * 1e6,
        against_what=f"at {SMALL:,}",
        bar=at_most(1.3),
    )
