"""A context pack as a file: where it may be written, and how."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.domains.mind.reads.conftest import card
from tests.support.box import Box
from tests.support.mind import Mind


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


@pytest.fixture
def placed(tmp_path: Path, project: Path) -> Iterator[Mind]:
    """In a project, with a data directory."""
    box = Box(tmp_path / "data", THOUGHTBOX_PROJECT_ROOT=str(project))
    yield Mind(box)
    box.close()


def test_a_pack_is_written_as_it_would_be_answered(placed: Mind, project: Path):
    card(placed, "H", "hypothesis", text="Use ghp_" + "a" * 36)
    answer = placed.context_pack(view="smart")
    head = placed.head()

    exported = placed.context_pack_export(out_file="deep/down/pack.json", view="smart")

    path = project / "deep/down/pack.json"
    assert exported == {"out_file": str(path), "bytes": path.stat().st_size, "truncated": False}
    assert json.loads(path.read_text(encoding="utf-8")) == answer
    assert placed.head() == head
    assert list(path.parent.iterdir()) == [path]


def test_a_budget_is_for_the_file_and_not_for_the_answer(placed: Mind, project: Path):
    for number in range(20):
        card(placed, f"H{number}", "hypothesis", text="and so on " * 50)

    exported = placed.context_pack_export(out_file="pack.json", max_chars=9_000, context_budget=3_000)

    written = json.loads((project / "pack.json").read_text(encoding="utf-8"))
    assert exported["truncated"]
    assert written == placed.context_pack(max_chars=9_000, context_budget=3_000)
    assert written["budget"]["max_chars"] == 3_000
    assert written["capsule"]["type"] == "context_pack_capsule"
    assert placed.context_pack_export(out_file="pack.json", max_chars=10)["out_file"] == str(project / "pack.json")


def test_what_was_there_is_replaced(placed: Mind, project: Path):
    card(placed, "H", "hypothesis")
    (project / "pack.json").write_text("something else, and longer " * 1000, encoding="utf-8")

    exported = placed.context_pack_export(out_file=str(project / "pack.json"))

    assert json.loads((project / "pack.json").read_text(encoding="utf-8"))["cards"][0]["id"] == "H"
    assert exported == placed.context_pack_export(out_file="pack.json")


def test_the_data_directory_may_be_written_to_but_for_the_servers_own_files(placed: Mind, tmp_path: Path):
    data = tmp_path / "data"
    inside = data / "exports" / "pack.json"

    assert placed.context_pack_export(out_file=str(inside))["out_file"] == str(inside)
    for own in (
        "thoughtbox.db",
        "thoughtbox.db-wal",
        "config.json",
        "tokens.json",
        "signing.key",
        "checkpoints/x.note",
    ):
        before = (data / own).read_bytes() if (data / own).exists() else None
        assert placed.refused("context_pack_export", out_file=str(data / own)).code == "INVALID_INPUT"
        assert ((data / own).read_bytes() if (data / own).exists() else None) == before
    assert placed.context_pack()["branch"] == "main"


def test_nothing_outside_is_written(placed: Mind, project: Path, tmp_path: Path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (project / "link").symlink_to(outside)
    (project / "file-link.json").symlink_to(outside / "file.json")
    (project / "loop").symlink_to(project / "loop")
    (project / "folder").mkdir()
    (project / "file").write_text("a file", encoding="utf-8")

    for path in (
        "../outside/pack.json",
        str(outside / "pack.json"),
        "link/pack.json",
        "file-link.json",
        "link/../../outside/pack.json",
        "loop/pack.json",
        "folder",
        ".",
        " ",
        "file/pack.json",
        str(project) + "-beside/pack.json",
        "x" * 3_000,
    ):
        error = placed.refused("context_pack_export", out_file=path)
        assert error.code == "INVALID_INPUT"
    assert list(outside.iterdir()) == []
    assert sorted(path.name for path in project.iterdir()) == ["file", "file-link.json", "folder", "link", "loop"]


def test_a_link_that_stays_inside_is_followed(placed: Mind, project: Path):
    (project / "real").mkdir()
    (project / "link").symlink_to(project / "real")

    assert placed.context_pack_export(out_file="link/pack.json")["out_file"] == str(project / "real/pack.json")
    assert (project / "link").is_symlink()


def test_a_pack_of_what_is_not_there_writes_no_file(placed: Mind, project: Path):
    assert placed.refused("context_pack_export", out_file="pack.json", target="TASK-404").code == "UNKNOWN_ID"
    assert list(project.iterdir()) == []
