"""What group commit gains: many callers against one, every answer durable."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from itertools import count
from statistics import median

from bench.clock import rate
from bench.run import Run, settings_for
from bench.stores import record_thought
from bench.table import Line, at_least
from thoughtbox.app import Thoughtbox
from thoughtbox.settings import Settings

MANY = 32


def concurrency(run: Run) -> Iterator[Line]:
    alone, together = rates(run, settings_for(run.new_directory(), durability="full"))
    yield Line(
        what=f"append, {MANY} concurrent callers, durability=full",
        value=together,
        unit="/s",
        against=alone,
        against_what="one caller",
        bar=at_least(8),
    )


def rates(run: Run, settings: Settings) -> tuple[float, float]:
    """Appends a second by one caller, and by many: medians of several stretches in turns."""
    with Thoughtbox(settings) as box:
        return asyncio.run(_rates(box, run.rounds(7, 5), seconds=0.7 if not run.quick else 0.3))


async def _rates(box: Thoughtbox, rounds: int, seconds: float) -> tuple[float, float]:
    numbers = count()

    async def append(caller: int) -> None:
        call = record_thought(box.settings.project, f"session-{caller}", next(numbers))
        await asyncio.wrap_future(box.dispatcher.submit(call))

    found: dict[int, list[float]] = {1: [], MANY: []}
    await rate(MANY, seconds / 2, append)
    for _ in range(rounds):
        for callers, rates in found.items():
            rates.append(await rate(callers, seconds, append))
    return median(found[1]), median(found[MANY])
