"""Installing into hosts' files: what is there stays, what came goes, and what is broken is left alone."""

from __future__ import annotations

import json
import shlex
import tomllib
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from thoughtbox.domains.memory.hosts.clients import CLIENTS, HOOKS, SCOPES, Client, Scope
from thoughtbox.domains.memory.hosts.installing import Host, apply, hooks_in, install, uninstall
from thoughtbox.errors import ConfigInvalid

PROGRAM = ["/opt/my tools/thoughtbox"]
OPTIONS = ["--data-dir", "/var/data of mine"]


def host(folder: Path, client: Client = "claude-code", scope: Scope = "project") -> Host:
    return Host(client, scope, folder / "project", folder / "home", {})


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def done(plan):
    apply(plan)
    return plan


plain = st.none() | st.booleans() | st.integers() | st.text(max_size=8)
anything = st.recursive(
    plain,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
handlers = st.fixed_dictionaries({"type": st.just("command"), "command": st.text(max_size=12)})
entries = st.fixed_dictionaries({"hooks": st.lists(handlers, max_size=2)})
events = st.sampled_from(["PreToolUse", "PostToolUse", "Stop", "SessionStart", "Notification"])
some_settings = st.fixed_dictionaries(
    {},
    optional={
        "hooks": st.dictionaries(events, st.lists(entries, max_size=2), max_size=3),
        "enabledMcpjsonServers": st.lists(st.sampled_from(["other", "thoughtbox"]), max_size=2, unique=True),
        "permissions": anything,
        'naïve "key"': anything,
    },
)
some_servers = st.fixed_dictionaries(
    {},
    optional={
        "mcpServers": st.dictionaries(st.sampled_from(["other", "third"]), anything, max_size=2),
        "projects": anything,
    },
)
layouts = st.sampled_from(
    [
        {"indent": 2},
        {"indent": 4},
        {"indent": "\t"},
        {},
        {"separators": (",", ":")},
        {"ensure_ascii": False, "indent": 1},
    ]
)
ends = st.sampled_from(["", "\n", "\r\n", "  \n\n"])
some_toml = st.sampled_from(
    [
        "",
        "# mine",
        'model = "m"\n\n[mcp_servers.other]\ncommand = "x" # why\n',
        "[a]\r\nb = 1\r\n",
        "[mcp_servers]\n",
    ]
)


@st.composite
def foreign_files(draw, client: Client) -> tuple[dict[str, Any], tuple[str, str]]:
    """What a host's settings say, and the text of its two files."""
    layout, end, found = draw(layouts), draw(ends), draw(some_settings)
    servers = draw(some_toml) if client == "codex" else json.dumps(draw(some_servers), **layout) + end
    return found, (json.dumps(found, **layout) + end, servers)


@settings(max_examples=25, deadline=None)
@given(data=st.data(), is_there=st.booleans(), client=st.sampled_from(CLIENTS), scope=st.sampled_from(SCOPES))
def test_after_an_installation_came_and_went_the_files_of_others_are_what_they_were_to_the_byte(
    data, is_there, client, scope
):
    found, texts = data.draw(foreign_files(client))
    with TemporaryDirectory() as name:
        folder = Path(name)
        at = host(folder, client, scope)
        for path, text in zip(at.files, texts, strict=True) if is_there else ():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode())
        before = contents(folder)

        done(install(at, PROGRAM, options=OPTIONS))
        installed = contents(folder)
        again = install(at, PROGRAM, options=OPTIONS)
        done(install(at, ["/elsewhere/thoughtbox"]))
        read = json.loads(at.files.hooks.read_text(encoding="utf-8"))
        done(uninstall(at))

        assert contents(folder) == before
        assert installed != before
        assert again.changes == ()
        if is_there:
            for event, entries in found.get("hooks", {}).items():
                assert [entry for entry in read["hooks"][event] if entry in entries] == entries
            ours = ("hooks", "enabledMcpjsonServers")
            assert {key: read[key] for key in found if key not in ours} == {
                key: value for key, value in found.items() if key not in ours
            }


@pytest.mark.parametrize("client", CLIENTS)
def test_what_others_have_added_since_stays_when_ours_goes(tmp_path: Path, client: Client):
    at = host(tmp_path, client)
    at.files.hooks.parent.mkdir(parents=True)
    at.files.hooks.write_text('{"theme": "dark"}', encoding="utf-8")
    done(install(at, PROGRAM))
    changed = json.loads(at.files.hooks.read_text(encoding="utf-8"))
    theirs = {"matcher": "Bash", "hooks": [{"type": "command", "command": "/usr/bin/thoughtbox-like hook stop"}]}
    changed["hooks"]["Stop"].insert(0, theirs)
    changed["hooks"]["Notification"] = [theirs]
    at.files.hooks.write_text(json.dumps(changed), encoding="utf-8")

    done(uninstall(at))

    assert json.loads(at.files.hooks.read_text(encoding="utf-8")) == {
        "theme": "dark",
        "hooks": {"Stop": [theirs], "Notification": [theirs]},
    }
    assert hooks_in(at) == {}


