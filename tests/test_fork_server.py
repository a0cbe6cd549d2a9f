"""A forked process is to a test what a spawned one is, and none outlives whoever asked for it."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.forks import PATIENCE, Start, forked, spawned
from tests.support.servers import environment

ROOT = Path(__file__).resolve().parent.parent

LOOK = """
import json, os, sys, threading
print(json.dumps({
    "words": sys.argv[1:],
    "variables": dict(os.environ),
    "directory": os.getcwd(),
    "leads its session": os.getsid(0) == os.getpid() == os.getpgid(0),
    "descriptors": sorted(int(name) for name in os.listdir("/proc/self/fd"))[:3],
    "more than three": len(os.listdir("/proc/self/fd")) > 4,  # one is the directory itself
    "threads": threading.active_count(),
    "heard": sys.stdin.readline(),
}), flush=True)
print("complaint", file=sys.stderr)
sys.exit(7)
"""

ENDING = """
import atexit, sys, threading, time
atexit.register(print, "at last")
threading.Thread(target=lambda: (time.sleep(0.2), print("a thread"))).start()
print("the end")
sys.exit(CODE)
"""

ASKER = """
import sys, time
from tests.support.forks import forked
from tests.support.servers import SERVE_STDIO
server = forked(SERVE_STDIO, {"THOUGHTBOX_STORAGE": "memory"})
print(server.pid, flush=True)
time.sleep(60)
"""


@pytest.mark.parametrize("start", [forked, spawned], ids=lambda start: start.__name__)
def test_a_process_has_what_it_was_given_and_nothing_else(start: Start, tmp_path: Path):
    script = tmp_path / "look.py"
    script.write_text(LOOK, encoding="utf-8")
    variables = {"WHO": "me", "PYTHONUTF8": "1"}

    with (tmp_path / "stderr.txt").open("w", encoding="utf-8") as stderr:
        process = start([str(script), "one", "two words"], variables, stderr)
    assert process.stdin
    assert process.stdout
    process.stdin.write(b"hello\n")
    seen = json.loads(process.stdout.readline())

    assert process.wait(PATIENCE) == process.poll() == 7
    assert (tmp_path / "stderr.txt").read_text(encoding="utf-8") == "complaint\n"
    assert {name: seen["variables"].get(name) for name in variables} == variables
    assert "HOME" not in seen["variables"]
    del seen["variables"]
    assert seen == {
        "words": ["one", "two words"],
        "directory": str(Path.cwd()),
        "leads its session": True,
        "descriptors": [0, 1, 2],
        "more than three": False,
        "threads": 1,
        "heard": "hello\n",
    }
    process.stdin.close()
    process.stdout.close()


@pytest.mark.parametrize("code", ["None", "0", "3", "-1", "'wrong'"])
@pytest.mark.parametrize("start", [forked, spawned], ids=lambda start: start.__name__)
def test_a_process_that_ends_waits_for_its_threads_and_says_all_that_it_had_to_say(
    start: Start, code: str, tmp_path: Path
):
    script = tmp_path / "ending.py"
    script.write_text(ENDING.replace("CODE", code), encoding="utf-8")

    process = start([str(script)], {}, None)
    assert process.stdin
    assert process.stdout

    with process.stdout, process.stdin:
        assert process.stdout.read() == b"the end\na thread\nat last\n"
        assert process.wait(PATIENCE) == {"None": 0, "0": 0, "3": 3, "-1": 255, "'wrong'": 1}[code]


@pytest.mark.parametrize("start", [forked, spawned], ids=lambda start: start.__name__)
def test_a_signal_ends_a_process_and_its_number_is_told(start: Start, tmp_path: Path):
    process = start(["-m", "thoughtbox", "serve", "--stdio"], environment(tmp_path), None)
    assert process.stdin
    assert process.stdout
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(0)

    process.send_signal(signal.SIGKILL)

    assert process.wait(PATIENCE) == -signal.SIGKILL
    process.stdin.close()
    process.stdout.close()


def test_what_was_forked_ends_with_whoever_asked_for_it():
    asker = subprocess.Popen([sys.executable, "-c", ASKER], cwd=ROOT, stdout=subprocess.PIPE)
    assert asker.stdout
    pid = int(asker.stdout.readline())
    ended = os.pidfd_open(pid)
    waiting = select.poll()
    waiting.register(ended, select.POLLIN)

    asker.kill()
    asker.wait()

    assert waiting.poll(PATIENCE * 1000), "it is still there"
    os.close(ended)
    asker.stdout.close()
