"""`make steady`: runs tests many times, in random order, beside busy work on every core, and lists what ever failed.

    python -m tests.steady --times 50 tests/doors/mcp/test_restart.py

A test that fails once in a hundred runs is a defect: of the test, or of what it is about. Without a name, the test
files that were changed since the last commit, or in it, are run.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as Xml
from collections import Counter
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
AT_ONCE = 10
"""Times that a test is run in one session of pytest; each session draws doors, eras, engines and samples anew."""

PROCESSES = (os.cpu_count() or 1) * 3 // 2

BUSY = "import os, sys\nparent = os.getppid()\nwhile os.getppid() == parent: sum(range(100_000))"
"""Work that fills a core, and ends with whoever has started it."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--times", type=int, default=50, help="how often each test is run (50)")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6), help="of a run before")
    parser.add_argument("names", nargs="*", help="files, folders or tests, as pytest takes them")
    told = parser.parse_args()
    names = told.names or changed_files()
    if not names:
        print("No test file was changed since the last commit, or in it: name what is to be run.")
        return 0
    print(f"{' '.join(names)}: {told.times} times beside busy work, --seed {told.seed}", flush=True)
    failed: Counter[str] = Counter()
    with busy_cores(), tempfile.TemporaryDirectory() as folder:
        for first in range(0, told.times, AT_ONCE):
            failed += run(names, min(AT_ONCE, told.times - first), told.seed + first, Path(folder) / f"{first}.xml")
    for name, count in failed.most_common():
        print(f"failed {count} of {told.times}: {name}")
    print(f"{len(failed)} tests ever failed" if failed else "none ever failed")
    return 1 if failed else 0


def changed_files() -> list[str]:
    """Test files that differ from the commit before the last one, as they are now."""
    listed = _git("diff", "--name-only", "HEAD~1", "--", "tests") + _git("ls-files", "--others", "tests")
    return [name for name in listed if Path(name).name.startswith("test_") and (ROOT / name).is_file()]


def run(names: list[str], times: int, seed: int, report: Path, processes: int = PROCESSES) -> Counter[str]:
    """Run them so often, in an order that the seed gives; how often each has failed."""
    words = ["-m", "pytest", "-q", "-n", str(processes), "--dist", "worksteal"]
    words += ["--times", str(times), "--shuffle", f"--junitxml={report}", "-p", "no:cacheprovider", *names]
    code = subprocess.run(
        [sys.executable, *words], cwd=ROOT, env={**os.environ, "THOUGHTBOX_TEST_SEED": str(seed)}, check=False
    ).returncode
    if code not in (0, 1):
        raise SystemExit(code)
    return Counter(failures(report))


def failures(report: Path) -> Iterator[str]:
    """The tests that have failed, or could not be set up or taken down; without the number of the time."""
    for case in Xml.parse(report).iter("testcase"):
        if case.find("failure") is not None or case.find("error") is not None:
            yield f"{case.get('classname')}::{re.sub(r'#[0-9]+-?|-#[0-9]+', '', case.get('name', ''))}"


@contextmanager
def busy_cores() -> Generator[None]:
    """Keep every core busy meanwhile."""
    work = [subprocess.Popen([sys.executable, "-c", BUSY]) for _ in range(os.cpu_count() or 1)]
    try:
        yield
    finally:
        for process in work:
            process.kill()
            process.wait()


def _git(*words: str) -> list[str]:
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.split()


if __name__ == "__main__":
    sys.exit(main())
