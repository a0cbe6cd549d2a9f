"""Runs that are ended from outside: time-outs, limits, interrupts, cancelled calls, killed servers."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import CancelledError
from pathlib import Path
from typing import Any

import pytest

from tests.domains.notebooks.conftest import OpenClient
from tests.support.notebooks import NODE, Notebook
from tests.support.thinker import Client
from thoughtbox.domains.notebooks.running.kernels import Kernels
from thoughtbox.domains.notebooks.running.owners import is_alive, this_process

FOREVER = {"a.py": "print('begun', flush=True)\nwhile True: pass", "a.js": "console.log('begun'); while (true);"}


def until(condition: Callable[[], Any]) -> Any:
    deadline = time.monotonic() + 20
    while not (found := condition()):
        assert time.monotonic() < deadline, "it never came to that"
        time.sleep(0.01)
    return found


def started(notebook: Notebook, filename: str, source: str) -> Any:
    """A run that has begun, as a future."""
    notebook.code(source, filename)
    running = notebook.client.submit("notebook.run_cell", notebookId=notebook.id, cellId=filename)
    until(lambda: notebook.call("get_cell", cellId=filename)["cell"]["status"] == "running")
    return running


def marked(mark: str) -> list[str]:
    """Processes of this machine that have a mark among their arguments."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            line = path.read_bytes().decode("utf-8", "replace")
        except OSError:
            continue
        found += [line] if mark in line else []
    return found


@pytest.mark.parametrize("filename", FOREVER)
def test_a_cell_that_takes_too_long_fails_as_a_timeout_with_what_it_had_shown(open_client: OpenClient, filename: str):
    notebook = Notebook(open_client(THOUGHTBOX_NOTEBOOK_WALL_SECONDS="1"))

    run = notebook.ran(FOREVER[filename], filename)

    assert run["status"] == "failed"
    assert run["error"].startswith("timeout: the cell took longer than 1 s (THOUGHTBOX_NOTEBOOK_WALL_SECONDS)")
    assert run["output"] == "begun\n"
    assert notebook.call("history")["events"][0]["outcome"] == "timeout"


def test_after_a_timeout_a_kernels_state_is_gone_and_the_answer_says_so(open_client: OpenClient):
    notebook = Notebook(open_client(THOUGHTBOX_NOTEBOOK_WALL_SECONDS="1"))
    notebook.ran("x = 1", "x.py")
    run = notebook.ran("while True: pass", "loop.py")
    assert "what cells have defined is gone" in run["error"]
    assert run["exitCode"] == 1

    after = notebook.ran("x", "after.py")

    assert "NameError" in after["error"]
    assert "The kernel is new" in after["note"]
    assert notebook.run("x.py")["status"] == "completed"
    assert notebook.run("after.py")["note"] is None


SPINNING = """import threading
for _ in range(2):
    threading.Thread(target=lambda: [0 for _ in iter(int, 1)]).start()
while True: pass
"""


@pytest.mark.parametrize(("filename", "source"), [("a.py", SPINNING), ("a.js", "while (true);")])
def test_a_cell_that_computes_too_long_is_ended_for_that(open_client: OpenClient, filename: str, source: str):
    notebook = Notebook(open_client(THOUGHTBOX_NOTEBOOK_CPU_SECONDS="1", THOUGHTBOX_NOTEBOOK_WALL_SECONDS="20"))

    run = notebook.ran(source, filename)

    assert run["error"].startswith("timeout: the cell computed for longer than 1 s (THOUGHTBOX_NOTEBOOK_CPU_SECONDS)")


@pytest.mark.parametrize(
    ("filename", "source"),
    [
        ("a.py", "x = bytearray(400 << 20)"),
        ("a.js", "const all = []; while (true) all.push(new Array(1e5).fill(Math.random()));"),
        ("b.js", "const all = []; while (true) all.push(Buffer.alloc(16 << 20, 1));"),
    ],
)
def test_a_cell_that_needs_too_much_memory_fails(open_client: OpenClient, filename: str, source: str):
    notebook = Notebook(open_client(THOUGHTBOX_NOTEBOOK_MEMORY_MB="256"))

    run = notebook.ran(source, filename)

    assert run["status"] == "failed"
    assert any(word in run["error"].lower() for word in ("memory", "allocat")), run["error"]
    assert notebook.ran("console.log(1)", "next.js")["output"] == "1\n"


def test_output_beyond_its_limit_is_not_kept_and_the_answer_says_so(open_client: OpenClient):
    notebook = Notebook(open_client(THOUGHTBOX_NOTEBOOK_OUTPUT_KB="64"))
    for filename, source in (
        ("a.py", "for _ in range(3000): print('x' * 99)"),
        ("a.js", "for (let i = 0; i < 3000; i++) console.log('x'.repeat(99));"),
    ):
        run = notebook.ran(source, filename)
        assert run["status"] == "completed"
        assert run["truncated"] is True
        assert 60_000 <= run["outputs"][0]["size"] <= 65_536


