"""Several processes as one server: what they serve together, and what a new connection and a restart cost."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from statistics import median

import orjson

from bench.http_client import ERAS, Era, HttpServer, answer, begin, connect, request
from bench.run import Run
from bench.servers import HERE
from bench.table import Line, at_most

CLIENTS = 64
TOOLS = ("thought_record", "ledger_status")
RESTART_SECONDS = 1.5


def measure(run: Run) -> Iterator[Line]:
    with ExitStack() as stack:
        one, two = (
            stack.enter_context(HttpServer("ours", run.new_directory(), THOUGHTBOX_WORKERS=str(workers)))
            for workers in (1, 2)
        )
        for tool in TOOLS:
            run.say(f"workers, {tool}")
            rates = {server.port: [] for server in (one, two)}
            for _ in range(run.rounds(5, 3)):
                for server in (one, two):
                    rates[server.port].append(_load(server, CLIENTS, 1.5 if not run.quick else 0.6, tool)["rate"])
            yield Line(
                what=f"HTTP, {CLIENTS} clients, {tool}, 2 workers",
                value=median(rates[two.port]),
                unit="/s",
                against=median(rates[one.port]),
                against_what="1 worker",
            )
        run.say("workers, new connections")
        first, own = _first_and_next(two, run.rounds(400, 100))
        yield Line(
            what="first request of a session on a new connection to 2 workers, slower half, p50",
            value=first * 1e6,
            unit="µs",
            against=own * 1e6,
            against_what="its next one",
        )
        restarts = run.rounds(50, 5)
        for workers, server in ((1, one), (2, two)):
            for era in ERAS:
                run.say(f"workers, {restarts} restarts of {workers}, {era}")
                found = _load(server, 16, restarts * RESTART_SECONDS + 2, "thought_record", era, restarts=restarts)
                yield Line(
                    what=f"the slowest call of 16 clients over {restarts} restarts ({era}, workers: {workers})",
                    value=found["most_us"] / 1e3,
                    unit="ms",
                    bar=at_most(1000),
                )


def _load(
    server: HttpServer, clients: int, seconds: float, tool: str, era: Era = "newest", *, restarts: int = 0
) -> dict[str, float]:
    words = [str(server.port), str(server.pid), str(clients), str(seconds), era, tool]
    loading = subprocess.Popen(
        [sys.executable, "-m", "bench.processes.load", *words], cwd=HERE.parent, stdout=subprocess.PIPE
    )
    for _ in range(restarts):
        time.sleep(RESTART_SECONDS)  # longer than a restart takes
        os.kill(server.pid, signal.SIGUSR1)
    said, _ = loading.communicate()
    if loading.returncode:
        raise RuntimeError("a call has failed")
    return orjson.loads(said)


def _first_and_next(server: HttpServer, rounds: int) -> tuple[float, float]:
    """How long pings take: the first on a connection, of those half that took longer, and the one behind it."""
    with connect(server.port) as connection:
        session = begin(connection, "handshake")
    ping = request("handshake", "ping", {}, session=session)
    first, behind = [], []
    for _ in range(rounds):
        with connect(server.port) as connection:
            for taken in (first, behind):
                began = time.perf_counter()
                connection.sendall(ping)
                answer(connection)
                taken.append(time.perf_counter() - began)
    return median(sorted(first)[len(first) // 2 :]), median(behind)
