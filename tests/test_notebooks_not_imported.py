"""Who uses no notebook pays for none: a server that starts and works imports nothing of them."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.forks import spawned
from tests.support.servers import HttpServer, Process, StdioServer, children, environment, soon

FOREIGN = ("ipykernel", "IPython", "jupyter_client", "jupyter_core", "traitlets", "zmq", "tornado")
KNOWN = {"thoughtbox.domains.notebooks", "thoughtbox.domains.notebooks.settings"}
"""What `thoughtbox config` shows is known from the start; neither of the two imports anything of the room."""

LISTING = """
import signal, sys
def listed(number, frame):
    with open({path!r} + ".new", "w", encoding="utf-8") as file:
        file.write("\\n".join(sys.modules))
    import os
    os.replace({path!r} + ".new", {path!r})
signal.signal(signal.SIGUSR2, listed)
"""
"""Has a server say what it has imported, when it is sent the signal."""


def imported(server: Process, listing: Path) -> set[str]:
    server.popen.send_signal(signal.SIGUSR2)
    soon(listing.exists)
    return set(listing.read_text(encoding="utf-8").splitlines())


def of_notebooks(modules: set[str]) -> list[str]:
    return sorted(
        name
        for name in modules - KNOWN
        if name.partition(".")[0] in FOREIGN
        or name.startswith(("thoughtbox.domains.notebooks", "thoughtbox.confinement"))
    )


@pytest.fixture
def listing(tmp_path: Path) -> Path:
    return tmp_path / "modules"


def work(server: StdioServer) -> None:
    """A few calls of other rooms."""
    server.call("start_new", sessionTitle="Without notebooks")
    server.call("cipher", brief=True)
    server.call("thought", thought="S1|O|Nobody has asked for a notebook")
    server.call("thought_plan", sessionId="s", planDescription="Go on without")
    server.call("claim", text="It is light", session="s")
    server.call("notes_commit", content="A note", title="Note")
    server.call("search", query="run code in a notebook")
    server.call("execute", code="tb.claim('from a snippet')", language="javascript", session="s")
    server.call("ledger_status")
    server.ask("tools/list", {})


def test_a_server_that_works_without_notebooks_has_imported_nothing_of_them(tmp_path: Path, listing: Path):
    server = StdioServer(environment(tmp_path / "store"), prelude=LISTING.format(path=str(listing)), start=spawned)
    try:
        server.initialize()
        at_start = of_notebooks(imported(server, listing))
        listing.unlink()
        work(server)
        later = imported(server, listing)
    finally:
        server.stop()

    assert at_start == []
    assert of_notebooks(later) == []
    assert "thoughtbox.domains.trail.operations" in later, "it has worked"


def test_it_has_started_no_process_that_makes_boxes(tmp_path: Path):
    server = StdioServer(environment(tmp_path), start=spawned)
    try:
        server.initialize()
        server.call("claim", text="It is light", session="s")
        assert children(server.pid) == []
    finally:
        server.stop()


def test_nor_has_one_over_http(tmp_path: Path, listing: Path):
    server = HttpServer(environment(tmp_path / "store"), prelude=LISTING.format(path=str(listing)), start=spawned)
    try:
        assert of_notebooks(imported(server, listing)) == []
    finally:
        server.stop()


WARMED = """
import sys
from thoughtbox.app import Thoughtbox
from thoughtbox.settings import load

with Thoughtbox(load({"THOUGHTBOX_STORAGE": "memory", "THOUGHTBOX_TOOLSET": sys.argv[1]})) as box:
    box.warm()
    box.warm_rooms(pause=0)
    print(*sys.modules)
"""


@pytest.mark.parametrize("toolset", ["default", "thoughts", "all"])
def test_what_a_server_imports_behind_its_first_answer_is_not_of_notebooks(toolset: str):
    done = subprocess.run(
        [sys.executable, "-P", "-c", WARMED, toolset], capture_output=True, text=True, check=True, env={}
    )

    assert of_notebooks(set(done.stdout.split())) == []
