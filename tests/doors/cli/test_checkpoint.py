"""`thoughtbox checkpoint`: the ledger signed, and the note put out of reach."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.doors.cli.conftest import Cli
from thoughtbox.ledger.signing import VerifierKey, open_note


def test_the_signed_note_is_printed_and_can_be_opened_with_the_public_key(cli: Cli):
    cli.think(3)

    note = cli("checkpoint")
    key = cli("checkpoint", "--public-key").out.strip()

    checkpoint = open_note(note.out, [VerifierKey.parse(key)])
    assert (checkpoint.origin, checkpoint.size) == ("thoughtbox/_default", 3)
    assert note.err == "3 records of _default signed.\n"


def test_nothing_new_gives_the_same_note_again(cli: Cli):
    cli.think(3)
    first = cli("checkpoint", "--json").json()

    again = cli("checkpoint", "--json").json()

    assert (first.pop("new"), again.pop("new")) == (True, False)
    assert first == again


def test_a_note_can_go_to_a_file(cli: Cli, tmp_path: Path):
    cli.think(1)

    ran = cli("checkpoint", "--to", "kept.note")

    assert ran.out == ""
    assert "kept.note" in ran.err
    assert (tmp_path / "kept.note").read_text(encoding="utf-8") == cli("checkpoint").out


def test_an_empty_workspace_cannot_be_signed(cli: Cli):
    cli.think(1)

    ran = cli("checkpoint", "--workspace", "nobody")

    assert ran.code == 1
    assert "no record to sign" in ran.err


def test_the_public_key_can_be_had_before_there_is_a_store(cli: Cli):
    key = cli("checkpoint", "--public-key", "--json").json()["publicKey"]

    assert cli("checkpoint", "--public-key").out == f"{key}\n"
    assert not cli.database.exists()
    assert cli("checkpoint", "--public-key", "--storage", "memory").code == 2


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, value in (("NAME", "Tester"), ("EMAIL", "tester@localhost")):
        monkeypatch.setenv(f"GIT_AUTHOR_{name}", value)
        monkeypatch.setenv(f"GIT_COMMITTER_{name}", value)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")
    folder = tmp_path / "project"
    folder.mkdir()
    git(folder, "init", "--quiet")
    git(folder, "commit", "--quiet", "--allow-empty", "--message", "first")
    monkeypatch.chdir(folder)
    return folder


def git(folder: Path, *words: str) -> str:
    return subprocess.run(["git", *words], cwd=folder, capture_output=True, text=True, check=True).stdout


def test_a_note_on_the_commit_keeps_every_checkpoint_and_verifies_the_ledger(cli: Cli, repository: Path):
    cli.think(2)
    first = cli("checkpoint", "--to", "git")
    again = cli("checkpoint", "--to", "git")
    cli.think(2)
    second = cli("checkpoint", "--to", "git")
    kept = git(repository, "notes", "--ref=thoughtbox", "show", "HEAD")

    assert [ran.code for ran in (first, again, second)] == [0, 0, 0]
    assert kept.count("thoughtbox/_default\n") == 2
    assert cli("verify", "--checkpoint", "-", stdin=kept.encode()).code == 0
    cli.change_record(1)
    assert cli("verify", "--checkpoint", "-", stdin=kept.encode()).code == 1


def test_without_a_repository_git_says_why(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    cli.think(1)

    ran = cli("checkpoint", "--to", "git")

    assert ran.code == 2
    assert "not a git repository" in ran.err
