"""A process that is killed while it writes a consolidation: behind its cells, before it could say how far it went.

`python -m tests.domains.memory.episodes.dying DIRECTORY` records episodes, consolidates, and is gone.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import Any

from tests.domains.memory.episodes.conftest import Memory
from tests.support.box import Box
from thoughtbox.domains.memory.episodes import consolidating
from thoughtbox.domains.memory.view.semantic import Semantic
from thoughtbox.operations import Tx

EPISODES = 40


def die(tx: Tx, scope: str, **told: Any) -> None:
    written = tx.ask(Semantic).selected([scope], limit=1000)
    print(len(written), "cells", flush=True)
    os.kill(os.getpid(), signal.SIGKILL)


def main(directory: str) -> None:
    memory = Memory(Box(Path(directory) / "data"))
    for number in range(EPISODES):
        memory.hears(f"Always check module {number}.")
    setattr(consolidating, "write_run", die)  # noqa: B010 - a function elsewhere
    memory.run()


if __name__ == "__main__":
    main(*sys.argv[1:])
