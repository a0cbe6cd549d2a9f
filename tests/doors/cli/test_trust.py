"""`thoughtbox trust`: what another installation signed is valid, and is believed once somebody says so."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.doors.cli.conftest import Cli


@pytest.fixture
def key(cli: Cli) -> str:
    """The public key of a store with three thoughts and a checkpoint, exported to `theirs.jsonl`."""
    cli.think(3)
    cli("checkpoint")
    cli("export", "-o", "theirs.jsonl")
    return cli("checkpoint", "--public-key").out.strip()


def test_an_import_says_who_signed_and_how_to_trust_them(cli: Cli, key: str):
    ran = cli("import", "theirs.jsonl", "--data-dir", "ours")

    assert ran.code == 0
    name, key_id, _ = key.split("+", 2)
    assert f"_default: signed by a key that is not trusted here: {name}+{key_id} (1 checkpoint)" in ran.out
    assert f"thoughtbox trust {key}" in ran.out


def test_an_import_of_what_nobody_signed_says_that(cli: Cli):
    cli.think(1)
    cli("export", "-o", "unsigned.jsonl")

    assert "_default: nobody has signed it." in cli("import", "unsigned.jsonl", "--data-dir", "ours").out


def test_what_was_imported_is_valid_and_trusted_once_its_signer_is(cli: Cli, key: str):
    cli("import", "theirs.jsonl", "--data-dir", "ours")

    before = cli.process("verify", "--data-dir", "ours")
    assert before.code == 4
    assert "BROKEN" not in before.out
    assert before.out.splitlines()[2].split()[:5] == ["untrusted", "_default", "4", "2", "1"]
    assert "_default: valid, signed by a key that is not trusted here" in before.out

    assert cli("trust", key, "--data-dir", "ours").code == 0
    after = cli.process("verify", "--data-dir", "ours")
    assert (after.code, after.out.splitlines()[2].split()[0]) == (0, "valid")
    assert "which is trusted here" in cli("import", "theirs.jsonl", "--data-dir", "ours").out


def test_programs_are_told_the_standing_and_the_signers(cli: Cli, key: str):
    cli("import", "theirs.jsonl", "--data-dir", "ours")

    found = cli("verify", "--data-dir", "ours", "--json").json()

    assert (found["standing"], found["valid"], found["viewsChecked"]) == ("untrusted", True, False)
    [workspace] = found["workspaces"]
    assert (workspace["records"], workspace["problem"]) == (4, None)
    assert workspace["signers"] == [
        {
            "name": "thoughtbox",
            "keyId": key.split("+")[1],
            "checkpoints": 1,
            "trusted": False,
            "publicKey": key,
        }
    ]


def test_a_backup_restored_without_its_key_is_not_broken(cli: Cli, key: str, tmp_path: Path):
    shutil.copytree(cli.directory, tmp_path / "restored", ignore=shutil.ignore_patterns("signing.key"))

    assert cli("verify", "--data-dir", "restored").code == 4
    cli("trust", key, "--data-dir", "restored")
    assert cli("verify", "--data-dir", "restored").code == 0


def test_what_else_is_wrong_with_it_is_found_all_the_same(cli: Cli, key: str, tmp_path: Path):
    shutil.copytree(cli.directory, tmp_path / "restored", ignore=shutil.ignore_patterns("signing.key"))
    cli.directory = tmp_path / "restored"
    cli.change_record(2)

    ran = cli("verify", "--data-dir", "restored")

    assert ran.code == 1
    assert "the bytes of th:2 do not match its content hash" in ran.out


def test_doctor_warns_of_an_untrusted_signer_and_does_not_advise_to_restore(cli: Cli, key: str):
    cli("import", "theirs.jsonl", "--data-dir", "ours")

    ran = cli("doctor", "--data-dir", "ours", "--json")

    assert ran.code == 0
    found = {one["check"]: one for one in ran.json()["checks"]}
    assert found["chain"]["level"] == "ok"
    assert found["signers"]["level"] == "warn"
    assert f"thoughtbox trust {key}" in found["signers"]["do"]
    assert not any("restore" in one.get("do", "") for one in found.values())


def test_trusting_twice_is_trusting_once_and_can_be_taken_back(cli: Cli, key: str, tmp_path: Path):
    assert "from now on" in cli("trust", key, "--data-dir", "ours").out
    assert "before" in cli("trust", key, "--data-dir", "ours").out
    file = tmp_path / "ours" / "trusted.keys"
    assert file.read_text(encoding="utf-8") == f"{key}\n"
    assert file.stat().st_mode & 0o777 == 0o600
    assert key in cli("trust", "--data-dir", "ours").out

    assert cli("trust", "--remove", key, "--data-dir", "ours", "--json").json()["changed"] is True
    assert cli("trust", "--data-dir", "ours", "--json").json() == {"trusted": []}
    assert cli("trust", "--remove", key, "--data-dir", "ours", "--json").json()["changed"] is False


@pytest.mark.parametrize("text", ["me", "a+b+c", "thoughtbox+00000000+AQOhB7/zzhC+HXDdGOdLwJln5NYwm6UNXx3chmQSVTG4"])
def test_what_is_no_key_is_refused(cli: Cli, tmp_path: Path, text: str):
    ran = cli("trust", text)

    assert ran.code == 2
    assert "is no public key" in ran.err
    assert not (cli.directory / "trusted.keys").exists()


def test_a_line_that_is_no_key_is_named_rather_than_passed_over(cli: Cli, key: str):
    (cli.directory / "trusted.keys").write_text(f"# ours\n{key}\nnonsense\n", encoding="utf-8")

    ran = cli("verify")

    assert ran.code == 2
    assert "line 3 of" in ran.err


def test_keys_in_the_setting_and_in_the_file_both_count(cli: Cli, key: str, monkeypatch: pytest.MonkeyPatch):
    cli("import", "theirs.jsonl", "--data-dir", "ours")
    monkeypatch.setenv("THOUGHTBOX_TRUSTED_KEYS", key)

    assert cli("verify", "--data-dir", "ours").code == 0
    assert "THOUGHTBOX_TRUSTED_KEYS" in cli("trust", "--data-dir", "ours").out
    assert "still stands in THOUGHTBOX_TRUSTED_KEYS" in cli("trust", "--remove", key, "--data-dir", "ours").err
