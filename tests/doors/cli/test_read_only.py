"""Stores that nobody may write to: on a medium mounted for reading, in another's directory, or made immutable."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.doors.cli.conftest import COMMAND, Cli, Ran
from tests.support.forks import run_forked

pytestmark = pytest.mark.sampled(2)

PutAway = Callable[[], "Medium"]


POWERLESS = ["setpriv", "--bounding-set", "-dac_override,-dac_read_search"]
"""Whom file modes bind: root without the right to pass them over."""


class Medium:
    """A directory that cannot be written to, and a user who looks at it."""

    def __init__(self, directory: Path, *, by: Sequence[str] = ()) -> None:
        self.directory = directory
        self._by = by

    def __call__(self, *words: object) -> Ran:
        told = {**os.environ, "THOUGHTBOX_DATA_DIR": str(self.directory)}
        if self._by:
            command = [*self._by, *COMMAND, *map(str, words)]
            done = subprocess.run(command, capture_output=True, env=told, check=False)
        else:
            done = run_forked(["-m", "thoughtbox", *map(str, words)], told)
        return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())


def fill(cli: Cli) -> None:
    cli("call", "start_new", "sessionTitle=Slow pages")
    cli.think(3)
    cli("checkpoint")
    cli.think(2)


def leave_the_log(cli: Cli) -> None:
    """End as a process that is killed does: what it wrote is in the log only, and its lock files are left."""
    program = (
        "import os, sys\n"
        "from thoughtbox.doors.cli.store import opened\n"
        "from thoughtbox.operations.dispatch import Call\n"
        "from thoughtbox.settings import load\n"
        "opening = opened(load(None))\n"
        "box = opening.__enter__()\n"
        "for number in range(2):\n"
        "    arguments = {'sessionId': 's1', 'planDescription': f'In the log {number}.'}\n"
        "    box.dispatcher.call(Call(operation='thought_plan', workspace='_default', arguments=arguments))\n"
        "os._exit(0)\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
    (cli.directory / "thoughtbox.db-shm").unlink(missing_ok=True)
    assert (cli.directory / "thoughtbox.db-wal").stat().st_size > 0


@contextmanager
def mounted(directory: Path) -> Generator[Medium]:
    """A medium that is mounted for reading."""
    subprocess.run(["mount", "--bind", directory, directory], check=True, capture_output=True)
    try:
        subprocess.run(["mount", "-o", "remount,ro,bind", directory], check=True, capture_output=True)
        yield Medium(directory)
    finally:
        subprocess.run(["umount", directory], check=True)


@contextmanager
def immutable(directory: Path) -> Generator[Medium]:
    """Files that not even root may change."""
    paths = [directory, *directory.rglob("*")]
    subprocess.run(["chattr", "+i", *paths], check=True, capture_output=True)
    try:
        yield Medium(directory)
    finally:
        subprocess.run(["chattr", "-i", *paths], check=True)


@contextmanager
def not_writable(directory: Path) -> Generator[Medium]:
    """Modes that let nobody write."""
    paths = [*directory.rglob("*"), directory]
    modes = [path.stat().st_mode for path in paths]
    for path, mode in zip(paths, modes, strict=True):
        path.chmod(mode & ~0o222)
    try:
        yield Medium(directory, by=POWERLESS if os.geteuid() == 0 else ())
    finally:
        for path, mode in zip(paths, modes, strict=True):
            path.chmod(mode)


def _works_here(way: Callable[[Path], AbstractContextManager[Medium]]) -> bool:
    """Mounting and changing attributes take rights that not every user, machine and file system gives."""
    with TemporaryDirectory() as folder:
        try:
            with way(Path(folder)):
                return True
        except (OSError, subprocess.CalledProcessError):
            return False


WAYS = [not_writable, *filter(_works_here, (mounted, immutable))]


@pytest.fixture(params=WAYS, ids=lambda way: way.__name__)
def put_away(request: pytest.FixtureRequest, cli: Cli) -> Iterator[Callable[[], Medium]]:
    """Puts the store of `cli` where it cannot be written to."""
    with ExitStack() as stack:
        yield lambda: stack.enter_context(request.param(cli.directory))


def everything_in(directory: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in directory.rglob("*") if path.is_file()}


def test_a_store_is_verified_in_its_place(cli: Cli, put_away: PutAway):
    fill(cli)
    medium = put_away()
    before = everything_in(medium.directory)

    ran = medium("verify", "--json")

    found = ran.json()
    assert (ran.code, found["standing"], found["privateCopy"]) == (0, "valid", False), ran
    assert found["workspaces"][0]["records"] == 7
    assert everything_in(medium.directory) == before


def test_its_views_are_compared_too(cli: Cli, put_away: PutAway):
    fill(cli)
    medium = put_away()

    ran = medium("verify", "--deep", "--json")

    assert (ran.code, ran.json()["viewsChecked"]) == (0, True), ran


def test_a_store_whose_log_was_not_folded_in_is_verified_through_a_private_copy(
    cli: Cli, put_away: PutAway, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    fill(cli)
    leave_the_log(cli)
    copies = tmp_path / "copies"
    copies.mkdir()
    monkeypatch.setenv("TMPDIR", str(copies))
    medium = put_away()
    before = everything_in(medium.directory)

    ran = medium("verify", "--deep")
    as_json = medium("verify", "--json").json()

    assert ran.code == 0, ran
    assert "private copy" in ran.err
    assert (as_json["privateCopy"], as_json["workspaces"][0]["records"]) == (True, 9)
    assert everything_in(medium.directory) == before
    assert list(copies.iterdir()) == [], "what was copied is gone"


def test_what_is_in_the_log_only_is_exported_too(cli: Cli, put_away: PutAway, tmp_path: Path):
    fill(cli)
    leave_the_log(cli)
    medium = put_away()

    ran = medium("export")

    assert ran.code == 0, ran.err
    assert ran.out.count("In the log") == 2
    (tmp_path / "export.jsonl").write_text(ran.out, encoding="utf-8")
    assert cli("verify", tmp_path / "export.jsonl").code == 0


def test_it_is_exported_looked_at_and_read(cli: Cli, put_away: PutAway):
    fill(cli)
    medium = put_away()

    assert medium("export").out.count('{"seq":') == 7
    assert medium("export", "--layout", "markdown", "--session", "latest").code == 0
    tree = medium("call", "thought_tree", "sessionId=s1")
    assert (tree.code, tree.json()["count"]) == (0, 5)
    assert [one["title"] for one in medium("sessions", "--json").json()["sessions"]] == ["Slow pages"]
    assert medium("show", "latest").out.startswith("Slow pages\n")
    proof = medium("prove", "th:2")
    assert proof.code == 0, proof
    ran = medium("doctor", "--deep", "--json")
    found = {one["check"]: one["level"] for one in ran.json()["checks"]}
    assert ran.code == 0, ran
    assert (found["directory"], found["chain"], found["compared"]) == ("warn", "ok", "ok")


def test_what_writes_is_refused_and_says_why(cli: Cli, put_away: PutAway):
    fill(cli)
    medium = put_away()

    ran = medium("call", "thought_plan", "sessionId=s1", "planDescription=More.")

    assert ran.code == 1
    assert "cannot be written to" in ran.error()["message"]


def test_damage_is_found_there_too(cli: Cli, put_away: PutAway):
    fill(cli)
    cli.change_record(3)

    ran = put_away()("verify")

    assert ran.code == 1
    assert "th:3" in ran.out


def test_a_store_of_an_older_release_is_brought_up_to_date_in_the_copy(cli: Cli, put_away: PutAway):
    """Its views have another shape, and nothing can be replayed in its place."""
    fill(cli)
    cli.tamper("UPDATE views SET version = 'older' WHERE view = 'answers'")

    ran = put_away()("verify", "--deep", "--json")

    assert (ran.code, ran.json()["privateCopy"], ran.json()["viewsChecked"]) == (0, True, True), ran
