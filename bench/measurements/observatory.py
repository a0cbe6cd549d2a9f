"""The Observatory: what it costs those who write, how soon something is seen, and how smoothly much of it moves."""

from __future__ import annotations

import gzip
import time
from collections.abc import Callable, Iterator
from statistics import median
from typing import Any

from bench.observatory import (
    COUNT_FRAMES,
    FRAMES,
    NOTE_PIXELS,
    SHOWN,
    UNTIL_SHOWN,
    WIDE,
    Observatory,
    browser,
    watching,
    writing,
    written,
)
from bench.run import Run, settings_for
from bench.stores import fill
from bench.table import Line, at_least, at_most
from thoughtbox.doors.observatory.page import APP, FOLDER

WATCHERS = 100
RATE = 200.0
SOME, MANY = 20_000, 100_000
STEPS = 120
"""Moves of the mouse, and turns of its wheel, in one gesture."""

LIVE_SECONDS, LIVE_SECONDS_IN_A_HURRY = 30, 10
REST_SECONDS = 10
PIXELS, PIXELS_RATE = 60, 4.0


def measure(run: Run) -> Iterator[Line]:
    yield _bundle()
    yield from _watched(run)
    with browser() as found:
        if found is None:
            run.notes.append("There is no Chromium: nothing of the Observatory's page was measured.")
            return
        for records, slowest, loads in ((SOME, 33, None), (MANY, 60, 3_000)):
            run.say(f"observatory, {records:,} records")
            yield from _large(run, found, records, slowest, loads)
        run.say("observatory, live")
        yield from _live(run, found)
        yield _to_pixels(run, found)


def _bundle() -> Line:
    """All that the page loads, as gzip. The app for MCP hosts is another file."""
    files = [path for path in FOLDER.rglob("*") if path.suffix in (".html", ".js", ".css") and path.name != APP]
    size = sum(len(gzip.compress(path.read_bytes(), 9)) for path in files)
    return Line(what="the page as loaded, gzip", value=size / 1000, unit="kB", bar=at_most(150))


def _watched(run: Run) -> Iterator[Line]:
    """One who records 200 a second: alone, and beside a hundred who are told of everything; in turns."""
    directory = run.new_directory()
    count = run.rounds(1_000, 400)
    alone: list[float] = []
    beside: list[float] = []
    told = 0
    with Observatory(directory) as observatory:
        for _ in range(run.rounds(3, 2)):
            alone += written(writing(directory, count, RATE)).micros
            with watching(observatory.port, WATCHERS) as watchers:
                beside += written(writing(directory, count, RATE)).micros
                output, _ = watchers.communicate("")
                told = min(int(output.split()[0]), told or count)
    what = f"{WATCHERS} watchers of {RATE:g} records/s"
    yield Line(
        what=f"{what}: a call of the writer, p50",
        value=median(beside),
        unit="µs",
        against=median(alone),
        against_what="without them",
        bar=at_most(1.1),
    )
    yield Line(what=f"{what}: what each was told of {count:,}", value=told, unit="records", bar=at_least(count))


def _large(run: Run, found: Any, records: int, slowest: float, loads: float | None) -> Iterator[Line]:
    directory = run.new_directory()
    fill(settings_for(directory), records)
    with Observatory(directory) as observatory:
        times: list[float] = []
        frames: list[float] = []
        for _ in range(run.rounds(3, 1)):
            page = _opened(found)
            began = time.perf_counter()
            page.goto(observatory.link)
            page.evaluate(UNTIL_SHOWN, records)
            times.append(time.perf_counter() - began)
            frames += _gestures(page)
            page.context.close()
    if loads is not None:
        yield Line(
            what=f"{records:,} records: from the address to all of them drawn",
            value=median(times) * 1000,
            unit="ms",
            bar=at_most(loads),
        )
    frames.sort()
    yield Line(
        what=f"{records:,} records: pan and zoom, frame p95",
        value=frames[int(len(frames) * 0.95)],
        unit="ms",
        bar=at_most(slowest),
    )


def _opened(found: Any) -> Any:
    return found.new_context(viewport=WIDE).new_page()


def _gestures(page: Any) -> list[float]:
    """Pan, zoom out, pan, zoom in, pan: the time between frames, meanwhile."""
    box = page.locator("canvas").first.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    def pan() -> None:
        page.mouse.move(x, y)
        page.mouse.down()
        for step in range(STEPS):
            page.mouse.move(x - 4 * step, y - 2 * (step % 20))
        page.mouse.up()

    def zoom(way: int) -> Callable[[], None]:
        def zoomed() -> None:
            page.mouse.move(x, y)
            page.keyboard.down("Control")
            for _ in range(STEPS):
                page.mouse.wheel(0, way)
            page.keyboard.up("Control")

        return zoomed

    page.evaluate(COUNT_FRAMES)
    for gesture in (pan, zoom(40), pan, zoom(-80), pan):
        gesture()
    return page.evaluate(FRAMES)


def _live(run: Run, found: Any) -> Iterator[Line]:
    """Two hundred records a second into an open page."""
    directory = run.new_directory()
    count = int(RATE) * run.rounds(LIVE_SECONDS, LIVE_SECONDS_IN_A_HURRY)
    written(writing(directory, 1, RATE))
    with Observatory(directory) as observatory:
        page = _opened(found)
        page.goto(observatory.link)
        page.evaluate(UNTIL_SHOWN, 1)
        page.wait_for_timeout(1_000)
        page.evaluate(COUNT_FRAMES)
        writer = writing(directory, count, RATE)
        seqs = written(writer).committed_ms
        page.wait_for_timeout(1_000)
        frames = page.evaluate(FRAMES)
        shown = page.evaluate(SHOWN)
        after = _heap(page)
        page.wait_for_timeout(REST_SECONDS * 1_000)
        later = _heap(page)
        page.context.close()
    what = f"{RATE:g} records/s for {count / RATE:g} s into an open page"
    yield Line(what=f"{what}: longest frame", value=max(frames), unit="ms", bar=at_most(150))
    yield Line(what=f"{what}: missing at the end", value=max(seqs) - shown, unit="records", bar=at_most(0))
    yield Line(
        what=f"{what}: memory {REST_SECONDS} s after",
        value=later,
        unit="MB",
        against=after,
        against_what="at the end",
        bar=at_most(1.05),
    )


def _heap(page: Any) -> float:
    """What the page holds, once garbage is gone."""
    session = page.context.new_cdp_session(page)
    session.send("HeapProfiler.collectGarbage")
    used: float = session.send("Runtime.getHeapUsage")["usedSize"]
    session.detach()
    return used / 2**20


def _to_pixels(run: Run, found: Any) -> Line:
    """From a commit in another process until it is seen."""
    directory = run.new_directory()
    count = run.rounds(PIXELS, PIXELS // 3)
    written(writing(directory, 1, PIXELS_RATE))
    with Observatory(directory) as observatory:
        page = _opened(found)
        page.goto(observatory.link)
        page.evaluate(UNTIL_SHOWN, 1)
        page.evaluate(NOTE_PIXELS)
        committed = written(writing(directory, count, PIXELS_RATE)).committed_ms
        page.wait_for_timeout(1_000)
        seen = {int(shown): float(at) for shown, at in page.evaluate("() => window.__pixels")}
        page.context.close()
    waits = [min(at for shown, at in seen.items() if shown >= seq) - when for seq, when in committed.items()]
    return Line(
        what="from a commit in another process to pixels, p50", value=median(waits), unit="ms", bar=at_most(150)
    )
