"""`python -m bench [NAME…] [--quick] [--records N] [--write-docs]`: measure, and say whether the bars hold."""

from __future__ import annotations

import sys
import tempfile
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from pathlib import Path

from bench import docs, machine, report
from bench.measurements import MEASUREMENTS
from bench.run import RECORDS, RECORDS_IN_A_HURRY, Run
from bench.table import Line

RESULTS = Path(__file__).resolve().parent / "results"


def main(argv: Sequence[str] | None = None) -> int:
    options = _options(argv)
    command = " ".join(["python -m bench", *(sys.argv[1:] if argv is None else argv)])
    RESULTS.mkdir(exist_ok=True)
    began = time.monotonic()
    # On the disk that is measured: the system's temporary directory may be memory.
    with tempfile.TemporaryDirectory(prefix="run-", dir=RESULTS) as directory:
        facts = machine.facts(Path(directory))
        run = Run(Path(directory), records=options.records, quick=options.quick)
        lines = _measure(run, options.names or list(MEASUREMENTS))
    taken = report.Report(command, time.monotonic() - began, facts, lines, run.notes)
    report.show(taken)
    report.store(taken, RESULTS)
    if options.write_docs:
        docs.write(taken)
    return 0 if all(line.holds for line in lines) else 1


def _measure(run: Run, names: Sequence[str]) -> list[Line]:
    lines: list[Line] = []
    for name in names:
        run.say(name)
        lines += MEASUREMENTS[name](run)
    return lines


def _options(argv: Sequence[str] | None) -> Namespace:
    parser = ArgumentParser(prog="python -m bench", description="Measure Thoughtbox: us, the floor and the peers.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"only these: {', '.join(MEASUREMENTS)}")
    parser.add_argument("--quick", action="store_true", help="fewer rounds and a smaller store: under a minute")
    parser.add_argument("--records", type=int, metavar="N", help=f"size of the large store ({RECORDS:,})")
    parser.add_argument("--write-docs", action="store_true", help="put the table into docs/performance.md")
    options = parser.parse_args(argv)
    if unknown := [name for name in options.names if name not in MEASUREMENTS]:
        parser.error(f"there is no measurement {', '.join(unknown)}; there are {', '.join(MEASUREMENTS)}")
    if options.write_docs and options.names:
        parser.error("--write-docs wants the whole table: leave the names out")
    if options.records is None:
        options.records = RECORDS_IN_A_HURRY if options.quick else RECORDS
    return options


if __name__ == "__main__":
    sys.exit(main())
