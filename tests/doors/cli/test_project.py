"""A project from `init` to `uninstall`, as a user does it."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.doors.cli.conftest import Cli, Terminal
from thoughtbox.domains.memory.configuration import MEMORY_DEFAULTS
from thoughtbox.domains.memory.hosts.clients import HOOKS
from thoughtbox.doors.hooks.host import Place
from thoughtbox.doors.hooks.spool import Spool

SETTINGS, SERVERS = ".claude/settings.local.json", ".mcp.json"


@pytest.fixture
def root(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty project, and an empty home."""
    root = tmp_path / "project"
    (root / ".git").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(root)
    return root


def read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_init_without_a_terminal_takes_the_defaults_and_says_what_it_made(cli: Cli, root: Path):
    ran = cli("init")

    assert ran.code == 0
    config = read(root / ".claude" / "config.json")
    assert (config["name"], config["enforcement"]) == ("three-gate", "moderate")
    assert {name: config[name] for name in MEMORY_DEFAULTS} == MEMORY_DEFAULTS
    key = root / ".claude" / "signing.key"
    assert key.stat().st_mode & 0o777 == 0o600
    assert key.read_text(encoding="ascii").strip() not in ran.out + ran.err
    run = [
        handler["command"].split(" hook ")[1].split()[0]
        for entries in read(root / SETTINGS)["hooks"].values()
        for entry in entries
        for handler in entry["hooks"]
    ]
    assert set(run) == set(HOOKS)
    for made in (SETTINGS, SERVERS, "signing.key"):
        assert made in ran.out


def test_init_again_keeps_what_the_project_has_decided(cli: Cli, root: Path):
    cli("init", "--preset", "strict", "--no-hooks")
    config = root / ".claude" / "config.json"
    config.write_text(json.dumps({**read(config), "max_cells_total": 7}), encoding="utf-8")
    key = (root / ".claude" / "signing.key").read_bytes()

    assert cli("init", "--client", "codex").code == 0

    assert (read(config)["name"], read(config)["max_cells_total"]) == ("strict", 7)
    assert (root / ".claude" / "signing.key").read_bytes() == key
    assert (root / ".codex" / "hooks.json").exists()
    assert not (root / SETTINGS).exists()


def test_init_asks_on_a_terminal_and_takes_a_number_a_name_or_an_empty_line(
    cli: Cli, root: Path, monkeypatch: pytest.MonkeyPatch
):
    class Keyboard(io.StringIO):
        def isatty(self) -> bool:
            return True

    from thoughtbox.doors.cli.main import main

    monkeypatch.setattr(sys, "stderr", screen := Terminal())
    monkeypatch.setattr(sys, "stdin", Keyboard("9\nminimal\n\n"))

    assert main(["init"]) == 0

    assert read(root / ".claude" / "config.json")["name"] == "minimal"
    assert (root / SETTINGS).exists()
    assert "1. three-gate (default)" in screen.getvalue()
    assert "One of three-gate, minimal, strict, custom, or its number." in screen.getvalue()


def test_init_writes_nothing_when_a_file_of_the_host_is_broken_or_the_preset_is_unknown(cli: Cli, root: Path):
    (root / SERVERS).write_text("{", encoding="utf-8")
    before = contents(root)

    broken = cli("init")
    unknown = cli("init", "--preset", "lax")

    assert (broken.code, unknown.code) == (1, 1)
    assert str(root / SERVERS) in broken.err
    assert "three-gate, minimal, strict, custom" in unknown.err
    assert contents(root) == before


def test_install_shows_what_it_would_do_does_it_and_uninstall_takes_it_back(cli: Cli, root: Path):
    (root / ".claude").mkdir()
    (root / SETTINGS).write_text('{"theme":"dark"}', encoding="utf-8")
    before = contents(root)

    dry = cli("install", "--dry-run")
    assert contents(root) == before
    assert "+++ " in dry.out
    done = cli("install")
    assert read(root / SETTINGS)["theme"] == "dark"
    again = cli("install")
    installed = contents(root)
    cli("uninstall", "--dry-run")
    assert contents(root) == installed
    gone = cli("uninstall", "--json")

    assert contents(root) == before
    assert f"{root / SERVERS} is made." in done.err
    assert "thoughtbox init" in done.err
    assert "Nothing to change" in again.err
    assert [change["change"] for change in gone.json()["changes"]] == ["changed", "removed"]