def test_an_interrupt_ends_the_run_with_all_that_it_started(mia: Client, notebook: Notebook):
    mark = f"mark{os.getpid()}{time.monotonic_ns()}"
    source = (
        "import subprocess, sys, time\n"
        f"subprocess.Popen(['sh', '-c', 'sleep 1000; :', '{mark}'], start_new_session=True)\n"
        f"subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(1000)', '{mark}'], start_new_session=True)\n"
        "print('begun', flush=True)\ntime.sleep(1000)"
    )
    running = started(notebook, "a.py", source)
    until(lambda: marked(mark))

    answer = notebook.call("interrupt")

    run = running.result()
    assert answer == {"success": True, "notebookId": notebook.id, "interrupted": True, "runId": run["runId"]}
    assert run["status"] == "failed"
    assert run["error"].startswith("interrupted: ")
    assert "what cells have defined is gone" in run["error"]
    assert not marked(mark)
    assert notebook.call("interrupt")["interrupted"] is False
    assert mia.call("notebook.get", notebookId=notebook.id)["notebook"]["cells"][0]["status"] == "failed"


def test_what_a_cell_in_python_started_goes_on_until_its_kernel_ends_and_in_javascript_ends_with_it(
    mia: Client, notebook: Notebook
):
    mark = f"mark{os.getpid()}{time.monotonic_ns()}"
    child = f"subprocess.Popen(['python3', '-c', 'import time; time.sleep(1000)', '{mark}'], start_new_session=True)"
    notebook.ran(f"import subprocess\n{child}\nNone", "a.py")
    until(lambda: marked(mark))
    notebook.ran("1", "b.py")
    assert marked(mark)
    notebook.call("delete")
    assert not marked(mark)

    other = Notebook(mia)
    spawn = f"spawn('sh', ['-c', 'sleep 1000; :', '{mark}js'], {{detached: true, stdio: 'ignore'}}).unref();"
    wait = "setTimeout(() => console.log('seen'), 300);"
    running = mia.submit(
        "notebook.run_cell",
        notebookId=other.id,
        cellId=other.code(f"const {{spawn}} = require('child_process'); {spawn} {wait}", "a.cjs"),
    )
    until(lambda: marked(f"{mark}js"))
    assert running.result()["output"] == "seen\n"
    assert not marked(f"{mark}js")


def test_a_cancelled_call_ends_its_run_as_an_interrupted_one(notebook: Notebook):
    notebook.code("console.log('begun'); while (true);", "a.js")
    submitted = notebook.client.box.submit("notebook.run_cell", {"notebookId": notebook.id, "cellId": "a.js"})
    until(lambda: notebook.cells()[0]["status"] == "running")

    submitted.cancel()

    with pytest.raises(CancelledError):
        submitted.result()
    until(lambda: notebook.cells()[0]["status"] == "failed")
    assert notebook.call("history")["events"][0]["outcome"] == "interrupted"
    assert notebook.ran("console.log(1)", "b.js")["output"] == "1\n"


def test_runs_of_a_notebook_wait_for_each_other_and_everything_else_goes_on(mia: Client, notebook: Notebook):
    notebook.code("import time\ntime.sleep(1)\norder = ['slow']", "slow.py")
    notebook.code("order.append('second')", "second.py")
    notebook.code("order.append('third'); order", "third.py")
    named = [{"notebookId": notebook.id, "cellId": name} for name in ("slow.py", "second.py", "third.py")]
    runs = [mia.box.submit("notebook.run_cell", dict(given)) for given in named]
    until(lambda: notebook.cells()[0]["status"] == "running")

    other = Notebook(mia)
    assert other.ran("console.log('meanwhile')", "a.js")["output"] == "meanwhile\n"
    edited = notebook.call("update_cell", cellId="third.py", content="order + ['edited']")
    assert edited["cell"]["status"] == "idle"
    assert not runs[0].done()

    assert [run.result()["status"] for run in runs] == ["completed"] * 3
    assert runs[2].result()["output"] == "['slow', 'second', 'edited']\n"


def test_an_interrupt_from_another_server_reaches_the_run(open_client: OpenClient):
    mia, bob = open_client(), open_client()
    notebook = Notebook(mia)
    running = started(notebook, "a.js", "while (true);")

    answer = bob.call("notebook.interrupt", notebookId=notebook.id)

    assert answer["interrupted"] is True
    assert running.result()["error"].startswith("interrupted: ")


def test_a_run_of_a_living_server_is_left_alone_by_others(open_client: OpenClient):
    mia = open_client()
    notebook = Notebook(mia)
    running = started(notebook, "a.py", "import time\ntime.sleep(1.5)\n'done'")

    bob = open_client()
    assert bob.call("notebook.get", notebookId=notebook.id)["notebook"]["cells"][0]["status"] == "running"
    assert running.result()["output"] == "'done'\n"


