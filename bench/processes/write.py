"""Records thoughts for people who watch: `write.py DIRECTORY COUNT RATE`, so many, so many a second.

Prints a line for each once it is committed: its number, the time in milliseconds since 1970, and what the call took in
microseconds.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from bench.stores import record_thought
from thoughtbox.app import Thoughtbox
from thoughtbox.settings import load


def main(directory: Path, count: int, rate: float) -> None:
    with Thoughtbox(load({}, data_dir=str(directory), durability="normal")) as box:
        box.keep()
        began = time.perf_counter()
        for number in range(count):
            time.sleep(max(0.0, began + number / rate - time.perf_counter()))
            begun = time.perf_counter()
            seq = box.dispatcher.call(record_thought(box.settings.project, "watched", number))["thought"]["thoughtId"]
            taken = time.perf_counter() - begun
            sys.stdout.write(f"{seq.removeprefix('th:')} {time.time() * 1000:.1f} {taken * 1e6:.1f}\n")
            sys.stdout.flush()


main(Path(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]))
