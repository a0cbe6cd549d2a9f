"""A thousand clients over HTTP that do nothing but listen: what they cost the server, and whoever calls beside them."""

from __future__ import annotations

import resource
import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import count

from bench.clock import medians
from bench.http_client import ERAS, Era, HttpServer, answer, begin, connect, request, stream
from bench.run import Run
from bench.stores import thought
from bench.table import Line, at_most

CLIENTS = 1_000
DESCRIPTORS = 4_096
LISTEN = {"notifications": {"resourcesListChanged": True, "toolsListChanged": True}}


def measure(run: Run) -> Iterator[Line]:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = DESCRIPTORS if hard == resource.RLIM_INFINITY else min(DESCRIPTORS, hard)
    if soft < most:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
    clients = min(CLIENTS, most - 200)
    if clients < CLIENTS:
        run.notes.append(f"The system allows {hard} descriptors: {clients} idle clients instead of {CLIENTS:,}.")
    for era in ERAS:
        yield from _beside(run, era, clients)


def _beside(run: Run, era: Era, clients: int) -> Iterator[Line]:
    """Two servers alike, one of them with the idle clients; a call to each in turns."""
    with ExitStack() as stack:
        alone, crowded = (stack.enter_context(HttpServer("ours", run.new_directory())) for _ in range(2))
        for _ in range(clients):
            stack.enter_context(_listening(crowded.port, era))
        calls = {name: _calling(stack, server.port, era) for name, server in (("alone", alone), ("crowded", crowded))}
        p50 = medians(run.rounds(1000, 300), calls, warm_up=50)
        held = {"alone": alone.resident_mb(), "crowded": crowded.resident_mb()}
    named = "2026-07-28" if era == "newest" else "handshake"
    what = f"{clients:,} idle HTTP clients with a stream each, {named}"
    yield Line(what=f"{what}: resident memory", value=held["crowded"], unit="MB", bar=at_most(150))
    yield Line(
        what=f"{what}: a call beside them, p50",
        value=p50["crowded"] * 1e6,
        unit="µs",
        against=p50["alone"] * 1e6,
        against_what="without them",
        bar=at_most(1.3),
    )
    yield Line(what=f"{what}: what they add to the memory", value=held["crowded"] - held["alone"], unit="MB")


def _listening(port: int, era: Era) -> socket.socket:
    """A client whose stream is open."""
    connection = connect(port)
    session = begin(connection, era)
    connection.sendall(stream(session) if era == "handshake" else request(era, "subscriptions/listen", LISTEN))
    if not connection.recv(12).startswith(b"HTTP/1.1 200"):
        raise RuntimeError("a stream was refused")
    return connection


def _calling(stack: ExitStack, port: int, era: Era) -> Callable[[], None]:
    connection = stack.enter_context(connect(port))
    session = begin(connection, era)
    numbers = count(1)

    def call() -> None:
        params = {"name": "thought_record", "arguments": thought("session", next(numbers))}
        connection.sendall(request(era, "tools/call", params, session=session))
        _, body = answer(connection)
        if b'"isError":false' not in body:
            raise RuntimeError(f"a call failed: {body[:500]!r}")

    return call