def test_install_for_the_user_touches_the_home_alone_and_names_the_store_that_is_meant(
    cli: Cli, root: Path, tmp_path: Path
):
    assert cli("install", "--user", "--client", "codex", "--workspace", "mine", "--toolset", "memory").code == 0

    assert contents(root) == {}
    hooks = (tmp_path / "home" / ".codex" / "hooks.json").read_text(encoding="utf-8")
    servers = (tmp_path / "home" / ".codex" / "config.toml").read_text(encoding="utf-8")
    assert f"--data-dir {tmp_path / 'store'} --project mine" in hooks
    assert '"--project", "mine", "--toolset", "memory"' in servers


def test_install_refuses_a_toolset_or_a_preset_that_is_not_there_before_anything_is_written(cli: Cli, root: Path):
    assert cli("install", "--toolset", "nonsense").code == 2
    assert cli("install", "--preset", "nonsense").code == 1
    assert contents(root) == {}


def test_install_with_a_preset_closes_the_gates_and_the_hook_that_it_names_keeps_them(cli: Cli, root: Path):
    cli("install", "--preset", "strict")
    sent = {"session_id": "s", "cwd": str(root), "tool_name": "Write", "tool_input": {"file_path": "a.txt"}}

    ran = cli("hook", "pre-tool-use", stdin=json.dumps(sent).encode())

    assert ran.code == 2
    assert "preset strict" in ran.err


def test_presets_are_listed_shown_and_applied(cli: Cli, root: Path):
    listed = cli("presets", "--json").json()
    assert [preset["name"] for preset in listed["presets"]] == ["three-gate", "minimal", "strict", "custom"]
    assert listed["active"] is None

    assert cli("presets", "apply", "minimal").code == 0
    assert cli("presets", "--json").json()["active"] == "minimal"
    shown = cli("presets", "show", "strict")

    assert "governance_validate" in shown.out
    assert cli("presets", "show", "lax").code == 1
    assert cli("presets", "show").code == 2


def test_a_demo_walks_the_whole_cycle_on_a_store_of_its_own(cli: Cli, root: Path):
    ran = cli("demo", "--json")

    assert ran.code == 0
    steps = ran.json()["steps"]
    assert all(step["holds"] for step in steps)
    called = [step["call"].get("operation") for step in steps]
    assert [name for name in called if name in ("compliance_snapshot", "compliance_router", "memory.context_pack")]
    assert "governance_validate" in called
    assert any("Refused, and recorded" in step["proves"] for step in steps)
    assert any("Not valid" in step["proves"] for step in steps)
    assert contents(root) == {}
    assert not cli.directory.exists()


def test_doctor_sees_the_project_its_key_its_hooks_and_what_waits(cli: Cli, root: Path, tmp_path: Path):
    def found(check: str) -> list[dict[str, str]]:
        return [one for one in cli("doctor", "--json").json()["checks"] if one["check"] == check]

    assert "no preset" in found("project")[0]["says"]
    cli("init")
    assert "three-gate" in found("project")[0]["says"]
    assert "all six" in found("hooks")[0]["says"]
    place = Place(root, cli.directory, "_default", "", (), root)
    Spool(place).append({"kind": "prompt"})
    assert "1 note of hooks wait" in found("spool")[0]["says"]

    (root / ".claude" / "signing.key").chmod(0o644)
    (root / ".claude" / "config.json").write_text('{"enforcement": "harsh"}', encoding="utf-8")
    moved = (root / SETTINGS).read_text(encoding="utf-8").replace(str(Path(sys.executable).parent), "/gone")
    (root / SETTINGS).write_text(moved, encoding="utf-8")

    assert [(one["level"], "harsh" in one["says"] or "signing.key" in one["says"]) for one in found("project")] == [
        ("fail", True),
        ("fail", True),
    ]
    assert [one["level"] for one in found("hooks")] == ["fail"]
    assert "/gone/thoughtbox" in found("hooks")[0]["says"]
