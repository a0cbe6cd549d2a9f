"""The compiled engine: made once, kept where nobody else writes, and never just believed."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests.sandbox.javascript.telling import tell
from thoughtbox.sandbox.javascript import compiled, launch, module_files
from thoughtbox.sandbox.javascript.compiled import Modules
from thoughtbox.sandbox.javascript.launch import Installed
from thoughtbox.sandbox.javascript.sandbox import JavaScriptSandbox


@pytest.fixture
def engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Installed:
    """As for somebody who may not write where the package is."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    monkeypatch.setattr(sys, "pycache_prefix", str(tmp_path / "bytecode"))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    installed = launch.installed()
    assert installed is not None
    return installed


@pytest.fixture
def files(engine: Installed, real_files: tuple[Path, ...], tmp_path: Path) -> tuple[Path, ...]:
    """The files, in that user's caches, without compiling them again."""
    folder = tmp_path / "caches" / "thoughtbox"
    folder.mkdir(0o700, parents=True)
    for path in real_files:
        (folder / path.name).write_bytes(path.read_bytes())
        (folder / path.name).chmod(0o644)
    found = Modules(engine).files()
    assert found is not None
    return found


@pytest.fixture(scope="module")
def real_files() -> tuple[Path, ...]:
    assert compiled.prepare()
    installed = launch.installed()
    assert installed is not None
    found = Modules(installed).files()
    assert found is not None
    return found


def test_the_files_are_named_after_what_they_were_made_from(real_files: tuple[Path, ...]):
    for module, path in zip(compiled.MODULES, real_files, strict=True):
        assert path.name.startswith(f"{module}-quickjs_rs-")
        assert "-wasmtime-" in path.name
        assert sys.platform in path.name


def test_nobody_else_may_write_the_files(real_files: tuple[Path, ...]):
    for path in real_files:
        assert module_files.is_sound(path)
        assert not path.stat().st_mode & 0o022
        assert not path.parent.stat().st_mode & 0o022


def test_where_the_package_cannot_be_written_to_they_are_kept_for_the_user(engine: Installed, tmp_path: Path):
    assert Modules(engine).files() is None
    assert compiled.prepare()

    files = Modules(engine).files()
    assert files is not None
    assert {path.parent for path in files} == {tmp_path / "caches" / "thoughtbox"}
    assert (tmp_path / "caches" / "thoughtbox").stat().st_mode & 0o777 == 0o700


def test_what_is_in_the_caches_of_one_user_does_not_do_for_all(
    files: tuple[Path, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(sys, "dont_write_bytecode", False)

    assert compiled.prepare()

    kept = {path.name for path in (tmp_path / "bytecode").rglob("*.cwasm")}
    assert kept == {path.name for path in files}


def test_a_file_with_other_content_is_made_again(files: tuple[Path, ...]):
    for damage in (b"", b"junk", bytes(5000), files[0].read_bytes()[:-1]):
        files[0].write_bytes(damage)
        assert not module_files.is_sound(files[0])

    assert compiled.prepare()
    assert module_files.is_sound(files[0])


def test_one_changed_byte_is_noticed(files: tuple[Path, ...]):
    data = bytearray(files[0].read_bytes())
    data[len(data) // 2] ^= 1
    files[0].write_bytes(data)

    assert not module_files.is_sound(files[0])


@pytest.mark.parametrize("others", [0o666, 0o664])
def test_a_file_that_others_may_write_is_not_used(engine: Installed, files: tuple[Path, ...], others: int):
    files[0].chmod(others)

    assert Modules(engine).files() is None


def test_a_folder_that_others_may_write_is_not_used(engine: Installed, files: tuple[Path, ...]):
    files[0].parent.chmod(0o777)

    assert Modules(engine).files() is None


def test_a_file_of_somebody_else_is_not_used(engine: Installed, files: tuple[Path, ...]):
    if os.geteuid() != 0:
        pytest.skip("only root can give files away")
    os.chown(files[0], 12345, -1)

    assert Modules(engine).files() is None


def test_a_worker_that_finds_a_damaged_file_has_it_made_again(files: tuple[Path, ...]):
    data = bytearray(files[0].read_bytes())
    data[len(data) // 2] ^= 1
    files[0].write_bytes(data)
    sandbox = JavaScriptSandbox()
    try:
        assert tell(sandbox, "1").result == 1
    finally:
        sandbox.close()

    assert module_files.is_sound(files[0])


def test_a_file_that_is_whole_and_for_another_machine_is_made_again(files: tuple[Path, ...]):
    module_files.write(files[1], b"\x7fELF" + bytes(4096))
    sandbox = JavaScriptSandbox()
    try:
        assert tell(sandbox, "1 as number", "typescript").result == 1
    finally:
        sandbox.close()


def test_a_file_of_no_use_that_cannot_be_removed_is_looked_past(
    engine: Installed, files: tuple[Path, ...], monkeypatch: pytest.MonkeyPatch
):
    def refuse(path: Path, **_: bool) -> None:
        raise PermissionError(str(path))

    modules = Modules(engine)
    with monkeypatch.context() as patched:
        patched.setattr(Path, "unlink", refuse)
        modules.discard(str(files[0]))

    assert modules.files() is None
    assert Modules(engine).files() == files


def test_without_a_place_to_keep_them_snippets_run_all_the_same(engine: Installed, tmp_path: Path):
    (tmp_path / "caches").write_text("no folder", encoding="utf-8")
    assert not compiled.prepare()
    sandbox = JavaScriptSandbox()
    try:
        assert tell(sandbox, "1 + 1").result == 2
        assert tell(sandbox, "2 as number", "typescript").result == 2
    finally:
        sandbox.close()


def test_closing_does_not_wait_for_the_compiler(engine: Installed):
    sandbox = JavaScriptSandbox()
    sandbox.warm()
    sandbox.close()

    assert sandbox.processes == ()
    assert Modules(engine).files() is None


def test_old_files_are_removed(files: tuple[Path, ...]):
    for number in range(module_files.MOST_KEPT + 3):
        module_files.write(files[0].with_name(f"old-{number}{module_files.SUFFIX}"), b"x")

    assert len(list(files[0].parent.glob(f"*{module_files.SUFFIX}"))) == module_files.MOST_KEPT
