"""`config.json`: written once, kept, and below flags and variables."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path
from uuid import UUID

import pytest

from tests.support.box import Box
from tests.support.servers import environment
from thoughtbox import installation
from thoughtbox.app import Thoughtbox
from thoughtbox.errors import ConfigurationError
from thoughtbox.operations.dispatch import Call
from thoughtbox.settings import load
from thoughtbox.tokens import Tokens
from thoughtbox.world import World

NOTE = Call(
    operation="thought_record",
    workspace="_default",
    arguments={"sessionId": "s1", "thoughtType": "note", "content": "x"},
)


def test_the_first_start_writes_it_and_later_ones_keep_it(tmp_path: Path):
    Box(tmp_path).close()
    first = json.loads((tmp_path / "config.json").read_bytes())
    Box(tmp_path).close()

    assert json.loads((tmp_path / "config.json").read_bytes()) == first
    assert UUID(first["installId"]).version == 4
    assert first.keys() == {
        "installId",
        "dataDir",
        "disableThoughtLogging",
        "sessionPartitionGranularity",
        "createdAt",
    }
    assert (first["dataDir"], first["disableThoughtLogging"], first["sessionPartitionGranularity"]) == (
        str(tmp_path),
        False,
        "monthly",
    )


def modes(directory: Path) -> dict[str, int]:
    return {
        str(path.relative_to(directory)): path.stat().st_mode & 0o777 for path in directory.rglob("*") if path.is_file()
    }


def test_all_that_is_kept_is_for_its_owner_only(tmp_path: Path):
    """Also in a directory that was there before, and that others may look into."""
    data = tmp_path / "data"
    data.mkdir(mode=0o755)
    with Thoughtbox(load(environment(data))) as box:
        box.dispatcher.call(NOTE)
        box.keyring.remember("_default", "a note")
        assert box.keyring.signer
        Tokens(data).add("ci", ["builds"], World())
        found = modes(data)

    assert {"thoughtbox.db", "thoughtbox.db-wal", "config.json", "signing.key", "tokens.json"} <= found.keys()
    assert set(found.values()) == {0o600}
    assert data.stat().st_mode & 0o777 == 0o755, "a directory that somebody else made stays as it is"


def test_a_directory_that_is_made_is_for_its_owner_only(tmp_path: Path):
    Thoughtbox(load(environment(tmp_path / "data"))).close()

    assert (tmp_path / "data").stat().st_mode & 0o777 == 0o700


def test_files_that_were_open_to_others_are_closed_to_them(tmp_path: Path):
    with Thoughtbox(load(environment(tmp_path))) as box:
        box.dispatcher.call(NOTE)
        box.keyring.remember("_default", "a note")
        before = modes(tmp_path)
        for name in before:
            (tmp_path / name).chmod(0o664)
        (tmp_path / "thoughtbox.db-floor").chmod(0o444)
        (tmp_path / "mine.txt").write_text("not of Thoughtbox", encoding="utf-8")
        (tmp_path / "mine.txt").chmod(0o644)
        outside = tmp_path / "elsewhere"
        outside.mkdir()
        (outside / "key").write_text("x", encoding="utf-8")
        (outside / "key").chmod(0o644)
        (tmp_path / "thoughtbox.db-link").symlink_to(outside / "key")

        Thoughtbox(load(environment(tmp_path))).close()

        after = modes(tmp_path)
    assert {name: after[name] for name in before} == dict.fromkeys(before, 0o600) | {"thoughtbox.db-floor": 0o400}
    assert after["mine.txt"] == 0o644
    assert (outside / "key").stat().st_mode & 0o777 == 0o644, "a link is not followed"


def test_other_files_that_the_process_makes_have_the_mode_that_its_user_wants(tmp_path: Path):
    with Thoughtbox(load(environment(tmp_path / "data"))):
        (tmp_path / "export").write_text("x", encoding="utf-8")

    before = os.umask(0o022)
    os.umask(before)
    assert (tmp_path / "export").stat().st_mode & 0o777 == 0o666 & ~before


def test_a_store_in_memory_writes_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    Box().close()
    assert list(tmp_path.iterdir()) == []


def test_what_stands_in_it_counts_below_variables_and_flags(tmp_path: Path):
    (tmp_path / "config.json").write_text(
        '{"sessionPartitionGranularity": "weekly", "disableThoughtLogging": true}', encoding="utf-8"
    )
    place = {"THOUGHTBOX_DATA_DIR": str(tmp_path)}

    assert (load(place).rooms["partition"], load(place).disable_thought_logging) == ("weekly", True)
    assert load({**place, "THOUGHTBOX_PARTITION": "daily"}).rooms["partition"] == "daily"
    assert load({**place, "THOUGHTBOX_PARTITION": "daily"}, partition="none").rooms["partition"] == "none"


def test_one_that_the_user_began_is_completed(tmp_path: Path):
    (tmp_path / "config.json").write_text('{"sessionPartitionGranularity": "weekly"}', encoding="utf-8")
    Box(tmp_path).close()
    found = installation.read(tmp_path)
    assert found["sessionPartitionGranularity"] == "weekly"
    assert "installId" in found


@pytest.mark.parametrize("text", ["{", "[]", '"text"', "\x00", "[" * 100_000])
def test_one_that_cannot_be_read_is_named(tmp_path: Path, text: str):
    (tmp_path / "config.json").write_text(text, encoding="utf-8")
    with pytest.raises(ConfigurationError, match=r"config\.json"):
        load({"THOUGHTBOX_DATA_DIR": str(tmp_path)})


def test_a_value_that_cannot_be_is_named_where_it_stands(tmp_path: Path):
    (tmp_path / "config.json").write_text('{"sessionPartitionGranularity": "hourly"}', encoding="utf-8")
    with pytest.raises(ConfigurationError, match=r"sessionPartitionGranularity in config\.json"):
        load({"THOUGHTBOX_DATA_DIR": str(tmp_path)})


def test_files_that_come_and_go_while_they_are_looked_at_disturb_nobody(tmp_path: Path):
    """Servers that start together on a new store see each other's passing files."""
    over = threading.Event()

    def come_and_go() -> None:
        passing = tmp_path / "thoughtbox.db-journal"
        while not over.is_set():
            passing.touch(0o644)
            passing.unlink(missing_ok=True)

    coming = threading.Thread(target=come_and_go)
    coming.start()
    try:
        for _ in range(3_000):
            installation.open_to_others(tmp_path)
    finally:
        over.set()
        coming.join()
