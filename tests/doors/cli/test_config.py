"""`thoughtbox config`: what is in effect, and why."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.doors.cli.conftest import Cli
from thoughtbox.settings import all_settings


def test_every_setting_is_shown_with_its_origin(cli: Cli, tmp_path: Path):
    ran = cli("config", "--json", "--durability", "full", "--host", "::1")

    shown = {one["name"]: one for one in ran.json()["settings"]}
    assert ran.code == 0
    assert list(shown) == [setting.field for setting in all_settings()]
    assert (shown["durability"]["value"], shown["durability"]["from"]) == ("full", "flag")
    assert (shown["host"]["value"], shown["host"]["from"]) == ("::1", "flag")
    assert (shown["data_dir"]["value"], shown["data_dir"]["from"]) == (str(tmp_path / "store"), "environment")
    assert (shown["storage"]["value"], shown["storage"]["from"]) == ("fs", "default")


def test_people_get_a_table_with_one_line_per_setting(cli: Cli):
    lines = cli("config").out.splitlines()

    assert len(lines) == len(all_settings()) + 2
    assert all(setting.variable in "\n".join(lines) for setting in all_settings())


def test_secrets_are_not_shown(cli: Cli, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("THOUGHTBOX_TOKEN", "sesame-sesame-sesame")
    monkeypatch.setenv("THOUGHTBOX_DATABASE_URL", "mysql://sesame@host")

    for ran in (cli("config"), cli("config", "--json"), cli("config", "--token", "open-sesame-open-sesame")):
        assert "sesame" not in ran.out + ran.err
        assert "(set, not shown)" in ran.out


def test_a_value_that_cannot_be_is_shown_where_it_stands(cli: Cli, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("THOUGHTBOX_PORT", "many")

    ran = cli("config")

    assert ran.code == 2
    assert "`many` cannot be: it must be a whole number" in ran.out
