"""Many clients over HTTP, in both eras: calls a second, CPU per call and the longest waits, in turns."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from statistics import median

import orjson

from bench.http_client import ERAS, Era, HttpServer
from bench.run import Run
from bench.servers import HERE
from bench.table import Line, at_least, at_most

CLIENTS = (16, 64)
BUSY = 0.9
"""From this share of a core on, the load is what limits, and the run says so."""

Found = dict[str, float]


def measure(run: Run) -> Iterator[Line]:
    with ExitStack() as stack:
        servers = {name: stack.enter_context(HttpServer(name, run.new_directory())) for name in ("ours", "before")}
        for era in ERAS:
            for clients in CLIENTS:
                run.say(f"http, {clients} clients, {era}")
                ours, before = _in_turns(run, servers, clients, era)
                yield from _lines(f"HTTP, {clients} clients, thought_record, {_named(era)}", ours, before)
                if ours["own_cpu"] > BUSY:
                    run.notes.append(
                        f"With {clients} clients ({_named(era)}) the load took {ours['own_cpu']:.0%} of a core: "
                        "the server might have done more."
                    )


def _named(era: Era) -> str:
    return "2026-07-28" if era == "newest" else "handshake"


def _in_turns(run: Run, servers: dict[str, HttpServer], clients: int, era: Era) -> tuple[Found, Found]:
    """The medians of several turns, each on the same two servers."""
    seen: dict[str, list[Found]] = {name: [] for name in servers}
    for number in range(run.rounds(5, 3)):
        for name in servers if number % 2 else reversed(servers):
            server = servers[name]
            words = [str(server.port), str(server.pid), str(clients), str(1.5 if not run.quick else 0.6), era]
            done = subprocess.run(
                [sys.executable, "-m", "bench.processes.load", *words],
                cwd=HERE.parent,
                stdout=subprocess.PIPE,
                check=True,
            )
            seen[name].append(orjson.loads(done.stdout))
    ours, before = ({name: median(one[name] for one in seen[which]) for name in seen[which][0]} for which in servers)
    return ours, before


def _lines(what: str, ours: Found, before: Found) -> Iterator[Line]:
    earlier = "the state before"
    yield Line(
        what=what, value=ours["rate"], unit="/s", against=before["rate"], against_what=earlier, bar=at_least(3.5)
    )
    yield Line(
        what=f"{what}, CPU per call",
        value=ours["cpu_us"],
        unit="µs",
        against=before["cpu_us"],
        against_what=earlier,
        bar=at_most(0.3),
    )
    yield Line(
        what=f"{what}, p99",
        value=ours["p99_us"],
        unit="µs",
        against=ours["p50_us"],
        against_what="p50",
        bar=at_most(4),
    )
    yield Line(
        what=f"{what}, p50",
        value=ours["p50_us"],
        unit="µs",
        against=before["p50_us"],
        against_what=earlier,
    )
