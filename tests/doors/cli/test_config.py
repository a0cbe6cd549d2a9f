"""`thoughtbox config`: what is in effect, and why."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.doors.cli.conftest import Cli
from thoughtbox.settings import all_settings, load


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


DOCUMENT = {
    "THOUGHTBOX_TRANSPORT": ("http", "stdio"),
    "THOUGHTBOX_STORAGE": ("fs", "memory"),
    "THOUGHTBOX_DATA_DIR": ("~/.thoughtbox", "/elsewhere"),
    "THOUGHTBOX_PROJECT": ("_default", "shop"),
    "THOUGHTBOX_PORT": ("1731", "8080"),
    "THOUGHTBOX_HOST": ("127.0.0.1", "::1"),
    "DISABLE_THOUGHT_LOGGING": ("false", "true"),
}
"""Its variables outside of the Observatory, with their defaults (loopback, where it is not asked for more), and
another value of each. PORT and HOST have a name of our own."""


@pytest.mark.parametrize("variable", DOCUMENT)
def test_every_variable_of_the_document_is_a_setting(cli: Cli, monkeypatch: pytest.MonkeyPatch, variable: str):
    default, other = DOCUMENT[variable]

    def shown() -> tuple[str, str]:
        settings = cli("config", "--json").json()["settings"]
        return next((one["value"], one["from"]) for one in settings if one["variable"] == variable)

    monkeypatch.delenv(variable, raising=False)
    assert shown() == (str(Path(default).expanduser()) if "~" in default else default, "default")

    monkeypatch.setenv(variable, other)
    assert shown() == (other, "environment")
    setting = next(one for one in all_settings() if one.variable == variable)
    assert getattr(load(), setting.field) == setting.parse(other) != setting.parse(default)


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


def test_the_page_names_every_source_of_a_setting():
    page = (Path(__file__).parents[3] / "docs" / "settings.md").read_text(encoding="utf-8")
    beginning = " ".join(page.partition("<!-- begin")[0].split())

    order = ["option on the command line", "environment variable", "`config.json`", "default"]
    assert [beginning.index(source) for source in order] == sorted(beginning.index(source) for source in order)
    for setting in all_settings():
        if setting.kept is not None:
            assert f"`{setting.kept}` is `{setting.field}`" in page