KILLED = """
import sys
from pathlib import Path
from tests.support.box import Box
box = Box(Path(sys.argv[1]), THOUGHTBOX_NODE=sys.argv[2])
box.submit("notebook.run_cell", {"notebookId": sys.argv[3], "cellId": sys.argv[4]}).result()
"""


@pytest.mark.parametrize("filename", ["a.py", "a.js"])
def test_a_run_whose_server_was_killed_is_interrupted_at_the_next_start_and_nothing_is_left_running(
    tmp_path: Path, filename: str
):
    from tests.support.box import Box

    mark = f"mark{os.getpid()}{time.monotonic_ns()}"
    mia = Client(Box(tmp_path, THOUGHTBOX_NODE=NODE), stateless=True)
    notebook = Notebook(mia)
    in_python = (
        "import subprocess, time\n"
        f"subprocess.Popen(['python3', '-c', 'import time; time.sleep(1000)', '{mark}'], start_new_session=True)\n"
        "print('so far', flush=True)\ntime.sleep(1000)"
    )
    in_javascript = (
        f"require('child_process').spawn('sh', ['-c', 'sleep 1000; :', '{mark}'], {{detached: true}});"
        "console.log('so far'); setTimeout(() => {}, 1e6);"
    )
    notebook.code(in_python if filename == "a.py" else in_javascript, filename)
    killed = subprocess.Popen([sys.executable, "-c", KILLED, str(tmp_path), NODE, notebook.id, filename])
    until(lambda: marked(mark))
    until(lambda: notebook.cells()[0]["status"] == "running")
    killed.kill()
    killed.wait()
    mia.box.close()

    until(lambda: not marked(mark))
    again = Client(Box(tmp_path, THOUGHTBOX_NODE=NODE), stateless=True)
    shown = again.call("notebook.get", notebookId=notebook.id)["notebook"]["cells"][0]
    events = again.call("notebook.history", notebookId=notebook.id)["events"]
    again.box.close()

    assert (shown["status"], shown["error"]) == ("failed", "interrupted: the server that ran the cell has ended")
    assert (events[0]["what"], events[0]["outcome"]) == ("run ended", "interrupted")


def test_a_server_that_ends_says_how_its_runs_have_ended(open_client: OpenClient):
    mia = open_client()
    notebook = Notebook(mia)
    notebook.code("while (true);", "a.js")
    mia.box.submit("notebook.run_cell", {"notebookId": notebook.id, "cellId": "a.js"})
    until(lambda: notebook.cells()[0]["status"] == "running")

    mia.box.close()

    again = open_client()
    shown = again.call("notebook.get", notebookId=notebook.id)["notebook"]["cells"][0]
    assert shown["status"] == "failed"
    assert shown["error"].startswith("interrupted: the run was ended")


def test_a_process_is_known_by_more_than_its_number():
    own = this_process()
    assert is_alive(own)
    place, number, _ = own.rsplit("/", 2)
    assert not is_alive(f"{place}/{number}/1")
    assert not is_alive(f"{place}/4194999/17")


def test_a_kernel_that_dies_is_an_answer_and_the_next_cell_has_a_new_one(mia: Client, notebook: Notebook):
    run = notebook.ran("import os; os._exit(3)", "a.py")
    assert run["status"] == "failed"
    assert "the kernel has died" in run["error"]
    assert notebook.ran("6 * 7", "b.py")["output"] == "42\n"
    assert mia.box.app.lasting.of(Kernels)


def test_how_far_a_run_has_come_is_told_while_it_runs(notebook: Notebook):
    running = started(
        notebook, "a.py", "import time\nfor i in range(4):\n  print('tick', i, flush=True)\n  time.sleep(0.7)"
    )
    client = notebook.client

    def told() -> list[Any]:
        records = client.call("ledger_tail", after=0, limit=500)["records"]
        return [record for record in records if record["data"]["topic"] == "notebook.told"]

    first = until(told)[0]
    assert first["body"]["text"].startswith("tick 0\n")
    assert running.result()["output"] == "tick 0\ntick 1\ntick 2\ntick 3\n"


def test_progress_carries_the_output_as_it_comes(notebook: Notebook):
    notebook.code("import time\nfor i in range(3):\n  print('tick', i, flush=True)\n  time.sleep(0.3)", "a.py")
    heard: list[tuple[int, int, str | None]] = []

    def progress(done: int, total: int, said: str | None = None) -> None:
        heard.append((done, total, said))

    given = {"notebookId": notebook.id, "cellId": "a.py"}
    notebook.client.box.submit("notebook.run_cell", given, progress=progress).result()

    assert "".join(said or "" for _, _, said in heard).startswith("tick 0\ntick 1\n")
    assert len(heard) >= 2
    assert [done for done, _, _ in heard] == sorted(done for done, _, _ in heard)
