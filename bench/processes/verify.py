"""Verify a store, alone in the process: what earlier measurements left in memory would hide what this takes."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import orjson

from bench.machine import resident_mb
from bench.run import settings_for
from bench.stores import CALLER
from thoughtbox.app import Thoughtbox
from thoughtbox.operations.dispatch import Call


def verify(store: Path) -> dict[str, float]:
    with Thoughtbox(settings_for(store)) as box:
        before = resident_mb()
        began = time.perf_counter()
        verdict = box.dispatcher.call(Call(operation="ledger_verify", workspace=box.settings.project, caller=CALLER))
        seconds = time.perf_counter() - began
    if not verdict["valid"]:
        raise RuntimeError(f"the store does not verify: {verdict}")
    return {"records": verdict["records"], "seconds": seconds, "added_mb": resident_mb(peak=True) - before}


if __name__ == "__main__":
    sys.stdout.buffer.write(orjson.dumps(verify(Path(sys.argv[1]))))
