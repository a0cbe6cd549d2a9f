"""The Observatory as it is measured: its process, those who write beside it, and its page in a real browser."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any

from bench.servers import BIN, HERE

LINK = re.compile(r"observatory  (http://127\.0\.0\.1:(\d+)/)")
WIDE = {"width": 1600, "height": 1000}

# Frames are counted by the page itself: what comes between two of them is what a person waits.
COUNT_FRAMES = """() => {
  window.__frames = [];
  let last = performance.now();
  const frame = (now) => {
    window.__frames.push(now - last);
    last = now;
    if (window.__counts) requestAnimationFrame(frame);
  };
  window.__counts = true;
  requestAnimationFrame(frame);
}"""
FRAMES = "() => { window.__counts = false; return window.__frames.slice(2); }"

SHOWN = """() => Number(document.querySelector('input[type="range"]')?.max ?? 0)"""

# Until so many are on the screen. The page's policy lets nobody wait by evaluating a text again and again.
UNTIL_SHOWN = """(records) => new Promise((done) => {
  const look = () => {
    const shown = Number(document.querySelector('input[type="range"]')?.max ?? 0);
    requestAnimationFrame(shown >= records ? () => requestAnimationFrame(done) : look);
  };
  look();
})"""

# When a number of records is on the screen: in the frame behind the one that has drawn it.
NOTE_PIXELS = """() => {
  window.__pixels = [];
  let before = 0;
  const look = () => {
    const now = Number(document.querySelector('input[type="range"]')?.max ?? 0);
    if (now !== before) { before = now; requestAnimationFrame(() => window.__pixels.push([now, Date.now()])); }
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}"""


class Observatory:
    """An Observatory alone, on a store. Use it as a context manager."""

    def __init__(self, directory: Path) -> None:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("THOUGHTBOX_")}
        self._process = subprocess.Popen(
            [str(BIN / "thoughtbox"), "observe", "--port", "0"],
            stderr=subprocess.PIPE,
            text=True,
            env={**kept, "THOUGHTBOX_DATA_DIR": str(directory)},
        )
        assert self._process.stderr
        found = next((match for line in self._process.stderr if (match := LINK.search(line))), None)
        if found is None:
            raise RuntimeError("the Observatory did not start")
        self.link, self.port = found[1], int(found[2])

    def __enter__(self) -> Observatory:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.terminate()
        self._process.wait()


class Written:
    """What somebody who wrote beside it has said: when each record was committed, and how long each call took."""

    def __init__(self, output: str) -> None:
        rows = [line.split() for line in output.splitlines()]
        self.committed_ms = {int(row[0]): float(row[1]) for row in rows}
        self.micros = [float(row[2]) for row in rows]


def writing(directory: Path, count: int, rate: float) -> subprocess.Popen[str]:
    """Another process that records thoughts."""
    words = [sys.executable, "-m", "bench.processes.write", str(directory), str(count), str(rate)]
    return subprocess.Popen(words, stdout=subprocess.PIPE, text=True, cwd=HERE.parent)


def written(process: subprocess.Popen[str]) -> Written:
    output, _ = process.communicate()
    return Written(output)


@contextmanager
def watching(port: int, watchers: int) -> Generator[subprocess.Popen[str]]:
    """So many who are told of every record."""
    words = [sys.executable, "-m", "bench.processes.watch", str(port), str(watchers)]
    process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=HERE.parent)
    assert process.stdout
    process.stdout.readline()
    try:
        yield process
    finally:
        process.kill()
        process.wait()


@contextmanager
def browser() -> Generator[Any]:
    """The browser that the tests drive, too; None where there is none."""
    from playwright.sync_api import sync_playwright

    from tests.browser.chromium import find
    from tests.support.browser import ARGUMENTS

    found = find()
    if found is None:
        yield None
        return
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(
            executable_path=found.program, args=list(ARGUMENTS), env={**os.environ, **found.variables}
        )
        yield launched
        launched.close()
