"""Appends in process, a batch whenever it is asked for: `append.py DIRECTORY DURABILITY`, under any release.

For every line of standard input, which says how many, it makes so many appends and prints the seconds that each took.
Run with another release's source on the Python path, it measures that one.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from thoughtbox.app import Thoughtbox
from thoughtbox.operations.caller import Caller
from thoughtbox.operations.dispatch import Call
from thoughtbox.settings import load

TEXT = "Reads dominate writes 40 to 1, so a read-through cache in front of the database pays off; " * 2
CALLER = Caller(agent="bench", transport="bench")


def main(directory: Path, durability: str) -> None:
    number = 0
    with Thoughtbox(load({}, data_dir=str(directory), durability=durability)) as box:
        box.keep()
        for line in sys.stdin:
            taken = []
            for _ in range(int(line)):
                number += 1
                said = {"sessionId": "session", "thoughtType": "analysis", "content": f"{number}. {TEXT}"}
                call = Call(operation="thought_record", workspace=box.settings.project, arguments=said, caller=CALLER)
                began = time.perf_counter()
                box.dispatcher.call(call)
                taken.append(time.perf_counter() - began)
            sys.stdout.write(f"{json.dumps(taken)}\n")
            sys.stdout.flush()


main(Path(sys.argv[1]), sys.argv[2])
