"""How long a client waits for a server, and what the server holds in memory then: empty, ours new and large, peers."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from statistics import median
from typing import NamedTuple

from bench.client import Client
from bench.run import Run
from bench.servers import Server, empty_server, peers, thoughtbox
from bench.table import Line, at_most

EMPTY = "an empty server"
EMPTY_STORE = "a new store"
MEMORY_ROUNDS = 3
SETTLE_SECONDS = 0.3
"""Between `tools/list` and the look at the memory: what starts in the background has started by then."""


class Started(NamedTuple):
    """Medians of several starts."""

    ms: float
    mb: float


def measure(run: Run) -> Iterator[Line]:
    ours = {
        EMPTY_STORE: lambda: thoughtbox(run.new_directory()),
        f"{run.records:,} records on disk": lambda: thoughtbox(run.large_store),
    }
    found = started({EMPTY: empty_server, **ours}, run.rounds(15, 7))
    for name in ours:
        yield _time(f"start to `initialize` answer, {name}", found[name], found[EMPTY])
    for name in ours:
        yield Line(what=f"resident memory after start, {name}", value=found[name].mb, unit="MB", bar=at_most(100))
    yield Line(what=f"resident memory after start, {EMPTY}", value=found[EMPTY].mb, unit="MB")
    yield from _peers(run)


def _peers(run: Run) -> Iterator[Line]:
    others = {server.name: lambda server=server: server for server in peers(run.new_directory())}
    if not others:
        return
    found = started({EMPTY: empty_server, **others}, run.rounds(5, 2))
    for name in others:
        yield _time(f"{name}: start to `initialize` answer", found[name], found[EMPTY], barred=False)
        yield Line(what=f"{name}: resident memory after start", value=found[name].mb, unit="MB")


def _time(what: str, started: Started, empty: Started, *, barred: bool = True) -> Line:
    bar = at_most(1.25) if barred else None
    return Line(what=what, value=started.ms, unit="ms", against=empty.ms, against_what=EMPTY, bar=bar)


def started(servers: Mapping[str, Callable[[], Server]], rounds: int) -> dict[str, Started]:
    """Start each in turns; a first round only warms the file cache."""
    times: dict[str, list[float]] = {name: [] for name in servers}
    memory: dict[str, list[float]] = {name: [] for name in servers}
    for number in range(-1, rounds):
        for name, server in servers.items():
            with Client(server()) as client:
                client.ask("tools/list")
                if number >= 0:
                    times[name].append(client.start_seconds)
                if 0 <= number < MEMORY_ROUNDS:
                    time.sleep(SETTLE_SECONDS)
                    memory[name].append(client.resident_mb())
    return {name: Started(median(times[name]) * 1e3, median(memory[name])) for name in servers}
