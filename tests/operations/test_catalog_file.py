"""The file that keeps the catalog: made anew whenever it may be wrong, and missed by nobody where there is no place."""

from __future__ import annotations

import json
import marshal
import os
import pickle
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import thoughtbox
from tests.support.forks import PATIENCE
from thoughtbox import domains
from thoughtbox.operations import catalog_file
from thoughtbox.operations.catalog import Catalog
from thoughtbox.operations.derived import catalog_of
from thoughtbox.operations.table import TABLE

SOURCE = Path(thoughtbox.__file__).parent
LOOK = """
import json, sys, time
from thoughtbox import domains
from thoughtbox.derived_files import PACKAGE, places
from thoughtbox.operations.catalog_file import _name
table = domains.known()
print(json.dumps({
    "read": table.catalog is not None,
    "title": table.look_up("thought_plan").title,
    "operations": len(table.known),
    "kept": [str(place / _name()) for place in places(PACKAGE) if (place / _name()).exists()],
}))
"""


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    """The folders that this process may keep a catalog in: for bytecode, and for this user's caches."""
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    monkeypatch.setattr(sys, "pycache_prefix", str(tmp_path / "bytecode"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    return tmp_path / f"bytecode{SOURCE}", tmp_path / "caches" / "thoughtbox"


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    domains.load()
    return catalog_of(TABLE)


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the package, with its bytecode, that may be edited."""
    folder = tmp_path_factory.mktemp("checkout")
    shutil.copytree(SOURCE, folder / "thoughtbox", ignore=shutil.ignore_patterns(f"{catalog_file.PREFIX}*"))
    return folder


def start(checkout: Path, caches: Path, **variables: str) -> subprocess.Popen[str]:
    told = {"PYTHONPATH": str(checkout), "XDG_CACHE_HOME": str(caches), "PYTHONDONTWRITEBYTECODE": "", **variables}
    return subprocess.Popen(
        [sys.executable, "-P", "-c", LOOK],
        env={**os.environ, **told},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def said(process: subprocess.Popen[str]) -> Any:
    out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, err[-3000:]
    return json.loads(out)


@pytest.mark.sampled(2)
def test_it_is_made_once_and_anew_for_every_edit(checkout: Path, tmp_path: Path):
    first, second = (said(start(checkout, tmp_path)) for _ in range(2))
    source = checkout / "thoughtbox" / "domains" / "trail" / "operations.py"
    text = source.read_text(encoding="utf-8")
    title = first["title"]
    source.write_text(text.replace(f'"{title}"', f'"{title[::-1]}"'), encoding="utf-8")  # of the same length
    edited, again = (said(start(checkout, tmp_path)) for _ in range(2))

    assert [each["read"] for each in (first, second, edited, again)] == [False, True, False, True]
    assert [each["title"] for each in (first, second, edited, again)] == [title, title, title[::-1], title[::-1]]
    [kept] = again["kept"]
    assert Path(kept).parent == checkout / "thoughtbox" / "__pycache__"
    assert {each["operations"] for each in (first, second, edited, again)} == {len(TABLE.known)}


@pytest.mark.parametrize(
    "change",
    [
        lambda folder: (folder / "content" / "instructions.md").write_text("Other words.", encoding="utf-8"),
        lambda folder: (folder / "domains" / "trail" / "trail.sql").write_bytes(b""),
        lambda folder: (folder / "domains" / "trail" / "more.py").write_bytes(b""),
        lambda folder: (folder / "domains" / "trail" / "ways.py").unlink(),
        lambda folder: os.utime(folder / "domains" / "trail" / "ways.py", (1, 1)),
    ],
    ids=["a text", "a schema", "a new file", "a file less", "the same again"],
)
def test_any_change_to_a_file_makes_it_another(
    change: Callable[[Path], object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    folder = tmp_path / "thoughtbox"
    shutil.copytree(SOURCE, folder, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(catalog_file, "PACKAGE", folder)
    before = catalog_file.sources()
    assert catalog_file.sources() == before
    (folder / "domains" / "trail" / "__pycache__").mkdir()

    assert catalog_file.sources() == before, "bytecode is no source"
    change(folder)
    assert catalog_file.sources() != before


def _with_its_checksum(data: bytes, made_from: bytes, inner: bytes) -> bytes:
    return catalog_file.MAGIC + catalog_file._checked(made_from) + catalog_file._checked(inner)


GARBLED: dict[str, Callable[[bytes, bytes], bytes]] = {
    "nothing": lambda data, made_from: b"",
    "half of it": lambda data, made_from: data[: len(data) // 2],
    "a byte too many": lambda data, made_from: data + b"\0",
    "another byte": lambda data, made_from: data[:-1000] + bytes([data[-1000] ^ 1]) + data[-999:],
    "another form": lambda data, made_from: data.replace(catalog_file.MAGIC, b"thoughtbox catalog 0\n", 1),
    "something to run": lambda data, made_from: pickle.dumps(print),
    "something else, with its checksum": lambda data, made_from: _with_its_checksum(
        data, made_from, marshal.dumps((1, 2, 3))
    ),
    "no values, with its checksum": lambda data, made_from: _with_its_checksum(data, made_from, b"\xff" * 50),
    "other sources": lambda data, made_from: data.replace(made_from, made_from[::-1]),
}


@pytest.mark.parametrize("garbled", GARBLED)
def test_what_is_garbled_counts_as_absent_and_is_replaced(garbled: str, catalog: Catalog, places: tuple[Path, Path]):
    made_from = catalog_file.sources()
    kept = catalog_file.write(catalog, made_from)
    assert kept is not None
    assert kept.parent == places[0]
    assert catalog_file.read(made_from) == catalog
    kept.write_bytes(GARBLED[garbled](kept.read_bytes(), made_from))

    assert catalog_file.read(made_from) is None
    assert catalog_file.write(catalog, made_from) == kept
    assert catalog_file.read(made_from) == catalog


@pytest.mark.parametrize("mode", [0o664, 0o646], ids=["the group", "everybody"])
def test_what_others_may_have_written_is_not_read(mode: int, catalog: Catalog, places: tuple[Path, Path]):
    made_from = catalog_file.sources()
    kept = catalog_file.write(catalog, made_from)
    assert kept is not None
    assert kept.stat().st_mode & 0o777 == 0o644

    kept.chmod(mode)

    assert catalog_file.read(made_from) is None


def test_the_caches_of_the_user_are_the_second_place(catalog: Catalog, places: tuple[Path, Path]):
    made_from = catalog_file.sources()
    (places[0].parents[len(places[0].parents) - len(Path(str(sys.pycache_prefix)).parents) - 1]).write_bytes(b"")

    kept = catalog_file.write(catalog, made_from)

    assert kept is not None
    assert kept.parent == places[1]
    assert places[1].stat().st_mode & 0o777 == 0o700
    assert catalog_file.read(made_from) == catalog


def test_whoever_wants_no_bytecode_written_finds_no_catalog_beside_it(
    catalog: Catalog, places: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(sys, "dont_write_bytecode", True)

    kept = catalog_file.write(catalog, catalog_file.sources())

    assert kept is not None
    assert kept.parent == places[1]
    assert not places[0].exists()


def test_without_a_place_a_process_imports_everything_and_works(tmp_path: Path):
    nowhere = tmp_path / "file"
    nowhere.write_bytes(b"")

    looked = said(start(SOURCE.parent, nowhere, PYTHONPYCACHEPREFIX=str(nowhere)))

    assert looked == {"read": False, "title": "Record a plan", "operations": len(TABLE.known), "kept": []}


@pytest.mark.sampled(2)
def test_processes_that_miss_it_at_once_do_not_disturb_each_other(checkout: Path, tmp_path: Path):
    folder = checkout / "thoughtbox" / "__pycache__"
    for left in folder.glob(f"{catalog_file.PREFIX}*"):
        left.unlink()

    together = [start(checkout, tmp_path) for _ in range(3)]
    looked = [said(process) for process in together]
    afterwards = said(start(checkout, tmp_path))

    assert {each["operations"] for each in looked} == {len(TABLE.known)}
    assert afterwards["read"]
    assert [str(path) for path in folder.glob(f"{catalog_file.PREFIX}*")] == afterwards["kept"]


def test_old_ones_and_unfinished_ones_are_removed(catalog: Catalog, places: tuple[Path, Path]):
    places[0].mkdir(parents=True)
    for number in range(9):
        old = places[0] / f"{catalog_file.PREFIX}other-{number}{catalog_file.SUFFIX}"
        old.write_bytes(b"")
        os.utime(old, (number, number))
    unfinished = places[0] / f"{catalog_file.PREFIX}other.bin.17"
    unfinished.write_bytes(b"")
    os.utime(unfinished, (0, time.time() - 2 * catalog_file.LEFT_BEHIND_SECONDS))
    begun = places[0] / f"{catalog_file.PREFIX}other.bin.18"
    begun.write_bytes(b"")

    kept = catalog_file.write(catalog, catalog_file.sources())

    assert kept is not None
    assert sorted(path.name for path in places[0].iterdir()) == sorted(
        [
            kept.name,
            begun.name,
            *(f"{catalog_file.PREFIX}other-{number}{catalog_file.SUFFIX}" for number in (6, 7, 8)),
        ]
    )
