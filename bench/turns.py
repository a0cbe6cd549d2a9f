"""`python -m bench.turns DIRECTORY [NAME…] [--rounds N] [--quick]`: this checkout against another one, in turns.

Each round measures both, the other one first in every second round, and of every line that both have the
medians are compared. What has a floor beside it is compared by its ratio to that floor: the floor takes
the mood of the machine away. The other checkout needs its own `.venv` (`make setup`).
"""

from __future__ import annotations

import json
import subprocess
import sys
from argparse import ArgumentParser, Namespace
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from rich.console import Console
from rich.table import Table

HERE = Path(__file__).resolve().parent.parent
WORSE = 1.05
"""From here on a line counts as worse; whoever reads looks at how far the rounds lie apart."""

MORE_IS_BETTER = ("/s", "records/s")


class Compared(NamedTuple):
    """One line of the table, as both have it."""

    what: str
    unit: str
    before: list[float]
    now: list[float]

    @property
    def change(self) -> float:
        """How much worse it is: 1.1 is a tenth, whether less is better or more."""
        before, now = median(self.before), median(self.now)
        if not before or not now:
            return 1.0
        return before / now if self.unit in MORE_IS_BETTER else now / before

    def cells(self) -> tuple[str, ...]:
        return (self.what, self.unit, _spread(self.before), _spread(self.now), f"{self.change:.3f}")


def main(argv: Sequence[str] | None = None) -> int:
    options = _options(argv)
    checkouts = (options.directory.resolve(), HERE)
    found: dict[Path, dict[tuple[str, str], list[float]]] = {path: defaultdict(list) for path in checkouts}
    for number in range(options.rounds):
        for path in checkouts if number % 2 else reversed(checkouts):
            sys.stderr.write(f"round {number + 1} of {options.rounds}: {path}\n")
            for what, unit, value in _measured(path, options):
                found[path][what, unit].append(value)
    before, now = (found[path] for path in checkouts)
    compared = [Compared(*line, before[line], now[line]) for line in now if line in before]
    _show(compared)
    return 1 if any(line.change > WORSE for line in compared) else 0


def _measured(path: Path, options: Namespace) -> Iterator[tuple[str, str, float]]:
    results = path / "bench" / "results"
    known = set(results.glob("*.json"))
    command = [path / ".venv/bin/python", "-m", "bench", *options.names, *(["--quick"] if options.quick else [])]
    # A bar that is missed ends it with 1, and is not what is asked here.
    done = subprocess.run(command, cwd=path, capture_output=True, text=True, check=False)
    written = set(results.glob("*.json")) - known
    if not written:
        raise SystemExit(f"nothing was measured in {path}:\n{done.stderr[-2_000:]}")
    for line in json.loads(written.pop().read_text(encoding="utf-8"))["lines"]:
        yield _of(line)


def _of(line: dict[str, Any]) -> tuple[str, str, float]:
    """A time that has a floor beside it is compared by its ratio to that; all else by itself."""
    if line["ratio"] is None or line["unit"] in MORE_IS_BETTER:
        return line["what"], line["unit"], line["value"]
    return line["what"], f"x {line['against_what']}", line["ratio"]


def _spread(values: list[float]) -> str:
    return f"{median(values):,.2f} ({min(values):,.2f} to {max(values):,.2f})"


def _show(compared: list[Compared]) -> None:
    table = Table(title="before, now, and how much worse it is", title_justify="left")
    for heading in ("what", "unit", "before", "now", "change"):
        table.add_column(heading)
    for line in compared:
        table.add_row(*line.cells(), style="bold red" if line.change > WORSE else None)
    Console(width=None if Console().is_terminal else 180).print(table)


def _options(argv: Sequence[str] | None) -> Namespace:
    parser = ArgumentParser(prog="python -m bench.turns", description="Compare with another checkout, in turns.")
    parser.add_argument("directory", type=Path, metavar="DIRECTORY", help="the other checkout, with its .venv")
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these measurements, as for python -m bench")
    parser.add_argument("--rounds", type=int, default=3, metavar="N", help="how often each is measured (3)")
    parser.add_argument("--quick", action="store_true", help="fewer rounds within each, and a smaller store")
    return parser.parse_args(argv)


if __name__ == "__main__":
    sys.exit(main())
