"""What a call costs a client over stdio: an empty tool, ours, and the peers, one after the other in turns."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack

from bench.client import Client
from bench.clock import medians
from bench.run import Run
from bench.servers import empty_server, peers, thoughtbox
from bench.table import Line, at_most


def measure(run: Run) -> Iterator[Line]:
    empty, ours = empty_server(), thoughtbox(run.new_directory(), THOUGHTBOX_DURABILITY="normal")
    others = peers(run.new_directory())
    if not others:
        run.notes.append("Node or its packages are not there (make setup): the peers from npm were left out.")
    with ExitStack() as stack:
        clients = {server.name: stack.enter_context(Client(server)) for server in (empty, ours, *others)}
        p50 = medians(run.rounds(1500, 400), {name: client.call for name, client in clients.items()}, warm_up=50)
    floor = p50[empty.name] * 1e6
    yield Line(
        what="thought_record over stdio, durability=normal, p50",
        value=p50[ours.name] * 1e6,
        unit="µs",
        against=floor,
        against_what=empty.name,
        bar=at_most(1.6),
    )
    for other in others:
        yield Line(
            what=f"{other.name}: {other.tool} over stdio, p50",
            value=p50[other.name] * 1e6,
            unit="µs",
            against=floor,
            against_what=empty.name,
        )
