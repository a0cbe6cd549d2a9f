"""`thoughtbox verify`: a ledger that was touched is found out, and the place is named."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.doors.cli.conftest import Cli


def test_a_ledger_that_nobody_touched_is_valid(cli: Cli):
    cli.think(3)
    cli.think(2, session="s2", workspace="team")

    ran = cli.process("verify")

    assert ran.code == 0
    assert [line.split()[:4] for line in ran.out.splitlines()[2:4]] == [
        ["valid", "_default", "3", "1"],
        ["valid", "team", "2", "1"],
    ]


def test_a_changed_record_is_named(cli: Cli):
    cli.think(4)
    cli.change_record(3)

    ran = cli.process("verify")

    assert ran.code == 1
    assert "BROKEN" in ran.out
    assert "content (th:3; trail/s1, place 2): the bytes of th:3 do not match its content hash" in ran.out
    assert "2 records held before that" in ran.out


def test_programs_get_the_place_in_json(cli: Cli):
    cli.think(4)
    cli.think(1, workspace="team")
    cli.change_record(3)

    found = cli("verify", "--json")

    assert found.code == 1
    assert found.json()["valid"] is False
    broken, whole = found.json()["workspaces"]
    assert broken["problem"] == {
        "wrong": "content",
        "message": "the bytes of th:3 do not match its content hash",
        "record": "th:3",
        "stream": "trail/s1",
        "streamIndex": 2,
    }
    assert (whole["workspace"], whole["valid"], whole["problem"]) == ("team", True, None)


def test_one_workspace_or_one_stream_can_be_looked_at_alone(cli: Cli):
    cli.think(2)
    cli.think(2, session="s2")
    cli.think(2, workspace="team")
    cli.tamper(
        "UPDATE records SET content = CAST(replace(content, 'Step', 'Stop') AS BLOB)"
        " WHERE workspace = '_default' AND stream = 'trail/s2' AND stream_index = 0"
    )

    assert cli("verify", "--workspace", "team").code == 0
    assert cli("verify", "--workspace", "_default").code == 1
    assert cli("verify", "--stream", "trail/s1").code == 0
    assert cli("verify", "--stream", "trail/s2").code == 1
    assert cli("verify", "--all").code == 1


def test_a_stream_that_is_not_there_is_not_valid(cli: Cli):
    cli.think(1)

    ran = cli("verify", "--stream", "trail/s9")

    assert ran.code == 1
    assert "no stream `trail/s9`" in ran.err


def test_a_cut_off_end_is_found_by_the_note_kept_outside_the_store(cli: Cli):
    cli.think(4)
    cli("checkpoint")
    cli.tamper("DELETE FROM records WHERE seq > 2")
    cli.tamper("UPDATE workspaces SET last_seq = 2")
    cli.tamper("DELETE FROM streams WHERE stream = 'ledger/checkpoints'")
    cli.tamper("UPDATE streams SET length = 2, last_seq = 2, head_hash = (SELECT hash FROM records WHERE seq = 2)")
    cli.tamper("DELETE FROM checkpoints")

    ran = cli("verify")

    assert ran.code == 1
    assert "missing tail" in ran.out
    assert "a signed checkpoint covers 4" in ran.out


def test_a_workspace_that_is_gone_altogether_is_missed(cli: Cli):
    cli.think(1)
    cli.think(3, workspace="team/secret")
    cli("checkpoint", "--workspace", "team/secret")
    for table in ("records", "streams", "workspaces", "checkpoints"):
        cli.tamper(f"DELETE FROM {table} WHERE workspace = 'team/secret'")

    ran = cli("verify")

    assert ran.code == 1
    assert "team/secret: missing tail" in ran.out


def test_records_whose_workspace_was_removed_are_looked_at_all_the_same(cli: Cli):
    cli.think(2, workspace="team")
    cli.tamper("DELETE FROM workspaces")

    assert cli("verify").code == 1


def test_history_rewritten_as_a_whole_is_found_by_a_checkpoint_from_elsewhere(cli: Cli, tmp_path: Path):
    cli.think(3)
    cli("checkpoint", "--to", "kept.note")
    key = cli("checkpoint", "--public-key").out.strip()
    shutil.rmtree(cli.directory)
    cli.think(5, session="another past")
    cli("checkpoint")

    assert cli("verify").code == 0
    ran = cli("verify", "--checkpoint", "kept.note", "--key", key)

    assert ran.code == 1


@pytest.mark.parametrize("source", ["file", "stdin"])
def test_checkpoints_from_elsewhere_may_come_several_in_one_file(cli: Cli, tmp_path: Path, source: str):
    cli.think(2)
    first = cli("checkpoint").out
    cli.think(2, workspace="team")
    second = cli("checkpoint", "--workspace", "team").out
    (tmp_path / "notes").write_text(f"{first}\n{second}", encoding="utf-8")

    if source == "file":
        assert cli("verify", "--checkpoint", "notes").code == 0
    else:
        assert cli("verify", "--checkpoint", "-", stdin=f"{first}\n{second}".encode()).code == 0


def test_only_the_key_given_is_trusted(cli: Cli, tmp_path: Path):
    cli.think(2)
    cli("checkpoint")
    own = cli("checkpoint", "--public-key").out.strip()
    foreign = cli("checkpoint", "--public-key", "--data-dir", tmp_path / "other").out.strip()

    assert cli("verify", "--key", own).code == 0
    ran = cli("verify", "--key", foreign)

    assert ran.code == 4
    assert "valid, signed by a key that is not trusted here" in ran.out
    assert f"thoughtbox trust {own}" in ran.out


@pytest.mark.parametrize(
    "words", [["--checkpoint", "nowhere"], ["--checkpoint", "nonsense"], ["--key", "me"], ["--workspace", "-x"]]
)
def test_what_cannot_be_checked_with_is_wrong_usage(cli: Cli, tmp_path: Path, words: list[str]):
    cli.think(1)
    (tmp_path / "nonsense").write_text("hello\n", encoding="utf-8")

    assert cli("verify", *words).code == 2


def test_an_exported_file_is_verified_without_the_store(cli: Cli, tmp_path: Path):
    cli.think(3)
    cli("checkpoint")
    key = cli("checkpoint", "--public-key").out.strip()
    cli("export", "-o", "e.jsonl")
    text = (tmp_path / "e.jsonl").read_text(encoding="utf-8")
    (tmp_path / "changed.jsonl").write_text(text.replace("Step 2", "Stop 2"), encoding="utf-8")
    shutil.rmtree(cli.directory)

    assert cli("verify", "e.jsonl", "--key", key).code == 0
    assert cli("verify", "--json", "e.jsonl").json()["records"] == 4
    ran = cli("verify", "changed.jsonl")

    assert ran.code == 1
    assert "th:2" in ran.out
    assert not cli.directory.exists()
    assert cli("verify", "nowhere.jsonl").code == 2
    assert cli("verify", "e.jsonl", "--stream", "trail/s1").code == 2


def test_an_empty_store_has_nothing_to_verify(cli: Cli):
    cli("call", "ledger_status")

    assert "nothing to verify" in cli("verify").out


def test_a_store_that_lost_its_end_is_refused_by_calls_and_can_still_be_verified_and_exported(cli: Cli):
    cli.think(2)
    older = (cli.directory / "thoughtbox.db").read_bytes()
    cli.think(3)
    (cli.directory / "thoughtbox.db").write_bytes(older)

    refused, verified, exported = cli("call", "ledger_status"), cli("verify"), cli("export")

    assert "missing tail: th:3 to th:5 of workspace" in refused.err
    assert "thoughtbox.db-witness away" in refused.err
    assert (verified.code, exported.code) == (1, 0)
    assert "missing tail (th:3)" in verified.out
    assert exported.out.count('"id":"th:') == 2
    assert (cli.directory / "thoughtbox.db").read_bytes() == older


def test_plain_verification_says_that_it_has_not_looked_at_the_views(cli: Cli):
    cli.think(1)

    assert "views not checked" in cli("verify").out
    assert cli("verify", "--json").json()["viewsChecked"] is False
    assert "views checked" in cli("verify", "--deep").out
    assert cli("verify", "--deep", "--json").json()["viewsChecked"] is True


def test_an_edited_view_is_found_by_looking_deep_and_mended_by_a_rebuild(cli: Cli):
    cli("call", "thought_plan", "sessionId=s1", "planDescription=Once.", "--key", "k1")
    cli.tamper("DELETE FROM answers")

    assert cli("verify").code == 0
    ran = cli("verify", "--deep")
    assert ran.code == 1
    assert "view: the view `answers` is not what the records come to" in ran.out
    assert "thoughtbox rebuild" in ran.out
    failed = [one for one in cli("doctor", "--deep", "--json").json()["checks"] if one["level"] == "fail"]
    assert [one["check"] for one in failed] == ["compared"]
    assert "thoughtbox rebuild answers" in failed[0]["do"]

    cli("rebuild")
    assert cli("verify", "--deep").code == 0
    assert cli("doctor", "--deep").code == 0


def test_view_rows_of_a_workspace_that_nothing_tells_of_are_shown(cli: Cli):
    cli.think(1)
    cli.tamper("INSERT INTO trail_actions VALUES ('nowhere', 'deploy-1', 1, 'trail/s1')")

    ran = cli("verify", "--deep")

    assert ran.code == 1
    assert "nowhere: view: the view `trail_actions`" in ran.out


def test_views_are_not_compared_with_a_ledger_that_is_broken(cli: Cli):
    cli.think(3)
    cli.think(1, workspace="team")
    cli.change_record(2)

    ran = cli("verify", "--deep", "--json")

    assert ran.code == 1
    assert [(one["standing"], one["viewsChecked"]) for one in ran.json()["workspaces"]] == [
        ("broken", False),
        ("valid", True),
    ]
