"""What a project keeps in its folder: the key, files that are whole or not there, and paths that stay inside."""

from __future__ import annotations

import json
import stat
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

import pytest

from tests.support.box import WORKSPACE, Box
from thoughtbox.domains.memory import project
from thoughtbox.domains.memory.configuration import MEMORY_DEFAULTS, memory_settings
from thoughtbox.domains.memory.folder import confined, project_of
from thoughtbox.domains.memory.project import ProjectFolder, existing_key, read_object, signing_key, write_object
from thoughtbox.errors import ConfigInvalid, ConfigurationError, PathRefused, ProjectUnavailable
from thoughtbox.operations import Tx
from thoughtbox.operations.caller import ANONYMOUS
from thoughtbox.projects import around

T = TypeVar("T")


@pytest.fixture
def folder(tmp_path: Path) -> ProjectFolder:
    return ProjectFolder(tmp_path)


def test_the_key_is_made_once_however_many_come_at_once_and_is_its_owners_alone(folder: ProjectFolder):
    with ThreadPoolExecutor(8) as many:
        keys = set(many.map(lambda _: signing_key(folder), range(16)))

    assert len(keys) == 1
    assert len(keys.pop()) == project.KEY_BYTES
    assert stat.S_IMODE(folder.signing_key.stat().st_mode) == 0o600
    assert [path.name for path in folder.claude.iterdir()] == ["signing.key"]


def test_a_key_that_others_may_read_is_closed_to_them(folder: ProjectFolder):
    key = signing_key(folder)
    folder.signing_key.chmod(0o644)

    assert existing_key(folder) == key
    assert stat.S_IMODE(folder.signing_key.stat().st_mode) == 0o600


@pytest.mark.parametrize("text", ["", "abc", "zz" * 32, "ab" * 31])
def test_what_is_no_key_is_named_without_being_shown(folder: ProjectFolder, text: str):
    write_object(folder.config, {})
    folder.signing_key.write_text(text, encoding="ascii")

    with pytest.raises(ConfigurationError, match=r"is no signing key") as refused:
        signing_key(folder)

    assert not text or text not in refused.value.message


@pytest.mark.parametrize("text", ["{", "[]", "null", "[" * 100_000, '{"a": ' + "1" * project.LARGEST])
def test_a_file_that_cannot_be_read_is_an_error_and_none_is_none(folder: ProjectFolder, text: str):
    assert read_object(folder.config) is None
    folder.claude.mkdir()
    folder.config.write_text(text, encoding="utf-8")

    with pytest.raises(ConfigInvalid, match=r"config\.json cannot be read"):
        read_object(folder.config)


def test_memory_settings_stand_flat_in_the_config_and_each_has_its_default(folder: ProjectFolder):
    assert memory_settings(folder)._asdict() == MEMORY_DEFAULTS

    write_object(folder.config, {"consolidation_threshold": 2, "memory_enabled": False})

    assert memory_settings(folder)._asdict() == {
        **MEMORY_DEFAULTS,
        "consolidation_threshold": 2,
        "memory_enabled": False,
    }


@pytest.mark.parametrize("value", ["5", 0, -1, 1.5, True, None])
def test_a_memory_setting_of_another_type_is_refused_by_name(folder: ProjectFolder, value: object):
    write_object(folder.config, {"max_cells_total": value})

    with pytest.raises(ConfigInvalid, match="max_cells_total") as refused:
        memory_settings(folder)

    assert refused.value.details == {"fields": ["max_cells_total"]}


def test_a_project_is_the_nearest_folder_with_a_mark_and_never_the_home(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("HOME", str(tmp_path))
    inner = tmp_path / "work" / "inner" / "deep"
    inner.mkdir(parents=True)
    (tmp_path / ".claude").mkdir()

    assert around(inner) is None

    (tmp_path / "work" / ".git").mkdir()
    (inner.parent / "package.json").touch()
    assert around(inner) == inner.parent
    assert around(tmp_path / "work") == tmp_path / "work"


def test_without_a_project_its_files_stand_among_the_data_and_without_data_there_are_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir("/")
    with_data = Box(tmp_path, THOUGHTBOX_PROJECT_ROOT="")
    without = Box(THOUGHTBOX_PROJECT_ROOT="")

    assert _asked(with_data, project_of).root == tmp_path / "projects" / WORKSPACE
    with pytest.raises(ProjectUnavailable):
        _asked(without, project_of)
    with_data.close()
    without.close()


@pytest.mark.parametrize("given", ["../x", "/etc/passwd", "out/x", "a/../../x", "a\0b", "~/x/../../../etc/passwd"])
def test_a_path_that_leads_out_of_the_project_is_refused_links_included(tmp_path: Path, given: str):
    root = tmp_path / "project"
    root.mkdir()
    (root / "out").symlink_to(tmp_path)
    box = Box(tmp_path / "data", THOUGHTBOX_PROJECT_ROOT=str(root))

    with pytest.raises(PathRefused):
        _asked(box, lambda tx: confined(tx, given))

    assert _asked(box, lambda tx: confined(tx, "notes/x.json")) == root / "notes" / "x.json"
    box.close()


def test_a_file_is_replaced_as_a_whole_and_leaves_nothing_beside_it(folder: ProjectFolder):
    write_object(folder.config, {"a": 1})
    write_object(folder.config, {"b": "ü"})

    assert json.loads(folder.config.read_text(encoding="utf-8")) == {"b": "ü"}
    assert [path.name for path in folder.claude.iterdir()] == ["config.json"]


def _asked(box: Box, question: Callable[[Tx], T]) -> T:
    return box.app.dispatcher.ask(WORKSPACE, ANONYMOUS, question).result()
