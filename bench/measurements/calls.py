"""What a call costs over stdio, in time and in CPU: an empty tool, ours, the state before, and the peers, in turns."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import NamedTuple

from bench import before as earlier
from bench.client import Client
from bench.clock import medians
from bench.machine import cpu_seconds, wait_until_idle
from bench.run import Run
from bench.servers import Server, before, empty_server, peers, thoughtbox
from bench.stores import TEXT
from bench.table import Line, at_most

OURS, NEWEST, BEFORE = "thought_record", "thought_record at 2026-07-28", "thought_record on the SDK"
GATEWAY, GATEWAY_BEFORE = "gateway `thought`", "gateway `thought` before"
EMPTY = "an empty tool on the SDK"
THE_STATE_BEFORE = "the state before"
ON_THE_SDK = "the same, on the SDK"
WARM_UP = 5
IN_A_ROW = 10
"""Calls to one server before it is the next one's turn: with more of them than cores, each would otherwise find what it
needs thrown out of the caches by the others. What that costs is measured, too, one call in a row."""
CALLS = 1_500


class Cost(NamedTuple):
    """Of one call, in microseconds."""

    p50: float
    cpu: float


def measure(run: Run) -> Iterator[Line]:
    others = peers(run.new_directory())
    if not others:
        run.notes.append("Node or its packages are not there (make setup): what is held against them was left out.")
    cost = _costs(run, others, IN_A_ROW)
    what = "thought_record over stdio, durability=normal"
    yield Line(
        what=f"{what}, p50",
        value=cost[OURS].p50,
        unit="µs",
        against=cost[EMPTY].p50,
        against_what=EMPTY,
        bar=at_most(0.45),
    )
    for other in others[:1]:
        peer = cost[other.name]
        yield _against(f"{what}, p50", cost[OURS].p50, peer.p50, other.name, 1.7)
        yield _against(f"{what}, CPU", cost[OURS].cpu, peer.cpu, other.name, 1.1)
    yield _against("gateway `thought` over stdio, p50", cost[GATEWAY].p50, cost[GATEWAY_BEFORE].p50, limit=0.5)
    yield _against(f"{what}, at 2026-07-28, p50", cost[NEWEST].p50, cost[OURS].p50, "with a handshake", 1.08)
    yield _against(f"{what}, p50", cost[OURS].p50, cost[BEFORE].p50, ON_THE_SDK)
    yield _against(f"{what}, CPU", cost[OURS].cpu, cost[BEFORE].cpu, ON_THE_SDK)
    yield _against(f"{what}, CPU", cost[OURS].cpu, cost[EMPTY].cpu, EMPTY)
    alone = _costs(run, others[:1], 1)
    for name in (EMPTY, *(other.name for other in others[:1])):
        yield _against(f"{what}, one call in a row, p50", alone[OURS].p50, alone[name].p50, name)
    for other in others:
        peer = cost[other.name]
        yield _against(f"{other.name}: {other.tool} over stdio, p50", peer.p50, cost[EMPTY].p50, EMPTY)


def _costs(run: Run, others: list[Server], in_a_row: int) -> dict[str, Cost]:
    """Each kind of call has a process of its own, so that its CPU is its own."""
    rounds = run.rounds(CALLS, CALLS // 4) // in_a_row
    with ExitStack() as stack:

        def start(server: Server, *, newest: bool = False) -> Client:
            return stack.enter_context(Client(server, newest=newest))

        clients = {
            EMPTY: start(empty_server()),
            OURS: start(_ours(run.new_directory())),
            NEWEST: start(_ours(run.new_directory()), newest=True),
            BEFORE: start(before(run.new_directory(), THOUGHTBOX_DURABILITY="normal")),
            GATEWAY: start(_ours(run.new_directory())),
            GATEWAY_BEFORE: start(_earlier(run)),
            **{server.name: start(server) for server in others},
        }
        actions: dict[str, Callable[[], None]] = {name: client.call for name, client in clients.items()}
        for name in (GATEWAY, GATEWAY_BEFORE):
            actions[name] = _thinking(clients[name])
        medians(WARM_UP, actions, at_once=in_a_row)
        wait_until_idle(client.pid for client in clients.values())
        medians(WARM_UP, actions, at_once=in_a_row)
        spent = {name: cpu_seconds(client.pid) for name, client in clients.items()}
        p50 = medians(rounds, actions, at_once=in_a_row)
        spent = {name: cpu_seconds(client.pid) - spent[name] for name, client in clients.items()}
    return {name: Cost(p50[name] * 1e6, spent[name] * 1e6 / (rounds * in_a_row)) for name in clients}


def _ours(directory: Path) -> Server:
    return thoughtbox(directory, THOUGHTBOX_DURABILITY="normal")


def _earlier(run: Run) -> Server:
    """The product as it was before its own core; without its history, today's operations on the SDK."""
    directory, source = run.new_directory(), earlier.source(run)
    if source is None:
        return before(directory, THOUGHTBOX_DURABILITY="normal")
    server = _ours(directory)
    command = [sys.executable, "-m", "thoughtbox", "serve", "--transport", "stdio"]
    return replace(server, command=command, settings={**server.settings, "PYTHONPATH": str(source)})


def _thinking(client: Client) -> Callable[[], None]:
    """One thought after another in one session, through the gateway."""
    client.call_tool("start_new", {"sessionTitle": "Calls"})
    client.call_tool("cipher", {})
    numbers = count(1)

    def think() -> None:
        said = {"thought": f"{next(numbers)}. {TEXT}"}
        client.call_tool("thoughtbox_gateway", {"operation": "thought", "args": said})

    return think


def _against(what: str, value: float, other: float, name: str = THE_STATE_BEFORE, limit: float | None = None) -> Line:
    bar = at_most(limit) if limit is not None else None
    return Line(what=what, value=value, unit="µs", against=other, against_what=name, bar=bar)
