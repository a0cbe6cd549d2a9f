"""How fast a whole ledger is verified, and in how much memory: in the store, and offline from an export."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import orjson

from bench.machine import resident_mb
from bench.run import Run, settings_for
from bench.servers import BIN
from bench.table import Line, at_least, at_most
from thoughtbox.app import Thoughtbox
from thoughtbox.engine.protocol import Sql
from thoughtbox.ledger.export import export_lines

LOOK_SECONDS = 0.05


def measure(run: Run) -> Iterator[Line]:
    command = [sys.executable, "-m", "bench.processes.verify", str(run.large_store)]
    found = orjson.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)
    yield Line(
        what=f"verify {found['records']:,} records: ledger_verify",
        value=found["records"] / found["seconds"],
        unit="records/s",
        bar=at_least(60_000),
    )
    yield Line(what="memory that verifying adds", value=found["added_mb"], unit="MB", bar=at_most(50))
    run.say("verification, offline")
    exported = run.new_directory()
    with Thoughtbox(settings_for(run.large_store)) as box:
        yield _export(box, exported)
        keys = [str(key) for key in box.keyring.verifiers]
    yield from _offline(exported, keys)
    exported.unlink()


def _export(box: Thoughtbox, target: Path) -> Line:
    with target.open("wb") as file:

        def export(sql: Sql) -> int:
            lines = 0
            for line in export_lines(sql, box.settings.project):
                file.write(line + b"\n")
                lines += 1
            return lines

        began = time.perf_counter()
        lines = box.engine.read(export).result()
        return Line(what="export as JSON Lines", value=lines / (time.perf_counter() - began), unit="records/s")


def _offline(exported: Path, keys: list[str]) -> Iterator[Line]:
    began = time.perf_counter()
    process = subprocess.Popen(
        [str(BIN / "thoughtbox-verify"), str(exported), "--json", *(f"--key={key}" for key in keys)],
        stdout=subprocess.PIPE,
    )
    most = 0.0
    while process.poll() is None:
        try:
            most = max(most, resident_mb(process.pid, peak=True))
        except (OSError, LookupError):
            break  # it has just ended
        time.sleep(LOOK_SECONDS)
    output, _ = process.communicate()
    seconds = time.perf_counter() - began
    report = orjson.loads(output)
    if not report["valid"] or report["signatures"] != "checked":
        raise RuntimeError(f"the export does not verify: {report}")
    yield Line(what="verify the export: thoughtbox-verify", value=report["records"] / seconds, unit="records/s")
    yield Line(what="memory of thoughtbox-verify at its peak", value=most, unit="MB")
