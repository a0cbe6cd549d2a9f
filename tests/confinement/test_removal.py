"""Folders that programs of a box have filled are taken away, and nothing else is."""

from __future__ import annotations

import os
from pathlib import Path

from tests.confinement.test_usage import deep
from thoughtbox.confinement.removal import remove


def test_links_are_removed_and_not_followed(tmp_path: Path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "kept").write_text("kept", encoding="utf-8")
    folder = tmp_path / "folder"
    (folder / "inner").mkdir(parents=True)
    (folder / "link").symlink_to(outside)
    (folder / "inner" / "link").symlink_to(outside, target_is_directory=True)
    assert remove(folder)
    assert not folder.exists()
    assert (outside / "kept").read_text(encoding="utf-8") == "kept"


def test_a_link_in_the_place_of_the_folder_stays(tmp_path: Path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "kept").touch()
    (tmp_path / "link").symlink_to(outside)
    assert not remove(tmp_path / "link")
    assert (outside / "kept").exists()


def test_a_folder_deeper_than_any_path_is_removed(tmp_path: Path):
    (tmp_path / "deep").mkdir()
    deep(tmp_path / "deep", levels=1500)
    assert remove(tmp_path / "deep")
    assert not (tmp_path / "deep").exists()


def test_locked_and_strange_things_are_removed(tmp_path: Path):
    folder = tmp_path / "folder"
    (folder / "locked" / "inner").mkdir(parents=True)
    (folder / "locked" / "inner" / "file").touch()
    os.mkfifo(folder / "waiting")
    (folder / os.fsdecode(b"\xff\n")).touch()
    (folder / "locked" / "inner").chmod(0)
    (folder / "locked").chmod(0)
    assert remove(folder)
    assert not folder.exists()


def test_a_folder_that_is_not_there_is_removed_already(tmp_path: Path):
    assert remove(tmp_path / "nothing")
