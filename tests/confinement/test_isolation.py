"""Which isolation there is, for whom: root, a user, and one who has nothing but bubblewrap."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.other_user import folder_of_user, run_as_user
from thoughtbox.confinement.isolation import Isolation, isolation

ATTACKED = """
import json
from pathlib import Path
from tests.support.hostile_cells import HARMLESS, attacked, corpus
from thoughtbox.confinement.isolation import isolation
with attacked(Path({folder!r})) as server:
    held = 0
    for language in ("python", "javascript"):
        notebook = server.notebook(language)
        for cell in corpus(language):
            if cell.status != "completed" or cell.ends_kernel:
                continue
            if held % 10 == 0:
                notebook = server.notebook(language)
            server.judge(cell, server.run(notebook, language, server.put_in(cell.source)))
            server.must_be_untouched()
            held += 1
        assert server.run(notebook, language, HARMLESS[language])["output"] == "42\\n"
print(json.dumps([isolation(), held]))
"""
ELSEWHERE = """
import sys
sys.platform = "darwin"
for name in ("fcntl", "resource", "ctypes"):
    sys.modules[name] = None
from thoughtbox.confinement import box, boxes, machine, plan, removal
from thoughtbox.confinement.isolation import isolation
print(isolation())
try:
    boxes.Boxes().open(None, ["anything"])
except boxes.Unavailable as why:
    print(why)
"""
FEWEST = 60


def test_this_machine_has_an_isolation():
    assert isolation().way is not None
    assert isolation() is isolation()


@pytest.mark.sampled(2)
@pytest.mark.parametrize("way", ["namespaces", "bubblewrap"])
def test_a_user_without_rights_is_as_safe(way: str):
    if way == "bubblewrap" and shutil.which("bwrap") is None:
        pytest.skip("bubblewrap is not installed")
    with folder_of_user() as folder:
        done = run_as_user(ATTACKED.format(folder=str(folder)), folder, may_unshare=way == "namespaces")
    assert done.returncode == 0, done.stderr[-3000:]
    found, held = json.loads(done.stdout)
    assert Isolation(*found).way == way
    assert held >= FEWEST


def test_where_nothing_can_be_made_the_reason_is_told():
    asked = "from thoughtbox.confinement.isolation import isolation; print(isolation())"
    asked = f"import os; os.environ['PATH'] = '/nowhere'; {asked}"
    with folder_of_user() as folder:
        done = run_as_user(asked, folder, may_unshare=False)
    assert "way=None" in done.stdout, done.stderr
    assert "unshare" in done.stdout


def test_elsewhere_nothing_is_run_and_nothing_fails_to_load():
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run(
        [sys.executable, "-c", ELSEWHERE], cwd=root, capture_output=True, text=True, encoding="utf-8", check=False
    )
    assert "Isolation(way=None" in done.stdout, done.stderr
    assert done.stdout.count("darwin has no namespaces") == 2