@pytest.mark.parametrize(
    ("client", "file", "text"),
    [
        ("claude-code", "hooks", '{"hooks": '),
        ("claude-code", "hooks", "[]"),
        ("claude-code", "hooks", '{"hooks": []}'),
        ("claude-code", "hooks", '{"hooks": {"Stop": {}}}'),
        ("claude-code", "servers", '{"mcpServers": 3}'),
        ("claude-code", "servers", "\udcff"),
        ("codex", "servers", "model = "),
        ("codex", "servers", "mcp_servers = 3"),
    ],
)
def test_a_file_that_is_broken_is_refused_and_nothing_is_written(tmp_path: Path, client: Client, file: str, text: str):
    at = host(tmp_path, client)
    path = getattr(at.files, file)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode(errors="surrogateescape"))
    before = contents(tmp_path)

    with pytest.raises(ConfigInvalid) as refusal:
        apply(install(at, PROGRAM))

    assert str(path) in refusal.value.message
    assert contents(tmp_path) == before


def test_a_plan_shows_what_it_would_do_and_does_nothing(tmp_path: Path):
    at = host(tmp_path)
    at.files.hooks.parent.mkdir(parents=True)
    at.files.hooks.write_text('{\n  "theme": "dark"\n}\n', encoding="utf-8")
    before = contents(tmp_path)

    shown = install(at, PROGRAM).diff()

    assert contents(tmp_path) == before
    taken_out = [line for line in shown.splitlines() if line.startswith("-") and not line.startswith("---")]
    assert taken_out == ['-  "theme": "dark"'], "a comma goes behind it, and that is all"
    assert shown.count("+++ ") == 2
    assert '"command": "\'/opt/my tools/thoughtbox\' hook stop --client claude-code"' in shown


def test_what_was_there_is_kept_in_a_copy_until_it_is_back(tmp_path: Path):
    at = host(tmp_path, scope="user")
    at.files.hooks.parent.mkdir(parents=True)
    at.files.hooks.write_text('{"theme":"dark"}', encoding="utf-8")
    at.files.hooks.chmod(0o600)
    copy = at.files.hooks.with_name("settings.json.before-thoughtbox")

    done(install(at, PROGRAM))
    assert copy.read_text(encoding="utf-8") == '{"theme":"dark"}'
    assert {path.stat().st_mode & 0o777 for path in (copy, at.files.hooks)} == {0o600}
    done(uninstall(at))

    assert not copy.exists()


def test_a_link_stays_a_link(tmp_path: Path):
    at = host(tmp_path, scope="user")
    kept = tmp_path / "dotfiles" / "settings.json"
    kept.parent.mkdir()
    kept.write_text("{}", encoding="utf-8")
    at.files.hooks.parent.mkdir(parents=True)
    at.files.hooks.symlink_to(kept)

    done(install(at, PROGRAM))

    assert at.files.hooks.is_symlink()
    assert "hooks" in json.loads(kept.read_text(encoding="utf-8"))


@pytest.mark.parametrize("client", CLIENTS)
def test_a_server_that_somebody_registered_by_hand_is_left_as_it_is(tmp_path: Path, client: Client):
    at = host(tmp_path, client, "user")
    by_hand = {
        "claude-code": '{"mcpServers":{"thoughtbox":{"url":"http://127.0.0.1:1731/mcp"}}}',
        "codex": '[mcp_servers.thoughtbox]\nurl = "http://127.0.0.1:1731/mcp"\n',
    }[client]
    at.files.servers.parent.mkdir(parents=True, exist_ok=True)
    at.files.servers.write_text(by_hand, encoding="utf-8")

    plan = done(install(at, PROGRAM))
    done(uninstall(at))

    assert any("already" in note for note in plan.notes)
    assert at.files.servers.read_text(encoding="utf-8") == by_hand


def test_a_file_that_changes_between_plan_and_deed_is_not_overwritten(tmp_path: Path):
    at = host(tmp_path)
    plan = install(at, PROGRAM)
    at.files.servers.parent.mkdir(parents=True)
    at.files.servers.write_text('{"mcpServers":{"other":{}}}', encoding="utf-8")
    before = contents(tmp_path)

    with pytest.raises(ConfigInvalid):
        apply(plan)

    assert contents(tmp_path) == before


@pytest.mark.parametrize("client", CLIENTS)
def test_every_hook_names_the_program_by_its_whole_path_in_one_word_and_the_store_that_is_meant(
    tmp_path: Path, client: Client
):
    at = host(tmp_path, client)

    done(install(at, PROGRAM, options=OPTIONS, toolset="memory"))

    read = json.loads(at.files.hooks.read_text(encoding="utf-8"))["hooks"]
    handlers = [handler for entries in read.values() for entry in entries for handler in entry["hooks"]]
    commands = [shlex.split(handler["command"]) for handler in handlers]
    assert {words[0] for words in commands} == set(PROGRAM)
    assert {tuple(words[3:]) for words in commands} == {("--client", client, *OPTIONS)}
    assert {words[2] for words in commands} == set(HOOKS)
    servers = at.files.servers.read_text(encoding="utf-8")
    registered = tomllib.loads(servers)["mcp_servers"] if client == "codex" else json.loads(servers)["mcpServers"]
    assert registered["thoughtbox"]["command"] == PROGRAM[0]
    assert registered["thoughtbox"]["args"] == ["serve", "--transport", "stdio", *OPTIONS, "--toolset", "memory"]
