"""Boxes: what is seen in them, what may be used up there, and that nothing is left of them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.confined import LIMITS, finished, planned, ran
from tests.support.hostile_cells import await_nothing_left, processes_of
from tests.support.servers import soon
from thoughtbox.confinement import machine
from thoughtbox.confinement.boxes import Boxes, Unavailable
from thoughtbox.confinement.plan import ENVIRONMENT, FILES, Bind

LEAVES_DAEMONS = """
import os, signal, time
for _ in range(3):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            for number in range(1, 65):
                try: signal.signal(number, signal.SIG_IGN)
                except (OSError, ValueError): pass
            while True: time.sleep(1)
        os._exit(0)
print("left")
"""
WAITS = "import time; time.sleep(600)"

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files to others")


def test_a_program_runs_as_nobody_in_particular(boxes: Boxes, tmp_path: Path):
    done = ran(boxes, planned(tmp_path), "import os; print(os.getuid(), os.getgid(), os.getgroups(), os.getcwd())")
    assert done.printed.startswith("1000 1000 ")
    assert done.printed.endswith(f" {FILES}\n")
    assert done.code == 0


def test_what_a_program_leaves_ends_with_it(boxes: Boxes, tmp_path: Path):
    assert ran(boxes, planned(tmp_path), LEAVES_DAEMONS).printed == "left\n"
    assert processes_of(tmp_path) == []


def test_what_a_kernel_has_started_ends_with_it(boxes: Boxes, tmp_path: Path):
    box = boxes.started(planned(tmp_path))
    assert finished(box, {"run": LEAVES_DAEMONS, "files": {}}).printed == "left\n"
    soon(lambda: len(processes_of(tmp_path)) >= 5)  # it says so while its children still have theirs to start
    box.end()
    assert processes_of(tmp_path) == []


def test_a_box_that_does_not_hear_is_ended_all_the_same(boxes: Boxes, tmp_path: Path):
    box = boxes.started(planned(tmp_path), [sys.executable, "-c", WAITS])
    for line in processes_of(tmp_path):
        os.kill(int(line.partition(":")[0]), 19)
    box.end()
    await_nothing_left(tmp_path)


@pytest.mark.parametrize(
    ("limit", "source"),
    [
        ({"cpu_seconds": 1}, "while True: pass"),
        ({"cpu_seconds": 1}, "import os\nfor _ in range(3): os.fork()\nwhile True: pass"),
        ({"wall_seconds": 1}, WAITS),
        ({"memory_mb": 128}, "held = []\nwhile True: held.append(bytearray(1 << 16))"),
    ],
    ids=["cpu", "cpu of many", "wall", "memory"],
)
def test_a_program_is_ended_at_its_limit(boxes: Boxes, tmp_path: Path, limit: dict[str, int], source: str):
    done = ran(boxes, planned(tmp_path, LIMITS._replace(**limit)), source)
    name = next(iter(limit)).partition("_")[0]
    assert done.breach == name or (name == "memory" and "MemoryError" in done.printed)
    assert processes_of(tmp_path) == []


def test_children_that_nobody_waits_for_are_still_paid_for(boxes: Boxes, tmp_path: Path):
    source = """
import os, signal, time
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
while True:
    read, write = os.pipe()
    if os.fork() == 0:
        until = time.process_time() + 0.2
        while time.process_time() < until: pass
        os._exit(0)
    os.close(write)
    os.read(read, 1)  # until it has ended
    os.close(read)
