"""How little calls are in each other's way: a batch, short reads beside long ones, a writer beside an import."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median

from bench.client import Client
from bench.machine import cpu_seconds
from bench.run import Run, settings_for
from bench.servers import thoughtbox
from bench.stores import CALLER, TEXT, fill, record_thought
from bench.table import Line, at_least, at_most
from thoughtbox.app import Thoughtbox
from thoughtbox.ledger.export import export_lines
from thoughtbox.ledger.importing import import_files
from thoughtbox.operations.dispatch import Call
from thoughtbox.operations.registry import TABLE

THOUGHTS = 100
LONG_READS = 3
IDLE_SECONDS = 20
IMPORTED, IMPORTED_IN_A_HURRY = 200_000, 50_000


def measure(run: Run) -> Iterator[Line]:
    yield _batch(run)
    run.say("sharing, long reads")
    yield _short_reads(run)
    run.say("sharing, an import")
    yield _import(run)
    run.say("sharing, idle servers")
    yield _idle(run)


def _batch(run: Run) -> Line:
    """A hundred thoughts over stdio: one by one, and in one batch, in turns."""
    with Client(thoughtbox(run.new_directory(), THOUGHTBOX_DURABILITY="normal")) as client:
        client.call_tool("start_new", {"sessionTitle": "Batches"})
        client.call_tool("cipher", {})
        thoughts = [{"thought": f"{number}. {TEXT}"} for number in range(THOUGHTS)]
        calls = [{"operation": "thought", "arguments": arguments} for arguments in thoughts]
        alone, together = [], []
        for _ in range(run.rounds(15, 5)):
            began = time.perf_counter()
            for arguments in thoughts:
                client.call_tool("thought", arguments)
            alone.append(time.perf_counter() - began)
            began = time.perf_counter()
            client.call_tool("batch", {"calls": calls})
            together.append(time.perf_counter() - began)
    return Line(
        what=f"{THOUGHTS} thoughts one by one over stdio, durability=normal",
        value=median(alone) * 1e3,
        unit="ms",
        against=median(together) * 1e3,
        against_what="in one batch",
        bar=at_least(4),
    )


def _short_reads(run: Run) -> Line:
    """What a short read takes beside long ones, and without them."""
    with Thoughtbox(settings_for(run.large_store)) as box:
        workspace = box.settings.project
        status = Call(operation="ledger_status", workspace=workspace, caller=CALLER)
        verify = Call(operation="ledger_verify", workspace=workspace, caller=CALLER)

        def read() -> float:
            began = time.perf_counter()
            box.dispatcher.call(status)
            time.sleep(0.005)
            return time.perf_counter() - began - 0.005

        without = median(read() for _ in range(run.rounds(600, 200)))
        running = [box.dispatcher.submit(verify) for _ in range(LONG_READS)]
        beside = []
        while not all(one.done() for one in running) and len(beside) < run.rounds(1500, 400):
            beside.append(read())
        for one in running:
            one.result()
    return Line(
        what=f"a short read beside {LONG_READS} `ledger_verify` of {run.records:,} records, p50",
        value=median(beside) * 1e6,
        unit="µs",
        against=without * 1e6,
        against_what="alone",
        bar=at_most(2),
    )


def _import(run: Run) -> Line:
    """The longest that somebody waits who writes to another workspace while an export is taken in."""
    records = IMPORTED_IN_A_HURRY if run.quick else IMPORTED
    source, target = settings_for(run.new_directory()), settings_for(run.new_directory(), project="other")
    fill(source, records)
    exported = run.new_directory()
    with Thoughtbox(source) as box, exported.open("wb") as file:
        box.engine.read(lambda sql: [file.write(line + b"\n") for line in export_lines(sql, source.project)]).result()
    waits: list[float] = []
    over = threading.Event()
    with Thoughtbox(target) as importing, Thoughtbox(target) as writing:

        def write() -> None:
            number = 0
            while not over.is_set():
                began = time.perf_counter()
                writing.dispatcher.call(record_thought("other", "beside", number))
                waits.append(time.perf_counter() - began)
                number += 1
                time.sleep(0.002)

        writer = threading.Thread(target=write)
        writer.start()
        try:
            import_files(importing.engine, importing.views, [lambda: _lines(exported)], check=TABLE.check)
        finally:
            over.set()
            writer.join()
    exported.unlink()
    return Line(
        what=f"import of {records:,} records: longest wait of another writer",
        value=max(waits) * 1e3,
        unit="ms",
        bar=at_most(1000),
    )


def _lines(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        yield from file


def _idle(run: Run) -> Line:
    """CPU that a server takes while nobody asks anything of it."""
    with Client(thoughtbox(run.new_directory())) as client:
        client.call()
        time.sleep(12)  # until the log is folded in
        began = cpu_seconds(client.pid)
        time.sleep(run.rounds(IDLE_SECONDS, 5))
        spent = cpu_seconds(client.pid) - began
    return Line(
        what="CPU of an idle server in a second, stdio",
        value=spent * 1e3 / run.rounds(IDLE_SECONDS, 5),
        unit="ms",
        bar=at_most(1),
    )
