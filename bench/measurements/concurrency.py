"""What group commit gains: many callers against one, every answer durable."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from itertools import count
from statistics import median
from typing import NamedTuple

import uvloop

from bench.clock import rate
from bench.machine import sync_seconds
from bench.run import Run, settings_for
from bench.stores import record_thought
from bench.table import Line, at_least
from thoughtbox.app import Thoughtbox
from thoughtbox.doors.mailbox import Mailbox
from thoughtbox.settings import Settings

MANY = 32


class Rates(NamedTuple):
    """Appends a second by one caller and by many, and how long the disk took to sync a page meanwhile."""

    alone: float
    together: float
    sync_us: float


def measure(run: Run) -> Iterator[Line]:
    found = rates(run, settings_for(run.new_directory(), durability="full"))
    yield Line(
        what=f"append, {MANY} concurrent callers, durability=full",
        value=found.together,
        unit="/s",
        against=found.alone,
        against_what="one caller",
        bar=at_least(8),
    )
    yield Line(what="fsync of one page at that time, p50", value=found.sync_us, unit="µs")


def rates(run: Run, settings: Settings) -> Rates:
    """Medians of several stretches in turns, on the event loop that the HTTP server uses."""
    settings.data_dir.mkdir(parents=True, exist_ok=True)
    with Thoughtbox(settings) as box:
        return uvloop.run(_rates(box, run.rounds(9, 5), seconds=0.7 if not run.quick else 0.3))


async def _rates(box: Thoughtbox, rounds: int, seconds: float) -> Rates:
    mailbox = Mailbox(asyncio.get_running_loop())
    numbers = count()

    async def append(caller: int) -> None:
        call = record_thought(box.settings.project, f"session-{caller}", next(numbers))
        await mailbox.receive(box.dispatcher.submit(call))

    found: dict[int, list[float]] = {1: [], MANY: []}
    syncs: list[float] = []
    await rate(MANY, seconds / 2, append)
    for _ in range(rounds):
        for callers, rates in found.items():
            rates.append(await rate(callers, seconds, append))
        syncs.append(sync_seconds(box.settings.data_dir))
    return Rates(median(found[1]), median(found[MANY]), median(syncs) * 1e6)
