"""What an append costs in process, one caller: ours, and as it was before, in turns."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from types import TracebackType

from bench import before
from bench.run import Run
from bench.servers import HERE
from bench.table import Line, at_most

BARS = {"normal": 0.65, "full": 0.6}
BATCH = 50


def measure(run: Run) -> Iterator[Line]:
    earlier = before.source(run)
    if earlier is None:
        return
    for durability, limit in BARS.items():
        ours, theirs = _p50(run, durability, {"ours": HERE.parent / "src", "before": earlier})
        yield Line(
            what=f"append in process, durability={durability}, one caller, p50",
            value=ours,
            unit="µs",
            against=theirs,
            against_what="the state before",
            bar=at_most(limit),
        )


def _p50(run: Run, durability: str, sources: dict[str, Path]) -> list[float]:
    """Batches in turns, the one that begins changing with every round."""
    taken: dict[str, list[float]] = {name: [] for name in sources}
    with ExitStack() as stack:
        appending = {
            name: stack.enter_context(Appending(source, run.new_directory(), durability))
            for name, source in sources.items()
        }
        for number in range(-2, run.rounds(40, 12)):
            for name in list(sources) if number % 2 else reversed(list(sources)):
                times = appending[name].batch(BATCH)
                if number >= 0:
                    taken[name] += times
    return [median(times) * 1e6 for times in taken.values()]


class Appending:
    """A process that appends, with the source of one release."""

    def __init__(self, source: Path, directory: Path, durability: str) -> None:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("THOUGHTBOX_")}
        self._process = subprocess.Popen(
            [sys.executable, "-P", str(HERE / "processes" / "append.py"), str(directory), durability],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**kept, "PYTHONPATH": str(source)},
            text=True,
            encoding="utf-8",
        )

    def __enter__(self) -> Appending:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.communicate()

    def batch(self, size: int) -> list[float]:
        """The seconds that each of so many appends took."""
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(f"{size}\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())
