"""A machine that keeps nothing apart: cells are refused with what to install, and are never run openly."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.box import Box
from tests.support.forks import PATIENCE
from tests.support.notebooks import NODE, Notebook
from tests.support.thinker import Client

WITHOUT = """
import ctypes, os, sys

libc, user = ctypes.CDLL(None), os.geteuid()
if user != 0:
    libc.unshare(0x10000000)
    for name, text in (("setgroups", "deny"), ("uid_map", f"0 {user} 1")):
        open(f"/proc/self/{name}", "w").write(text)
libc.prctl(24, 21, 0, 0, 0)
os.execv(sys.argv[1], sys.argv[1:])
"""
"""Starts a program without the right to make namespaces, as in a container."""


def told(directory: Path) -> dict[str, str]:
    return {"THOUGHTBOX_DATA_DIR": str(directory), "THOUGHTBOX_NODE": NODE}


def shell(directory: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    thoughtbox = Path(sys.executable).with_name("thoughtbox")
    return subprocess.run(
        [sys.executable, "-c", WITHOUT, str(thoughtbox), *arguments],
        env={
            **os.environ,
            "THOUGHTBOX_DATA_DIR": str(directory),
            "THOUGHTBOX_NODE": NODE,
            "THOUGHTBOX_PROJECT": "tests",
        },
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )


@pytest.mark.sampled(2)
@pytest.mark.parametrize("filename", ["a.py", "a.js"])
@pytest.mark.parametrize("trusted", [False, True])
def test_without_isolation_a_run_is_refused_with_a_code_of_its_own_that_names_the_package(
    tmp_path: Path, filename: str, trusted: bool
):
    mia = Client(Box(tmp_path / "data"), stateless=True)
    notebook = Notebook(mia, trusted=trusted)
    mark = tmp_path / "ran"
    source = {"a.py": f"open({str(mark)!r}, 'w')", "a.js": f"require('fs').writeFileSync({str(mark)!r}, '')"}
    notebook.code(source[filename], filename)
    mia.box.close()

    refused = shell(tmp_path / "data", "call", "notebook.run_cell", "notebookId=latest", f"cellId={filename}")

    assert refused.returncode == 1, refused
    error = json.loads(refused.stderr)
    assert error["code"] == "ISOLATION_UNAVAILABLE"
    assert error["details"] == {"package": "bubblewrap"}
    assert "apt-get install bubblewrap" in error["recovery"]
    assert not mark.exists()
    shown = json.loads(shell(tmp_path / "data", "call", "notebook.get", "notebookId=latest").stdout)
    assert shown["notebook"]["cells"][0]["status"] == "idle"


def test_doctor_says_which_isolation_there_is_and_what_cells_are_run_by(tmp_path: Path):
    def checks(found: subprocess.CompletedProcess[str]) -> dict[str, dict[str, str]]:
        return {each["check"]: each for each in json.loads(found.stdout)["checks"]}

    environment = {**os.environ, **told(tmp_path)}
    command = [str(Path(sys.executable).with_name("thoughtbox")), "--json", "doctor"]
    here = checks(subprocess.run(command, env=environment, capture_output=True, text=True, check=False))
    assert here["isolation"]["level"] == here["node"]["level"] == here["kernel"]["level"] == "ok"
    assert "namespaces" in here["isolation"]["says"] or "bubblewrap" in here["isolation"]["says"]
    lacking = {**environment, "THOUGHTBOX_NODE": "/nowhere"}
    without = checks(subprocess.run(command, env=lacking, capture_output=True, text=True, check=False))
    assert "There is no Node" in without["node"]["says"]
    assert "THOUGHTBOX_NODE" in without["node"]["do"]
    confined = checks(shell(tmp_path, "--json", "doctor"))
    assert confined["isolation"]["level"] == "warn"
    assert "bubblewrap" in confined["isolation"]["do"]
