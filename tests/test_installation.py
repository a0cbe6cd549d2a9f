"""`config.json`: written once, kept, and below flags and variables."""

from __future__ import annotations

import json
from pathlib import Path
from uuid import UUID

import pytest

from tests.support.box import Box
from thoughtbox import installation
from thoughtbox.errors import ConfigurationError
from thoughtbox.settings import load


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


def test_a_store_in_memory_writes_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    Box().close()
    assert list(tmp_path.iterdir()) == []


def test_what_stands_in_it_counts_below_variables_and_flags(tmp_path: Path):
    (tmp_path / "config.json").write_text(
        '{"sessionPartitionGranularity": "weekly", "disableThoughtLogging": true}', encoding="utf-8"
    )
    place = {"THOUGHTBOX_DATA_DIR": str(tmp_path)}

    assert (load(place).rooms["partition"], load(place).log_thoughts) == ("weekly", False)
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
