"""Files of sessions: nothing outside of the directory that was named is read or written, whatever is tried."""

from __future__ import annotations

import json
import threading
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from tests.doors.cli.conftest import Cli
from tests.doors.cli.conftest import cli as cli

SECRET = "outside-and-none-of-your-business"
SWAPS = 40


@pytest.fixture
def session(cli: Cli, tmp_path: Path) -> Path:
    """The directory of an exported session."""
    assert cli("call", "start_new", "sessionTitle=Paths").code == 0
    assert cli("call", "cipher", "sessionId=latest").code == 0
    assert cli("call", "thought", "thought=inside", "sessionId=latest", "nextThoughtNeeded=true").code == 0
    assert cli("export", "--layout", "files", "-o", tmp_path / "out").code == 0
    (manifest,) = (tmp_path / "out").rglob("manifest.json")
    return manifest.parent


def outside(place: Path) -> None:
    """A thought that nobody was shown."""
    place.parent.mkdir(parents=True, exist_ok=True)
    thought = {
        "thought": SECRET,
        "thoughtNumber": 1,
        "totalThoughts": 1,
        "nextThoughtNeeded": False,
        "timestamp": "2026-01-01T00:00:00.000Z",
    }
    place.write_text(json.dumps(thought), encoding="utf-8")


@pytest.mark.parametrize(
    "name",
    [
        "../outside/001.json",
        "../../../../../outside/001.json",
        "..%2foutside%2f001.json",
        "%2e%2e/outside/001.json",
        "..\\outside\\001.json",
        "\\\\host\\share\\001.json",
        "//host/share/001.json",
        "C:\\outside\\001.json",
        "C:001.json",
        "file:///etc/passwd",
        "{root}/outside/001.json",
        "{session}-evil/001.json",
        "../{id}-evil/001.json",
        "001.json\0.txt",
        "001.JSON",
        "./001.json",
        "alt/../001.json",
        "．．/outside/001.json",
        "..\u2215outside\u2215001.json",
        "001.json/",
        "",
        ".",
        "..",
    ],
)
@pytest.mark.parametrize("part", ["thoughtFiles", "branchFiles", "branch"])
@pytest.mark.sampled(3)
def test_no_manifest_leads_outside(cli: Cli, tmp_path: Path, session: Path, name: str, part: str):
    for place in (tmp_path / "outside", session.with_name(f"{session.name}-evil"), session.parent / "outside"):
        outside(place / "001.json")
    name = name.format(root=tmp_path, session=session, id=session.name)
    manifest = json.loads((session / "manifest.json").read_bytes())
    if part == "thoughtFiles":
        manifest["thoughtFiles"].append(name)
    else:
        manifest["branchFiles"] = {"alt": [name]} if part == "branchFiles" else {name: ["001.json"]}
    (session / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")

    taken = cli("--data-dir", "copy", "import", tmp_path / "out")

    assert taken.code == 1
    assert SECRET not in taken.out + taken.err
    assert cli("--data-dir", "copy", "call", "ledger_status").json()["records"] == 0


@pytest.mark.parametrize("name", ["..", "a/../b", "sessions/../x", "a\\b"])
def test_no_folder_of_a_project_leads_outside(cli: Cli, tmp_path: Path, session: Path, name: str):
    """Its name is the workspace's, where such names are refused already; those that are left lead nowhere else."""
    made = cli("--project", name, "export", "--layout", "files", "-o", tmp_path / "again")

    assert made.code in (1, 2, 3)
    assert not [path for path in tmp_path.rglob("manifest.json") if path.parent != session]


@contextmanager
def swapped(place: Path, target: Path) -> Generator[None]:
    """As long as this lasts, the place is now a folder, now a link to the target."""
    ended = threading.Event()
    aside, link = place.with_name(f".{place.name}.aside"), place.with_name(f".{place.name}.link")
    link.symlink_to(target)

    def swap() -> None:
        while not ended.is_set():
            with suppress(OSError):
                place.rename(aside)
                link.rename(place)
                place.rename(link)
                aside.rename(place)

    swapping = threading.Thread(target=swap)
    swapping.start()
    try:
        yield
    finally:
        ended.set()
        swapping.join()
        with suppress(OSError):
            aside.rename(place)
        link.unlink(missing_ok=True)


def levels(session: Path, root: Path) -> list[Path]:
    """The folders between the two, and the session's own."""
    return [one for one in (session, *session.parents) if root in one.parents]


def test_a_folder_that_becomes_a_link_meanwhile_is_not_written_through(cli: Cli, tmp_path: Path, session: Path):
    victim = tmp_path / "victim"
    victim.mkdir()
    for place in levels(session, tmp_path / "out"):
        with swapped(place, victim):
            for _ in range(SWAPS // 4):
                cli("export", "--layout", "files", "-o", tmp_path / "out")

        assert not list(victim.iterdir())


def test_a_folder_that_becomes_a_link_meanwhile_is_not_read_through(cli: Cli, tmp_path: Path, session: Path):
    victim = tmp_path / "victim"
    for place in levels(session, tmp_path / "out"):
        twin = victim / session.relative_to(place)
        twin.mkdir(parents=True, exist_ok=True)
        for file in session.iterdir():
            text = file.read_text(encoding="utf-8").replace("inside", SECRET)
            (twin / file.name).write_text(text, encoding="utf-8")
        with swapped(place, victim):
            for _ in range(SWAPS // 4):
                cli("--data-dir", "copy", "import", tmp_path / "out")

    assert SECRET not in cli("--data-dir", "copy", "export").out
