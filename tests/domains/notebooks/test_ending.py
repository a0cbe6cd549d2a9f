"""Runs that are ended from outside: time-outs, limits, interrupts, cancelled calls, killed servers."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from concurrent.futures import CancelledError
from pathlib import Path
from typing import Any

import pytest

from tests.domains.notebooks.conftest import OpenClient
from tests.support.box import WORKSPACE, Box
from tests.support.notebooks import NODE, WAITS, Notebook
from tests.support.servers import soon
from tests.support.thinker import Client
from thoughtbox.domains.notebooks.running.kernels import Kernels
from thoughtbox.domains.notebooks.running.owners import is_alive, this_process
from thoughtbox.domains.notebooks.running.queues import lines_of

FOREVER = {
    "a.py": "import time\nprint('begun', flush=True)\ntime.sleep(1000)",
    "a.js": "console.log('begun'); setTimeout(() => {}, 1e6);",
}
WALL = {"THOUGHTBOX_NOTEBOOK_WALL_SECONDS": "5"}
"""Enough for what has to come before a cell takes too long."""


def started(notebook: Notebook, filename: str, source: str) -> Any:
    """A run that has begun, as a future."""
    notebook.code(source, filename)
    running = notebook.client.submit("notebook.run_cell", notebookId=notebook.id, cellId=filename)
    soon(lambda: notebook.call("get_cell", cellId=filename)["cell"]["status"] == "running")
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


@pytest.mark.one_engine
@pytest.mark.parametrize("filename", FOREVER)
def test_a_cell_that_takes_too_long_fails_as_a_timeout_with_what_it_had_shown(open_client: OpenClient, filename: str):
    notebook = Notebook(open_client(**WALL))

    run = notebook.ran(FOREVER[filename], filename)

    assert run["status"] == "failed"
    assert run["error"].startswith("timeout: the cell took longer than 5 s (THOUGHTBOX_NOTEBOOK_WALL_SECONDS)")
    assert run["output"] == "begun\n"
    assert notebook.call("history")["events"][0]["outcome"] == "timeout"


@pytest.mark.one_engine
def test_after_a_timeout_a_kernels_state_is_gone_and_the_answer_says_so(open_client: OpenClient):
    notebook = Notebook(open_client(**WALL))
    notebook.ran("x = 1", "x.py")
    run = notebook.ran(FOREVER["a.py"], "forever.py")
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


@pytest.mark.one_engine
@pytest.mark.parametrize(("filename", "source"), [("a.py", SPINNING), ("a.js", "while (true);")])
def test_a_cell_that_computes_too_long_is_ended_for_that(open_client: OpenClient, filename: str, source: str):
    notebook = Notebook(open_client(THOUGHTBOX_NOTEBOOK_CPU_SECONDS="1", THOUGHTBOX_NOTEBOOK_WALL_SECONDS="600"))

    run = notebook.ran(source, filename)

    assert run["error"].startswith("timeout: the cell computed for longer than 1 s (THOUGHTBOX_NOTEBOOK_CPU_SECONDS)")


@pytest.mark.one_engine
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


@pytest.mark.one_engine
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


@pytest.mark.one_engine
def test_an_interrupt_ends_the_run_with_all_that_it_started(mia: Client, notebook: Notebook):
    mark = f"mark{os.getpid()}{time.monotonic_ns()}"
    source = (
        "import subprocess, sys, time\n"
        f"subprocess.Popen(['sh', '-c', 'sleep 1000; :', '{mark}'], start_new_session=True)\n"
        f"subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(1000)', '{mark}'], start_new_session=True)\n"
        "print('begun', flush=True)\ntime.sleep(1000)"
    )
    running = started(notebook, "a.py", source)
    soon(lambda: marked(mark))

    answer = notebook.call("interrupt")

    run = running.result()
    assert answer == {"success": True, "notebookId": notebook.id, "interrupted": True, "runId": run["runId"]}
    assert run["status"] == "failed"
    assert run["error"].startswith("interrupted: ")
    assert "what cells have defined is gone" in run["error"]
    assert not marked(mark)
    assert notebook.call("interrupt")["interrupted"] is False
    assert mia.call("notebook.get", notebookId=notebook.id)["notebook"]["cells"][0]["status"] == "failed"


@pytest.mark.one_engine
def test_what_a_cell_in_python_started_goes_on_until_its_kernel_ends_and_in_javascript_ends_with_it(
    mia: Client, notebook: Notebook
):
    mark = f"mark{os.getpid()}{time.monotonic_ns()}"
    child = f"subprocess.Popen(['python3', '-c', 'import time; time.sleep(1000)', '{mark}'], start_new_session=True)"
    notebook.ran(f"import subprocess\n{child}\nNone", "a.py")
    soon(lambda: marked(mark))
    notebook.ran("1", "b.py")
    assert marked(mark)
    notebook.call("delete")
    assert not marked(mark)

    other = Notebook(mia)
    spawn = f"spawn('sh', ['-c', 'sleep 1000; :', '{mark}js'], {{detached: true, stdio: 'ignore'}}).unref();"
    wait = f"{WAITS['js']} wait(() => console.log('seen'));"
    running = mia.submit(
        "notebook.run_cell",
        notebookId=other.id,
        cellId=other.code(f"const {{spawn}} = require('child_process'); {spawn} {wait}", "a.cjs"),
    )
    soon(lambda: marked(f"{mark}js"))
    other.let_go()
    assert running.result()["output"] == "seen\n"
    assert not marked(f"{mark}js")


@pytest.mark.one_engine
def test_a_cancelled_call_ends_its_run_as_an_interrupted_one(notebook: Notebook):
    notebook.code("console.log('begun'); while (true);", "a.js")
    submitted = notebook.client.box.submit("notebook.run_cell", {"notebookId": notebook.id, "cellId": "a.js"})
    soon(lambda: notebook.cells()[0]["status"] == "running")

    submitted.cancel()

    with pytest.raises(CancelledError):
        submitted.result()
    soon(lambda: notebook.cells()[0]["status"] == "failed")
    assert notebook.call("history")["events"][0]["outcome"] == "interrupted"
    assert notebook.ran("console.log(1)", "b.js")["output"] == "1\n"


def test_runs_of_a_notebook_wait_for_each_other_and_everything_else_goes_on(mia: Client, notebook: Notebook):
    notebook.code(f"{WAITS['py']}order = ['slow']", "slow.py")
    notebook.code("order.append('second')", "second.py")
    notebook.code("order.append('third'); order", "third.py")
    named = [{"notebookId": notebook.id, "cellId": name} for name in ("slow.py", "second.py", "third.py")]
    runs = [mia.box.submit("notebook.run_cell", dict(given)) for given in named]
    soon(lambda: notebook.cells()[0]["status"] == "running")

    other = Notebook(mia)
    assert other.ran("console.log('meanwhile')", "a.js")["output"] == "meanwhile\n"
    edited = notebook.call("update_cell", cellId="third.py", content="order + ['edited']")
    assert edited["cell"]["status"] == "idle"
    assert not runs[0].done()
    notebook.let_go()

    assert [run.result()["status"] for run in runs] == ["completed"] * 3
    assert runs[2].result()["output"] == "['slow', 'second', 'edited']\n"


def test_runs_that_name_the_notebook_by_id_or_as_the_latest_are_done_in_the_order_sent(mia: Client):
    notebook = Notebook(mia, language="python")
    notebook.code(f"{WAITS['py']}order = []", "slow.py")
    for number in range(6):
        notebook.code(f"order.append({number}); order", f"{number}.py")
    named = [("latest", "slow.py"), *(("latest" if number % 2 else notebook.id, f"{number}.py") for number in range(6))]

    runs = [mia.box.submit("notebook.run_cell", {"notebookId": name, "cellId": cell}) for name, cell in named]
    notebook.let_go()

    assert [run.result()["status"] for run in runs] == ["completed"] * 7
    assert runs[-1].result()["output"] == "[0, 1, 2, 3, 4, 5]\n"


def test_packages_are_there_for_a_run_that_was_sent_behind_them(mia: Client):
    notebook = Notebook(mia)
    notebook.call("add_cell", type="package.json", content="{}")
    notebook.code("console.log(require('fs').existsSync('package-lock.json'))", "a.cjs")

    installed = mia.box.submit("notebook.install_deps", {"notebookId": "latest"})
    ran = mia.box.submit("notebook.run_cell", {"notebookId": notebook.id, "cellId": "a.cjs"})

    assert ran.result()["output"] == "true\n"
    assert installed.done()


@pytest.mark.parametrize("named", ["latest", "by its id"])
def test_an_interrupt_ends_a_run_that_was_sent_just_before_it(mia: Client, named: str):
    notebook = Notebook(mia)
    notebook.code("while (true);", "a.js")
    notebook_id = "latest" if named == "latest" else notebook.id

    running = mia.box.submit("notebook.run_cell", {"notebookId": notebook_id, "cellId": "a.js"})
    answer = mia.box.submit("notebook.interrupt", {"notebookId": notebook_id}).result()

    assert running.result()["error"].startswith("interrupted: ")
    assert answer["interrupted"] is True
    assert answer["runId"] == running.result()["runId"]


def test_an_interrupt_ends_an_installation_and_a_notebook_that_is_deleted_leaves_no_files(
    mia: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    with socket.create_server(("127.0.0.1", 0)) as silent:  # whoever asks there waits for ever
        monkeypatch.setenv("npm_config_registry", f"http://127.0.0.1:{silent.getsockname()[1]}/")
        for ending in ("interrupt", "delete"):
            notebook = Notebook(mia)
            installing = mia.box.submit("notebook.install_deps", {"notebookId": notebook.id, "packages": ["a"]})
            with silent.accept()[0]:
                answer = notebook.call(ending)

            assert installing.result()["error"] == "the installation was ended (interrupted)"
            if ending == "interrupt":
                assert answer == {"success": True, "notebookId": notebook.id, "interrupted": True}
            else:
                assert not list(tmp_path.glob(f"*/notebooks/{WORKSPACE}/{notebook.id}*"))


@pytest.mark.sampled(2)
@pytest.mark.parametrize("filename", ["a.py", "a.js"])
@pytest.mark.parametrize("how", ["interrupted", "cancelled"])
def test_a_replay_that_is_ended_comes_to_no_verdict_and_leaves_nothing(
    mia: Client, notebook: Notebook, tmp_path: Path, filename: str, how: str
):
    notebook.ran({"a.py": "1", "a.js": "1;"}[filename], filename)
    notebook.call("update_cell", cellId=filename, content=FOREVER[filename])
    notebook.code("1", "b.py")
    replaying = mia.box.submit("notebook.replay", {"notebookId": notebook.id})
    soon(lambda: list(tmp_path.glob(f"*/notebooks/{WORKSPACE}/{notebook.id}.*/files/{filename}")))

    if how == "interrupted":
        assert notebook.call("interrupt")["interrupted"] is True
        assert "there is no verdict" in str(replaying.exception())
    else:
        replaying.cancel()

    soon(lambda: not list(tmp_path.glob(f"*/notebooks/{WORKSPACE}/{notebook.id}.*")))
    soon(lambda: not mia.box.app.lasting.of(Kernels).queues.first_of(lines_of(WORKSPACE, notebook.id)))
    assert "replayed" not in [event["what"] for event in notebook.call("history")["events"]]


def test_a_replay_waits_for_the_runs_that_were_sent_before_it(mia: Client, tmp_path: Path):
    notebook = Notebook(mia, language="python")
    notebook.code(f"{WAITS['py']}6 * 7", "a.py")

    mia.box.submit("notebook.run_cell", {"notebookId": "latest", "cellId": "a.py"})
    replaying = mia.box.submit("notebook.replay", {"notebookId": "latest"})

    soon(lambda: notebook.cells()[0]["status"] == "running")
    notebook.let_go()
    [fresh] = soon(lambda: list(tmp_path.glob(f"*/notebooks/{WORKSPACE}/{notebook.id}.*/files")))
    assert notebook.cells()[0]["status"] == "completed"
    (fresh / "go").touch()
    verdict = replaying.result()
    assert verdict["same"] is True, verdict


def test_the_fresh_folder_of_a_replay_whose_server_was_killed_goes_with_the_next_one(
    notebook: Notebook, tmp_path: Path
):
    notebook.ran("6 * 7", "a.py")
    [own] = tmp_path.glob(f"*/notebooks/{WORKSPACE}/{notebook.id}")
    left = own.with_name(f"{own.name}.0123456789ab")
    (left / "files").mkdir(parents=True)
    (left / "lock").touch()

    assert notebook.call("replay")["same"] is True

    assert not left.exists()


def test_an_interrupt_from_another_server_reaches_the_run(open_client: OpenClient):
    mia, bob = open_client(), open_client()
    notebook = Notebook(mia)
    running = started(notebook, "a.js", "while (true);")

    answer = bob.call("notebook.interrupt", notebookId=notebook.id)

    assert answer["interrupted"] is True
    assert running.result()["error"].startswith("interrupted: ")


def test_servers_take_turns_in_a_notebook_and_run_what_a_cell_says_by_then(open_client: OpenClient):
    mia, bob = open_client(), open_client()
    notebook = Notebook(mia)
    running = started(notebook, "a.js", f"{WAITS['js']} wait(() => {{}});")
    notebook.code("console.log('early')", "b.js")
    waiting = bob.box.submit("notebook.run_cell", {"notebookId": notebook.id, "cellId": "b.js"})
    ended = bob.box.submit("notebook.run_cell", {"notebookId": notebook.id, "cellId": "b.js"})

    notebook.call("update_cell", cellId="b.js", content="console.log('late')")
    notebook.let_go()

    assert waiting.result()["output"] == "late\n"
    assert running.result()["status"] == "completed"
    assert ended.result()["output"] == "late\n"


def test_what_waits_for_another_server_can_be_interrupted(open_client: OpenClient):
    mia, bob = open_client(), open_client()
    notebook = Notebook(mia)
    running = started(notebook, "a.js", FOREVER["a.js"])
    waiting = bob.submit("notebook.run_cell", notebookId=notebook.id, cellId="a.js")
    soon(lambda: bob.box.app.lasting.of(Kernels).queues.first_of(lines_of(WORKSPACE, notebook.id)))

    assert bob.call("notebook.interrupt", notebookId=notebook.id)["interrupted"] is True

    assert "while another server had the notebook" in str(waiting.exception())
    assert running.result()["error"].startswith("interrupted: ")


def test_a_run_of_a_living_server_is_left_alone_by_others(open_client: OpenClient):
    mia = open_client()
    notebook = Notebook(mia)
    running = started(notebook, "a.py", f"{WAITS['py']}'done'")

    bob = open_client()
    assert bob.call("notebook.get", notebookId=notebook.id)["notebook"]["cells"][0]["status"] == "running"
    notebook.let_go()
    assert running.result()["output"] == "'done'\n"


ANOTHER = """
import sys
from pathlib import Path
from tests.support.box import Box
box = Box(Path(sys.argv[1]))
box.call("notebook.create", {"name": "another"})
print(box.call("notebook.get_cell", {"notebookId": sys.argv[2], "cellId": "a.py"})["cell"]["status"])
box.close()
"""


def test_a_run_is_left_alone_by_a_server_that_starts_and_ends_beside_it_in_a_process_of_its_own(tmp_path: Path):
    mia = Client(Box(tmp_path), stateless=True)
    notebook = Notebook(mia)
    running = started(notebook, "a.py", f"{WAITS['py']}'done'")

    beside = [sys.executable, "-c", ANOTHER, str(tmp_path), notebook.id]
    said = subprocess.run(beside, capture_output=True, check=True, encoding="utf-8").stdout

    assert said == "running\n"
    notebook.let_go()
    assert running.result()["output"] == "'done'\n"
    mia.box.close()


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
    soon(lambda: marked(mark))
    soon(lambda: notebook.cells()[0]["status"] == "running")
    killed.kill()
    killed.wait()
    mia.box.close()

    soon(lambda: not marked(mark))
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
    soon(lambda: notebook.cells()[0]["status"] == "running")

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


@pytest.mark.one_engine
def test_a_kernel_that_dies_is_an_answer_and_the_next_cell_has_a_new_one(mia: Client, notebook: Notebook):
    run = notebook.ran("import os; os._exit(3)", "a.py")
    assert run["status"] == "failed"
    assert "the kernel has died" in run["error"]
    assert notebook.ran("6 * 7", "b.py")["output"] == "42\n"
    assert mia.box.app.lasting.of(Kernels)


@pytest.mark.one_engine
def test_how_far_a_run_has_come_is_told_while_it_runs(notebook: Notebook):
    running = started(notebook, "a.py", f"print('tick 0', flush=True)\n{WAITS['py']}print('tick 1')")
    client = notebook.client

    def told() -> list[Any]:
        records = client.call("ledger_tail", after=0, limit=500)["records"]
        return [record for record in records if record["data"]["topic"] == "notebook.told"]

    first = soon(told)[0]
    assert first["body"]["text"].startswith("tick 0\n")
    notebook.let_go()
    assert running.result()["output"] == "tick 0\ntick 1\n"


@pytest.mark.one_engine
def test_progress_carries_the_output_as_it_comes(notebook: Notebook):
    ticks = "for number in range(3):\n  print('tick', number, flush=True)\n  go(number)"
    wait = "import os, time\ndef go(number):\n  while not os.path.exists(f'go-{number}'): time.sleep(0.01)"
    notebook.code(f"{wait}\n{ticks}", "a.py")
    heard: list[tuple[int, int, str | None]] = []

    def progress(done: int, total: int, said: str | None = None) -> None:
        heard.append((done, total, said))
        notebook.let_go(f"go-{(said or '')[-2:-1]}")

    given = {"notebookId": notebook.id, "cellId": "a.py"}
    notebook.client.box.submit("notebook.run_cell", given, progress=progress).result()

    assert [said for _, _, said in heard] == ["tick 0\n", "tick 1\n", "tick 2\n"]
    assert [done for done, _, _ in heard] == sorted(done for done, _, _ in heard)
