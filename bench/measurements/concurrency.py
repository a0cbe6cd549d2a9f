"""What group commit gains: many callers against one, every answer durable."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import Future
from typing import Any, NamedTuple

import apsw
import uvloop

from bench.clock import rate
from bench.machine import sync_seconds
from bench.run import Run, settings_for
from bench.stores import record_thought, sealed_thought
from bench.table import Line, at_least
from thoughtbox.app import Thoughtbox
from thoughtbox.doors.mcp.transports.loop_place import LoopPlace
from thoughtbox.engine.sqlite import SqliteEngine

MANY = 32
SLOW_SYNC_SECONDS = 0.002

Append = Callable[[], Awaitable[object]]
Prepare = Callable[[Thoughtbox, LoopPlace, str], Append]
"""What a caller does again and again, made ready for its session: only the append itself is measured."""


class Rates(NamedTuple):
    """Appends a second by one caller and by many, and how long the disk took to sync a page meanwhile."""

    alone: float
    together: float
    sync_us: float


class SlowDisk(apsw.VFS):
    """The real disk, but a sync takes `SLOW_SYNC_SECONDS` at least."""

    def __init__(self) -> None:
        super().__init__("slow", "")

    def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> apsw.VFSFile:  # noqa: N802
        return _SlowFile("", name, flags)


class _SlowFile(apsw.VFSFile):
    def xSync(self, flags: int) -> None:  # noqa: N802
        super().xSync(flags)
        time.sleep(SLOW_SYNC_SECONDS)


def measure(run: Run) -> Iterator[Line]:
    found = _on_disk(run, to_the_ledger)
    yield line(f"append, {MANY} concurrent callers, durability=full", found, has_bar=True)
    yield Line(what="fsync of one page at that time, p50", value=found.sync_us, unit="µs")
    disk = SlowDisk()
    slow = f"on a disk that needs {SLOW_SYNC_SECONDS * 1e3:.0f} ms to sync"
    yield line(f"append, {MANY} concurrent callers, {slow}", _on_disk(run, to_the_ledger, vfs="slow"))
    disk.unregister()
    yield line(f"thought_record in process, {MANY} concurrent callers", _on_disk(run, through_the_dispatcher))


def to_the_ledger(box: Thoughtbox, place: LoopPlace, session: str) -> Append:
    work = sealed_thought(box, session, 0)
    return lambda: received(place, box.engine.write(box.settings.project, work))


def through_the_dispatcher(box: Thoughtbox, place: LoopPlace, session: str) -> Append:
    call = record_thought(box.settings.project, session, 0)
    return lambda: received(place, box.dispatcher.submit(call))


def received(place: LoopPlace, done: Future[Any]) -> Awaitable[object]:
    """The result of another thread, brought to the event loop as the HTTP server has it brought."""
    waiting = asyncio.get_running_loop().create_future()
    done.add_done_callback(lambda done: place.post(lambda: waiting.set_result(done.result())))
    return waiting


def rates(run: Run, box: Thoughtbox, prepare: Prepare) -> Rates:
    """One caller and many in turns, several times; the pair with the median ratio. On the HTTP server's event loop."""
    return uvloop.run(_rates(box, prepare, run.rounds(9, 5), seconds=0.7 if not run.quick else 0.3))


def _on_disk(run: Run, prepare: Prepare, vfs: str | None = None) -> Rates:
    settings = settings_for(run.new_directory(), durability="full")
    engine = SqliteEngine(settings.database, durability="full", vfs=vfs)
    with Thoughtbox(settings, engine=engine) as box:
        return rates(run, box, prepare)


def line(what: str, found: Rates, *, has_bar: bool = False) -> Line:
    return Line(
        what=what,
        value=found.together,
        unit="/s",
        against=found.alone,
        against_what="one caller",
        bar=at_least(8) if has_bar else None,
    )


async def _rates(box: Thoughtbox, prepare: Prepare, rounds: int, seconds: float) -> Rates:
    place = LoopPlace(asyncio.get_running_loop())
    appends = [prepare(box, place, f"session-{caller}") for caller in range(MANY)]

    def call(caller: int) -> Awaitable[object]:
        return appends[caller]()

    await rate(MANY, seconds / 2, call)
    seen: list[Rates] = []
    for _ in range(rounds):
        alone, together = await rate(1, seconds, call), await rate(MANY, seconds, call)
        seen.append(Rates(alone, together, sync_seconds(box.settings.data_dir) * 1e6))
    seen.sort(key=lambda pair: pair.together / pair.alone)
    return seen[len(seen) // 2]
