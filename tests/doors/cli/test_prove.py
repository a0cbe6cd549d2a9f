"""`thoughtbox prove`: what convinces someone who does not have the ledger."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.doors.cli.conftest import Cli


@pytest.fixture
def key(cli: Cli) -> str:
    """A ledger with a signed checkpoint and two proofs in files; its public key."""
    cli.think(5)
    cli("checkpoint", "--to", "old.note")
    cli.think(4, session="s2")
    cli("checkpoint", "--to", "new.note")
    cli.think(1, session="s3")
    assert cli("prove", "th:3", "--out", "inclusion.json").code == 0
    assert cli("prove", "--consistency", "old.note", "--out", "growth.json").code == 0
    return cli("checkpoint", "--public-key").out.strip()


@pytest.fixture(params=["inclusion.json", "growth.json"])
def saved(request: pytest.FixtureRequest, key: str, tmp_path: Path) -> Path:
    return tmp_path / request.param


def test_a_saved_proof_is_checked_with_nothing_but_the_public_key(cli: Cli, key: str, saved: Path):
    shutil.rmtree(cli.directory)

    ran = cli("prove", "--check", saved, "--key", key)

    assert ran.code == 0
    assert ran.out.startswith("The proof holds.")
    assert not cli.directory.exists()


def test_the_proof_of_a_record_shows_what_it_says(cli: Cli, key: str):
    ran = cli("prove", "--check", "inclusion.json", "--json")

    assert ran.json()["holds"] is True
    assert "th:3 is in the ledger of workspace `_default`." in ran.json()["says"]
    assert "Step 3." in ran.out


def change(proof: dict[str, Any], name: str) -> None:
    """Change one part of a proof, whatever it is."""
    value = proof[name]
    match value:
        case int():
            proof[name] = value + 1
        case str() if value.endswith("\n"):
            proof[name] = value.replace("\n", "\n1", 1)
        case str():
            proof[name] = value[:-1] + ("0" if value[-1] != "0" else "1")
        case list():
            proof[name] = value[1:]
        case dict():
            value["body"]["text"] = "Something else."


@pytest.mark.parametrize("file", ["inclusion.json", "growth.json"])
def test_a_proof_of_which_anything_was_changed_is_refused(cli: Cli, key: str, tmp_path: Path, file: str):
    whole = json.loads((tmp_path / file).read_text(encoding="utf-8"))
    changeable = [name for name in whole if name != "proof"]
    assert len(changeable) >= 8

    for name in changeable:
        proof = json.loads(json.dumps(whole))
        change(proof, name)
        (tmp_path / "forged.json").write_text(json.dumps(proof), encoding="utf-8")
        ran = cli("prove", "--check", "forged.json")
        assert (ran.code, "INVALID_PROOF" in ran.err) == (1, True), name

        del proof[name]
        (tmp_path / "forged.json").write_text(json.dumps(proof), encoding="utf-8")
        assert cli("prove", "--check", "forged.json").code == 1, name


def test_a_proof_signed_by_somebody_else_is_refused(cli: Cli, key: str, saved: Path, tmp_path: Path):
    foreign = cli("checkpoint", "--public-key", "--data-dir", tmp_path / "other").out.strip()

    ran = cli("prove", "--check", saved, "--key", foreign)

    assert ran.code == 1
    assert "unknown signatures" in ran.err


def test_a_record_that_no_checkpoint_covers_is_proven_to_nobody_else(cli: Cli, key: str):
    ran = cli("prove", "12", "--out", "unsigned.json")

    assert ran.code == 0
    assert "run `thoughtbox checkpoint` first" in ran.err
    checked = cli("prove", "--check", "unsigned.json")
    assert checked.code == 1
    assert "no checkpoint signs" in checked.err


def test_a_record_that_is_not_there_cannot_be_proven(cli: Cli, key: str):
    ran = cli("prove", "th:99")

    assert ran.code == 1
    assert "th:1 to th:12" in ran.err


def test_a_ledger_that_does_not_begin_with_what_was_signed_is_found_out(cli: Cli, key: str):
    shutil.rmtree(cli.directory)
    cli.think(20)

    ran = cli("prove", "--consistency", "old.note", "--key", key)

    assert ran.code == 1
    assert "history was rewritten" in ran.err


def test_a_ledger_that_is_shorter_than_what_was_signed_is_found_out(cli: Cli, key: str):
    shutil.rmtree(cli.directory)
    cli.think(2)

    ran = cli("prove", "--consistency", "old.note", "--key", key)

    assert ran.code == 1
    assert "its end is missing" in ran.err


def test_an_old_checkpoint_signed_by_nobody_known_proves_nothing(cli: Cli, key: str, tmp_path: Path):
    foreign = cli("checkpoint", "--public-key", "--data-dir", tmp_path / "other").out.strip()

    assert cli("prove", "--consistency", "old.note", "--key", foreign).code == 1


def test_files_that_hold_no_proof_are_refused(cli: Cli, key: str, tmp_path: Path):
    for text in ("", "[]", "{}", '{"id":7}', "hello"):
        (tmp_path / "no.json").write_text(text, encoding="utf-8")
        ran = cli("prove", "--check", "no.json")
        assert ran.code == 1
        assert "Traceback" not in ran.err
    assert cli("prove", "--check", "nowhere.json").code == 2
    assert cli("prove", "--consistency", "nowhere.note").code == 2
