"""`thoughtbox export` and `import`: all of it, byte for byte, or nothing."""

from __future__ import annotations

import gzip
import os
import subprocess
from pathlib import Path

import pytest

from tests.doors.cli.conftest import COMMAND, Cli


@pytest.fixture
def exported(cli: Cli, tmp_path: Path) -> Path:
    cli.think(5)
    cli.think(3, session="s2")
    cli("checkpoint")
    assert cli("export", "-o", "export.jsonl").code == 0
    return tmp_path / "export.jsonl"


def test_a_pipe_from_one_store_to_another_carries_every_byte(cli: Cli, tmp_path: Path, exported: Path):
    with subprocess.Popen([*COMMAND, "export"], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as sending:
        receiving = subprocess.run(
            [*COMMAND, "--data-dir", "copy", "import", "-"], stdin=sending.stdout, capture_output=True, check=False
        )
        assert sending.stderr
        said = sending.stderr.read().decode()

    assert (sending.returncode, receiving.returncode) == (0, 0)
    assert "9 records in 3 streams of _default exported, root " in said
    again = cli("export", "--data-dir", "copy")
    assert again.out == exported.read_text(encoding="utf-8")


@pytest.mark.parametrize("words", [["--gzip", "-o", "packed"], ["-o", "packed.gz"]], ids=["option", "name"])
def test_a_compressed_export_holds_the_same_and_is_the_same_each_time(
    cli: Cli, tmp_path: Path, exported: Path, words: list[str]
):
    path = tmp_path / words[-1]
    cli("export", *words)
    first = path.read_bytes()
    cli("export", *words)

    assert gzip.decompress(first) == exported.read_bytes()
    assert path.read_bytes() == first
    assert cli("--data-dir", "copy", "import", path).code == 0


def test_programs_are_told_what_was_exported_and_imported(cli: Cli, exported: Path):
    summary = cli("export", "-o", "again.jsonl", "--json").json()
    taken = cli("import", exported, "--data-dir", "copy", "--json").json()

    assert (summary["records"], summary["streams"], len(summary["root"])) == (9, 3, 64)
    [one] = taken["imported"]
    [signer] = one.pop("signers")
    assert one == {"file": str(exported), "workspace": "_default", "records": 9, "added": 9}
    assert (signer["trusted"], signer["publicKey"]) == (False, cli("checkpoint", "--public-key").out.strip())


def test_importing_again_adds_nothing_and_importing_more_adds_the_rest(cli: Cli, exported: Path):
    cli("--data-dir", "copy", "import", exported)
    again = cli("--data-dir", "copy", "import", exported, "--json").json()
    cli.think(2)
    cli("export", "-o", "longer.jsonl")
    more = cli("--data-dir", "copy", "import", "longer.jsonl", "--json").json()

    assert again["imported"][0]["added"] == 0
    assert more["imported"][0]["added"] == 2


def cut(text: bytes) -> bytes:
    return b"".join(text.splitlines(keepends=True)[:6])


def cut_in_a_line(text: bytes) -> bytes:
    return text[: len(text) // 2]


def without_a_record(text: bytes) -> bytes:
    lines = text.splitlines(keepends=True)
    return b"".join([*lines[:3], *lines[4:]])


def changed(text: bytes) -> bytes:
    return text.replace(b"Step 4", b"Stop 4", 1)


def of_no_workspace(text: bytes) -> bytes:
    return text.replace(b',"workspace":"_default"', b"", 1)


def cut_while_packed(text: bytes) -> bytes:
    return gzip.compress(text)[:-200]


def damaged_while_packed(text: bytes) -> bytes:
    packed = bytearray(gzip.compress(text))
    packed[len(packed) // 2] ^= 0xFF
    return bytes(packed)


def nonsense(text: bytes) -> bytes:
    return b"\x00\xff" * 50


@pytest.mark.parametrize(
    "harm",
    [cut, cut_in_a_line, without_a_record, changed, of_no_workspace, cut_while_packed, damaged_while_packed, nonsense],
)
def test_a_file_that_is_not_whole_is_refused_with_its_line_and_leaves_nothing(
    cli: Cli, tmp_path: Path, exported: Path, harm
):
    (tmp_path / "bad").write_bytes(harm(exported.read_bytes()))

    ran = cli("--data-dir", "copy", "import", "bad", "--json")

    assert ran.code == 1
    assert ran.error()["code"] == "IMPORT_REFUSED"
    assert ran.error()["details"]["line"] >= 1
    assert ran.error()["message"].startswith("bad, line ")
    assert cli("--data-dir", "copy", "verify", "--json").json()["workspaces"] == []


def test_of_several_files_none_is_taken_when_one_is_refused(cli: Cli, tmp_path: Path, exported: Path):
    cli.think(2, workspace="team")
    cli("export", "--workspace", "team", "-o", "team.jsonl")
    (tmp_path / "bad").write_bytes(cut(exported.read_bytes()))

    refused = cli("--data-dir", "copy", "import", "team.jsonl", "bad")
    nothing = cli("--data-dir", "copy", "verify", "--json").json()
    taken = cli("--data-dir", "copy", "import", "team.jsonl", "--json", exported)

    assert refused.code == 1
    assert nothing["workspaces"] == []
    assert [one["added"] for one in taken.json()["imported"]] == [2, 9]


def test_another_history_of_the_same_workspace_is_refused(cli: Cli, exported: Path):
    cli.think(3, **{"data-dir": "copy"})

    ran = cli("--data-dir", "copy", "import", exported)

    assert ran.code == 1
    assert "already has another th:1" in ran.err


def test_a_file_that_cannot_be_read_or_written_is_wrong_usage(cli: Cli, tmp_path: Path, exported: Path):
    assert cli("import", "nowhere.jsonl").code == 2
    assert cli("export", "-o", "no/such/folder.jsonl").code == 2


def test_a_workspace_that_is_not_there_is_not_exported_as_an_empty_one(cli: Cli, tmp_path: Path, exported: Path):
    ran = cli("export", "--workspace", "typo", "-o", "typo.jsonl")

    assert ran.code == 1
    assert "The store has _default." in ran.err
    assert not (tmp_path / "typo.jsonl").exists()


def test_an_export_that_fails_leaves_the_old_file_as_it_was(cli: Cli, tmp_path: Path, exported: Path):
    before = exported.read_bytes()
    cli.tamper("DROP TABLE checkpoints")  # the last line cannot be written

    ran = cli("export", "-o", exported)

    assert ran.code == 1
    assert "STORAGE_ERROR" in ran.err
    assert exported.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir() if path.suffix == ".part"] == []


def test_a_device_is_written_to_and_not_replaced(cli: Cli, tmp_path: Path, exported: Path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with subprocess.Popen([*COMMAND, "export", "-o", pipe], stderr=subprocess.PIPE):
        received = pipe.read_bytes()

    assert received == exported.read_bytes()
    assert pipe.is_fifo()