"""
    assert ran(boxes, planned(tmp_path, LIMITS._replace(cpu_seconds=2)), source).breach == "cpu"


def test_files_beyond_the_limit_can_be_put_in_order(boxes: Boxes, tmp_path: Path):
    plan = planned(tmp_path)
    for number in range(15):
        file = tmp_path / "files" / f"{number}"
        file.write_bytes(bytes(4 * 1024 * 1024))
        if os.geteuid() == 0:
            os.chown(file, machine.NOBODY, machine.NOBODY)
    grows = "import time\nfor n in range(100): open(f'more-{n}', 'wb').write(bytes(1 << 20))\ntime.sleep(600)"
    assert ran(boxes, plan, grows).breach == "folder"
    tidies = "import os, time\nfor name in os.listdir('.'): os.unlink(name)\ntime.sleep(1); print('in order')"
    assert ran(boxes, plan, tidies).printed == "in order\n"


def test_output_is_cut_and_the_error_still_told(boxes: Boxes, tmp_path: Path):
    box = boxes.started(planned(tmp_path, LIMITS._replace(output_kb=1)))
    done = finished(box, {"run": "print('x' * 5000)\nraise ValueError('why')", "files": {}})
    box.end()
    assert done.is_cut
    assert done.printed.endswith("why")
    assert len(done.printed) < 1100


def test_a_link_in_the_place_of_a_folder_is_not_followed(boxes: Boxes, tmp_path: Path):
    outside = tmp_path / "outside"
    outside.mkdir()
    plan = planned(tmp_path / "box")
    (tmp_path / "box" / "files" / "node_modules").symlink_to(outside)
    swapped = Bind(str(tmp_path / "box" / "files" / "node_modules"), f"{FILES}/node_modules")
    with pytest.raises(Unavailable, match="neither a file nor a folder"):
        ran(boxes, plan._replace(binds=[*plan.binds, swapped]), "")


@as_root
def test_nothing_is_made_where_a_link_leads(tmp_path: Path):
    planned(tmp_path / "box")
    outside = tmp_path / "outside"
    outside.mkdir()
    packages = tmp_path / "box" / "env" / "lib"
    packages.rename(tmp_path / "moved")
    packages.symlink_to(outside)
    planned(tmp_path / "box")
    assert list(outside.iterdir()) == []


def test_what_is_hidden_is_hidden_however_it_is_called(boxes: Boxes, tmp_path: Path):
    inside = Path(sys.base_prefix)
    link = tmp_path / "link"
    link.symlink_to(inside / "lib")
    plan = planned(tmp_path / "box", hidden=[link])
    expected = str(inside.resolve() / "lib")
    assert [os.path.realpath(path) for path in plan.hidden] == [expected]


def test_a_trusted_box_reads_all_and_writes_nothing(boxes: Boxes, tmp_path: Path):
    outside = Path("/var/tmp") / f"thoughtbox-{os.getpid()}"
    outside.write_text("read", encoding="utf-8")
    outside.chmod(0o600)
    try:
        source = f"""
import os
print(open("{outside}").read())
for path in ("{outside}", "/var/tmp/more", "/etc/more", "/proc/sys/kernel/core_pattern"):
    try: open(path, "a").close(); print("written", path)
    except OSError as error: print("held")
print(os.path.exists("/run/user"), os.path.exists("/sys"), os.path.exists("/dev/kmsg"))
"""
        done = ran(boxes, planned(tmp_path, sees_all=True, has_network=True), source)
        assert done.printed == "read\n" + "held\n" * 4 + "False False False\n"
    finally:
        outside.unlink()


def test_packages_are_written_only_when_they_are_installed(boxes: Boxes, tmp_path: Path):
    source = f"open('{ENVIRONMENT}/new', 'w').close(); print('written')"
    assert "Read-only" in ran(boxes, planned(tmp_path), source).printed
    assert ran(boxes, planned(tmp_path, may_install=True), source).printed == "written\n"


SERVER = """
import os, sys, time
from pathlib import Path
sys.path[:0] = [{root!r}]
from tests.support.confined import PYTHON, finished, planned
from thoughtbox.confinement.boxes import Boxes
boxes = Boxes()
kernel = boxes.started(planned(Path({folder!r}) / "kernel"))
finished(kernel, {{"run": {daemons!r}, "files": {{}}}})
program = boxes.started(planned(Path({folder!r}) / "program"), [*PYTHON, "while True: pass"])
program.send({{"files": {{}}}})
{more}
print("running", flush=True)
time.sleep(600)
"""
FORKS = "pid = os.fork()\nif pid == 0: time.sleep(600)\nprint(pid, flush=True)"


@pytest.mark.parametrize("more", ["", FORKS], ids=["alone", "while a process that it has forked lives on"])
def test_nothing_is_left_when_the_server_is_killed(tmp_path: Path, more: str):
    root = str(Path(__file__).resolve().parents[2])
    source = SERVER.format(root=root, folder=str(tmp_path), daemons=LEAVES_DAEMONS, more=more)
    with subprocess.Popen(
        [sys.executable, "-c", source], stdout=subprocess.PIPE, text=True, encoding="utf-8"
    ) as server:
        assert server.stdout is not None
        try:
            said = [server.stdout.readline() for _ in range(2 if more else 1)]
            soon(lambda: len(processes_of(tmp_path)) >= 7)
        finally:
            server.kill()
    await_nothing_left(tmp_path)
    if more:
        os.kill(int(said[0]), 9)
    assert said[-1] == "running\n"
