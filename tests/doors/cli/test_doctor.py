"""`thoughtbox doctor`: what is wrong is found, and so is what to do."""

from __future__ import annotations

import errno
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.doors.cli.conftest import Cli, Ran
from tests.support.box import WORKSPACE, Box
from thoughtbox.doors.cli import store_checks
from thoughtbox.engine import file_system


def found(ran: Ran, check: str) -> dict[str, str]:
    """What a check said."""
    return next(one for one in ran.json()["checks"] if one["check"] == check)


def examine(cli: Cli, check: str, *words: object) -> dict[str, str]:
    return found(cli("doctor", "--json", *words), check)


def test_where_all_is_well_it_says_so(cli: Cli):
    cli.think(3)
    cli("checkpoint")

    ran = cli.process("doctor")

    assert ran.code == 0
    assert ran.out.rstrip().endswith("All is well.")
    assert "4 records in 1 workspace" in ran.out


def test_before_the_first_start_nothing_is_wrong_and_nothing_is_made(cli: Cli):
    ran = cli("doctor", "--json")

    assert ran.code == 0
    assert "made at the first start" in found(ran, "directory")["says"]
    assert "made at the first start" in found(ran, "store")["says"]
    assert not cli.directory.exists()


def test_every_finding_that_is_not_good_says_what_to_do(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("THOUGHTBOX_PORT", "many")
    (tmp_path / "file").write_bytes(b"")

    ran = cli("doctor", "--json", "--data-dir", tmp_path / "file", "--host", "0.0.0.0")

    assert ran.code == 1
    bad = [one for one in ran.json()["checks"] if one["level"] != "ok"]
    assert {one["check"] for one in bad} == {"settings", "directory", "exposure"}
    assert all(one["do"] for one in bad)
    assert "3 failures." in cli("doctor", "--data-dir", tmp_path / "file", "--host", "0.0.0.0").out


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs a directory that not even root can write to")
def test_a_directory_that_nobody_can_write_to_is_found(cli: Cli):
    finding = examine(cli, "directory", "--data-dir", "/proc/thoughtbox")

    assert finding["level"] == "fail"
    assert "/proc cannot be written to" in finding["says"]
    assert "THOUGHTBOX_DATA_DIR" in finding["do"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_directory_of_somebody_else_is_found(cli: Cli):
    cli.directory.mkdir()
    cli.directory.chmod(0o500)

    assert "Permission denied" in examine(cli, "directory")["says"]


def test_a_read_only_file_system_is_found(cli: Cli, monkeypatch: pytest.MonkeyPatch):
    def refuse(**options: Any) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    monkeypatch.setattr("tempfile.TemporaryFile", refuse)

    finding = examine(cli, "directory")

    assert finding["level"] == "fail"
    assert "read-only file system" in finding["says"]


@pytest.mark.parametrize(
    ("megabytes", "inodes", "level", "says"),
    [(5000, 9, "ok", "free"), (150, 9, "warn", "nearly full"), (1, 9, "fail", "full"), (5000, 0, "fail", "inodes")],
)
def test_a_full_disk_is_found(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, megabytes: int, inodes: int, level: str, says: str
):
    blocks = megabytes * 256
    room = os.statvfs_result((4096, 4096, 10**9, blocks, blocks, 10**6, inodes, inodes, 0, 255))
    monkeypatch.setattr(os, "statvfs", lambda path: room)

    finding = examine(cli, "disk")

    assert finding["level"] == level
    assert says in finding["says"]


@pytest.mark.parametrize(("kind", "level"), [("nfs", "fail"), ("9p", "warn")])
def test_a_store_on_a_network_file_system_is_found(
    kind: str, level: str, cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    mounts = tmp_path / "mountinfo"
    mounts.write_text(f"27 1 0:31 / / rw,relatime - {kind} server:/ rw\n", encoding="utf-8")
    monkeypatch.setattr(file_system, "MOUNTS", mounts)

    finding = examine(cli, "file system")

    assert finding["level"] == level
    assert "PostgreSQL" in finding["do"]


def test_an_old_sqlite_is_found(cli: Cli, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("apsw.sqlite_lib_version", lambda: "3.40.1")

    finding = examine(cli, "sqlite")

    assert finding["level"] == "fail"
    assert "3.51.3 or later" in finding["do"]


def test_a_signing_key_that_others_may_read_is_found(cli: Cli):
    cli("checkpoint", "--public-key")
    key = cli.directory / "signing.key"
    assert examine(cli, "signing key")["level"] == "ok"

    key.chmod(0o644)
    assert examine(cli, "signing key")["do"] == f"Run: chmod 600 {key}"

    key.write_text("lost", encoding="utf-8")
    assert "of no use" in examine(cli, "signing key")["says"]


def test_a_port_that_another_program_has_is_found(cli: Cli):
    with closing(socket.create_server(("127.0.0.1", 0))) as taken:
        taken.settimeout(0.1)
        finding = examine(cli, "port", "--port", taken.getsockname()[1])

    assert finding["level"] == "fail"
    assert "taken by another program" in finding["says"]


def test_a_wide_bind_without_a_token_is_found(cli: Cli):
    assert examine(cli, "exposure", "--host", "0.0.0.0")["level"] == "fail"
    assert examine(cli, "exposure", "--host", "0.0.0.0", "--token", "x" * 16)["level"] == "ok"
    assert "this machine only" in examine(cli, "exposure")["says"]


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="needs /proc")
def test_who_has_the_store_open_is_told(cli: Cli):
    cli.think(1)
    assert "No other process" in examine(cli, "in use")["says"]

    script = f"f = open({str(cli.database)!r}, 'rb'); print('open', flush=True); input()"
    with subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout
        holder.stdout.readline()
        finding = examine(cli, "in use")
        holder.communicate(b"\n")

    assert f"({holder.pid})" in finding["says"]


def test_a_store_that_is_no_database_is_found_once(cli: Cli):
    cli.directory.mkdir()
    cli.database.write_bytes(os.urandom(9000))

    ran = cli("doctor", "--json")

    assert ran.code == 1
    assert "damaged or not a Thoughtbox store" in found(ran, "store")["says"]
    assert "chain" not in [one["check"] for one in ran.json()["checks"]]


def test_a_store_of_a_newer_thoughtbox_is_found(cli: Cli):
    cli.think(1)
    cli.tamper("INSERT INTO schema_steps (step) VALUES (9000)")

    finding = examine(cli, "store")

    assert finding["level"] == "fail"
    assert finding["do"] == "Upgrade Thoughtbox."


def test_a_broken_chain_is_found(cli: Cli):
    cli.think(3)
    cli.change_record(2)

    ran = cli("doctor", "--json")

    assert ran.code == 1
    assert "the bytes of th:2 do not match" in found(ran, "chain")["says"]
    assert "thoughtbox verify" in found(ran, "chain")["do"]


def remove_the_last(cli: Cli) -> None:
    cli.tamper("DELETE FROM records WHERE seq = 4")


def remove_one_in_between(cli: Cli) -> None:
    cli.tamper("DELETE FROM records WHERE seq = 2")


def change_the_last(cli: Cli) -> None:
    cli.tamper("UPDATE records SET hash = zeroblob(32) WHERE seq = 3")


def cut_the_heads_too(cli: Cli) -> None:
    cli.tamper("DELETE FROM records WHERE seq > 2")
    cli.tamper("UPDATE workspaces SET last_seq = 2")


@pytest.mark.parametrize("harm", [remove_the_last, remove_one_in_between, change_the_last, cut_the_heads_too])
def test_a_large_ledger_is_looked_at_where_its_streams_end(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, harm: Callable[[Cli], None]
):
    monkeypatch.setattr(store_checks, "VERIFIED_ANYWAY", 0)
    cli.think(3)
    cli("checkpoint")
    assert "--deep" in examine(cli, "chain")["says"]

    harm(cli)

    assert examine(cli, "chain")["level"] == "fail"


def test_what_is_changed_inside_a_large_ledger_takes_a_deep_look(cli: Cli, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(store_checks, "VERIFIED_ANYWAY", 0)
    cli.think(3)
    cli.change_record(1)

    assert examine(cli, "chain")["level"] == "ok"
    assert examine(cli, "chain", "--deep")["level"] == "fail"


def test_a_view_that_lags_behind_is_found_and_a_checkpoint_helps(cli: Cli, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(store_checks, "SLICE", 100)
    monkeypatch.setenv("THOUGHTBOX_CHECKPOINT_EVERY", "0")
    box = Box(cli.directory)
    for number in range(300):
        box.thought_record(sessionId="s1", thoughtType="note", content=f"{number}")
    box.close()

    lagging = examine(cli, "views")
    cli("checkpoint", "--workspace", WORKSPACE)

    assert lagging["level"] == "warn"
    assert "300 records behind" in lagging["says"]
    assert f"thoughtbox checkpoint --workspace {WORKSPACE}" in lagging["do"]
    assert examine(cli, "views")["level"] == "ok"


def test_it_does_not_wait_for_whoever_is_writing(cli: Cli):
    import fcntl

    cli.think(1)
    with Path(f"{cli.database}-floor").open("rb+") as floor:
        fcntl.flock(floor, fcntl.LOCK_EX)
        assert cli("doctor").code == 0


def test_a_check_that_breaks_down_hinders_no_other(cli: Cli, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(file_system, "MOUNTS", None)

    ran = cli("doctor", "--json")

    assert ran.code == 1
    assert "could not be looked at" in found(ran, "file system")["says"]
    assert found(ran, "store")["level"] == "ok"


def test_a_postgresql_that_does_not_answer_is_found_without_telling_the_password(cli: Cli):
    ran = cli("doctor", "--json", "--database-url", "postgresql://me:sesame@127.0.0.1:1/none")

    assert ran.code == 1
    assert "cannot be reached" in found(ran, "postgresql")["says"]
    assert "sesame" not in ran.out
    assert "store" not in [one["check"] for one in ran.json()["checks"]]


def test_on_postgresql_every_command_works_the_same(cli: Cli, postgres_url: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("THOUGHTBOX_DATABASE_URL", postgres_url)
    assert "made at the first start" in examine(cli, "store")["says"]

    cli.think(3)
    cli("checkpoint")
    ran = cli("doctor", "--json")

    assert ran.code == 0
    assert "answers" in found(ran, "postgresql")["says"]
    assert "4 records" in found(ran, "store")["says"]
    assert found(ran, "chain")["level"] == "ok"
    assert cli("verify").code == 0
    assert cli("rebuild", "--check").code == 0
    assert cli("prove", "th:2").code == 0
    exported = cli("export").out
    monkeypatch.delenv("THOUGHTBOX_DATABASE_URL")
    assert cli("import", "-", stdin=exported.encode()).code == 0
    assert cli("export").out == exported


def test_files_that_others_may_read_are_found_and_how_to_close_them_is_said(cli: Cli):
    cli.think(1)
    assert examine(cli, "permissions")["level"] == "ok"
    cli.database.chmod(0o644)

    found = examine(cli, "permissions")

    assert found["level"] == "warn"
    assert "thoughtbox.db" in found["says"]
    assert f"chmod go= {cli.database}" in found["do"]


def test_a_directory_that_others_may_write_to_is_found(cli: Cli):
    cli.think(1)
    cli.directory.chmod(0o777)

    assert f"chmod 700 {cli.directory}" in examine(cli, "permissions")["do"]


def crashed(cli: Cli) -> Path:
    """A store whose process was killed, with everything in its log."""
    living = Box(cli.directory / "living")
    for number in range(30):
        living.thought_record(sessionId="s1", thoughtType="note", content=f"thought {number}")
    for path in (cli.directory / "living").glob("thoughtbox.db*"):
        if not path.name.endswith("-shm"):
            shutil.copy(path, cli.directory / path.name)
    living.close()
    return cli.directory / "thoughtbox.db-wal"


def test_what_a_killed_process_left_is_well(cli: Cli):
    crashed(cli)

    assert examine(cli, "log") == {"check": "log", "level": "ok", "says": "Nothing that was answered is missing."}


def test_a_cut_log_is_found(cli: Cli):
    log = crashed(cli)
    os.truncate(log, log.stat().st_size * 3 // 4)

    finding = examine(cli, "log")

    assert finding["level"] == "fail"
    assert "Missing tail" in finding["says"]
    assert "to th:30 of workspace tests are gone" in finding["says"]
    assert "thoughtbox.db-witness away" in finding["do"]


def test_a_damaged_frame_of_the_log_is_named(cli: Cli):
    log = crashed(cli)
    content = bytearray(log.read_bytes())
    frame = len(content) // 4120 // 2
    content[32 + (frame - 1) * 4120 + 200] ^= 4
    log.write_bytes(content)

    finding = examine(cli, "log")

    assert finding["level"] == "fail"
    assert f"frame {frame} of thoughtbox.db-wal has a bad checksum and " in finding["says"]
    assert "whole frames follow: damage" in finding["says"]


def test_a_store_of_which_nothing_is_left_is_found(cli: Cli):
    crashed(cli).unlink()
    (cli.directory / "thoughtbox.db").write_bytes(b"")

    assert "th:1 to th:30" in examine(cli, "log")["says"]


def test_a_torn_entry_of_the_witness_is_said_and_not_believed(cli: Cli):
    crashed(cli)
    witness = cli.directory / "thoughtbox.db-witness"
    content = witness.read_bytes()
    witness.write_bytes(content[:9] + b"9" + content[9:-1])

    ran = cli("doctor", "--json")

    assert [one["level"] for one in ran.json()["checks"] if one["check"] == "log"] == ["warn", "ok"]
