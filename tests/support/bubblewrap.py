"""`python -m tests.support.bubblewrap` brings the bubblewrap that boxes are tested with, where there is none.

It is Debian's package, if that may be installed. Without it, the tests of that way into a box are skipped.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from tests.support.debian import install

PROGRAM = "bwrap"
IN_VAIN = Path(sys.prefix) / ".no-bubblewrap"
"""Stands for an attempt that failed: the next `make setup` need not wait for the same again."""


def provide() -> None:
    if shutil.which(PROGRAM) is not None or sys.platform != "linux" or IN_VAIN.exists():
        return
    print("Bubblewrap for the tests: installing it with apt-get", file=sys.stderr, flush=True)
    if not install(["bubblewrap"]):
        IN_VAIN.touch()
        print("It cannot be had, so its tests are skipped.", file=sys.stderr)


if __name__ == "__main__":
    provide()
