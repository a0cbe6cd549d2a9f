"""How long a client waits for a server, and what the server holds in memory: ours, the state before, and a peer."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from statistics import median
from typing import NamedTuple

from bench.client import Client
from bench.machine import cpu_seconds
from bench.run import Run
from bench.servers import Server, before, empty_server, thinking_peer, thoughtbox, with_rooms
from bench.table import Line, at_most

EMPTY = "an empty server on the SDK"
EMPTY_STORE = "a new store"
BEFORE = "the state before"
TO_INITIALIZE, TO_A_CALL = "start to `initialize` answer", "start to the first answered call"
AFTER_START = "resident memory after start"
FEW_ROOMS = ("thoughts", "trail", "ledger")
"""Together about 60 operations."""

MEMORY_ROUNDS = 3
QUIET_SECONDS, LONGEST_WAIT = 0.5, 30.0
"""A server that has had no CPU for so long is done with what it began in the background; so long is waited for it."""

CALLS, CALLS_IN_A_HURRY = 10_000, 2_000


class Started(NamedTuple):
    """Medians of several starts, in milliseconds and megabytes."""

    ms: float
    """To the answer to `initialize`."""
    call_ms: float
    """To the answer to the first call behind it."""
    mb: float
    """When all is quiet again."""


def measure(run: Run) -> Iterator[Line]:
    ours: dict[str, Callable[[], Server]] = {
        EMPTY_STORE: lambda: thoughtbox(run.new_directory()),
        f"{run.records:,} records on disk": lambda: thoughtbox(run.large_store),
    }
    others: dict[str, Callable[[], Server]] = {EMPTY: empty_server, BEFORE: lambda: before(run.new_directory())}
    peer = thinking_peer(run.new_directory())
    if peer is not None:
        others[peer.name] = lambda: peer
    found = started({**ours, **others}, run.rounds(15, 5))
    if peer is not None:
        node = found[peer.name]
        for name in ours:
            yield _time(f"{TO_INITIALIZE}, {name}", found[name].ms, node.ms, peer.name, 0.5)
            yield _time(f"{TO_A_CALL}, {name}", found[name].call_ms, node.call_ms, peer.name, 1.6)
            yield _memory(f"{AFTER_START}, {name}", found[name].mb, node.mb, peer.name, 0.6)
    run.say("start, by operations")
    yield from _operations(run)
    run.say("start, after calls")
    yield from _after_calls(run, peer)
    for name in others:
        yield _time(f"{TO_INITIALIZE}, {name}", found[name].ms, found[EMPTY].ms, EMPTY)
        yield _time(f"{TO_A_CALL}, {name}", found[name].call_ms, found[EMPTY].call_ms, EMPTY)
        yield _memory(f"{AFTER_START}, {name}", found[name].mb, found[EMPTY].mb, EMPTY)


def _operations(run: Run) -> Iterator[Line]:
    """All operations against those of a few rooms, each on a store that was there before."""
    all_, few = with_rooms(run.new_directory()), with_rooms(run.new_directory(), *FEW_ROOMS)
    found = started({"all": lambda: all_, "few": lambda: few}, run.rounds(15, 5))
    against, what = f"with {_operations_of(few)}", f"with {_operations_of(all_)} operations"
    yield _time(f"{TO_INITIALIZE}, {what}", found["all"].ms, found["few"].ms, against, 1.15)
    yield _time(f"{TO_A_CALL}, {what}", found["all"].call_ms, found["few"].call_ms, against, 1.15)


def _operations_of(server: Server) -> int:
    with Client(server) as client:
        return len(client.ask("tools/list", toolset="all")["tools"])


def _after_calls(run: Run, peer: Server | None) -> Iterator[Line]:
    """What a server holds when it has answered many calls."""
    calls = run.rounds(CALLS, CALLS_IN_A_HURRY)
    ours = thoughtbox(run.new_directory(), THOUGHTBOX_DURABILITY="normal")
    earlier = before(run.new_directory(), THOUGHTBOX_DURABILITY="normal")
    held = _mb_after(ours, calls)
    what = f"resident memory after {calls:,} calls"
    if peer is not None:
        yield _memory(what, held, _mb_after(peer, calls), peer.name, 0.8)
    yield _memory(what, held, _mb_after(earlier, calls), BEFORE)


def _mb_after(server: Server, calls: int) -> float:
    with Client(server) as client:
        for _ in range(calls):
            client.call()
        wait_until_quiet(client)
        return client.resident_mb()


def _time(what: str, ms: float, other: float, name: str, limit: float | None = None) -> Line:
    bar = at_most(limit) if limit is not None else None
    return Line(what=what, value=ms, unit="ms", against=other, against_what=name, bar=bar)


def _memory(what: str, mb: float, other: float, name: str, limit: float | None = None) -> Line:
    bar = at_most(limit) if limit is not None else None
    return Line(what=what, value=mb, unit="MB", against=other, against_what=name, bar=bar)


def started(servers: Mapping[str, Callable[[], Server]], rounds: int) -> dict[str, Started]:
    """Start each in turns; a first round only warms the file cache."""
    times: dict[str, list[float]] = {name: [] for name in servers}
    calls: dict[str, list[float]] = {name: [] for name in servers}
    memory: dict[str, list[float]] = {name: [] for name in servers}
    for number in range(-1, rounds):
        for name, server in servers.items():
            with Client(server()) as client:
                client.call()
                answered = client.age()
                if number >= 0:
                    times[name].append(client.start_seconds)
                    calls[name].append(answered)
                if 0 <= number < MEMORY_ROUNDS:
                    client.ask("tools/list")
                    wait_until_quiet(client)
                    memory[name].append(client.resident_mb())
    return {
        name: Started(median(times[name]) * 1e3, median(calls[name]) * 1e3, median(memory[name])) for name in servers
    }


def wait_until_quiet(client: Client) -> None:
    """Until nothing happens in the server any more."""
    until = time.monotonic() + LONGEST_WAIT
    spent = -1.0
    while time.monotonic() < until and (now := cpu_seconds(client.pid)) - spent > QUIET_SECONDS / 100:
        spent = now
        time.sleep(QUIET_SECONDS)
