"""How long a client waits for a server, and what the server holds in memory then: empty, ours new and large, peers."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from statistics import median

from bench.client import Client
from bench.run import Run
from bench.servers import Server, empty_server, peers, thoughtbox
from bench.table import Line, at_most

SETTLE_SECONDS = 0.2
"""Between `tools/list` and the look at the memory: what starts in the background has started by then."""


def start(run: Run) -> Iterator[Line]:
    empty = "an empty server"
    ours = {
        "a new store": lambda: thoughtbox(run.new_directory()),
        f"{run.records:,} records on disk": lambda: thoughtbox(run.large_store),
    }
    others = peers(run.new_directory())
    starts: dict[str, Callable[[], Server]] = {empty: empty_server, **ours}
    starts |= {other.name: lambda other=other: other for other in others}
    seconds, memory = _started(starts, run.rounds(11, 7))
    for name in ours:
        yield Line(
            what=f"start to `initialize` answer, {name}",
            value=seconds[name] * 1e3,
            unit="ms",
            against=seconds[empty] * 1e3,
            against_what=empty,
            bar=at_most(1.25),
        )
    for name in ours:
        yield Line(what=f"resident memory after start, {name}", value=memory[name], unit="MB", bar=at_most(100))
    yield Line(what=f"resident memory after start, {empty}", value=memory[empty], unit="MB")
    for other in others:
        yield Line(
            what=f"{other.name}: start to `initialize` answer",
            value=seconds[other.name] * 1e3,
            unit="ms",
            against=seconds[empty] * 1e3,
            against_what=empty,
        )
        yield Line(what=f"{other.name}: resident memory after start", value=memory[other.name], unit="MB")


def _started(starts: dict[str, Callable[[], Server]], rounds: int) -> tuple[dict[str, float], dict[str, float]]:
    """Median seconds to the first answer, and median megabytes afterwards. A first round warms the file cache."""
    seconds: dict[str, list[float]] = {name: [] for name in starts}
    memory: dict[str, list[float]] = {name: [] for name in starts}
    for number in range(-1, rounds):
        for name, server in starts.items():
            with Client(server()) as client:
                client.ask("tools/list")
                time.sleep(SETTLE_SECONDS)
                if number >= 0:
                    seconds[name].append(client.start_seconds)
                    memory[name].append(client.resident_mb())
    return {name: median(all_) for name, all_ in seconds.items()}, {name: median(all_) for name, all_ in memory.items()}
