"""How long an agent waits for a hook: from the start of the process to its end, as a host starts it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from shutil import copyfile

from bench.clock import medians
from bench.run import Run
from bench.table import Line, at_most
from thoughtbox.domains.memory.configuration import BUILT_IN

PROGRAM = str(Path(sys.executable).with_name("thoughtbox"))
FLOOR = "three times `python -c pass`, plus 100 ms"
BARRED = "pre-tool-use"


def measure(run: Run) -> Iterator[Line]:
    project = run.new_directory()
    (project / ".claude").mkdir(parents=True)
    copyfile(BUILT_IN / "three-gate.json", project / ".claude" / "config.json")
    told = {"session_id": "bench", "cwd": str(project), "tool_name": "Write", "prompt": "Go on."}
    sent = json.dumps({**told, "tool_input": {"file_path": "a.txt"}, "tool_response": {}, "source": "compact"}).encode()
    environment = {**os.environ, "THOUGHTBOX_DATA_DIR": str(run.new_directory()), "HOME": str(project)}

    def started(words: Sequence[str]) -> None:
        subprocess.run(words, input=sent, env=environment, capture_output=True, check=False)

    events = (BARRED, "user-prompt-submit", "post-tool-use", "session-start")
    actions = {event: lambda event=event: started([PROGRAM, "hook", event]) for event in events}
    found = medians(
        run.rounds(25, 9), {"nothing": lambda: started([sys.executable, "-c", "pass"]), **actions}, warm_up=1
    )
    floor = (3 * found["nothing"] + 0.1) * 1e3
    for event in events:
        bar = at_most(1) if event == BARRED else None
        what = f"`thoughtbox hook {event}`, start to exit"
        yield Line(what=what, value=found[event] * 1e3, unit="ms", against=floor, against_what=FLOOR, bar=bar)
