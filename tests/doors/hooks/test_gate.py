"""The gate before tools that write files."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from tests.doors.hooks.conftest import Host
from thoughtbox.domains.memory.project import signing_key, write_object
from thoughtbox.domains.memory.tokens.files import FileToken
from thoughtbox.doors.hooks.gate import pre_tool_use
from thoughtbox.doors.hooks.host import SILENCE, Told

PATCH = "*** Begin Patch\n*** Update File: {}\n@@\n-a\n+b\n*** End Patch\n"


def now() -> int:
    return time.time_ns() // 1_000_000


def give_token(host: Host, *, expires_in: int = 60_000, version: int = 2, forged: bool = False) -> None:
    made = now() - 1_000
    token = FileToken(f"session-{made}-abc123xyz", made, now() + expires_in, "session", token_version=version)
    signed = token.signed(b"0" * 32 if forged else signing_key(host.folder))
    content = signed.object()
    if version == 1:
        content = {name: content[name] for name in ("token_id", "created_at", "expires_at", "type")}
    write_object(host.folder.tokens / f"{token.token_id}.json", content)


@pytest.mark.parametrize("tool", ["Write", "Edit", "MultiEdit", "NotebookEdit"])
@pytest.mark.parametrize("preset", ["three-gate", "strict"])
def test_a_tool_that_writes_files_is_refused_with_the_way_on_when_no_session_token_is_live(
    host: Host, preset: str, tool: str
):
    host.apply(preset)

    answer = pre_tool_use(host.told("PreToolUse", tool_name=tool, tool_input={"file_path": "a.txt"}))

    assert answer.code == 2
    assert answer.said.startswith(f"{tool} was not run")
    assert '{"operation":"compliance_snapshot"}' in answer.said
    assert "thoughtbox_gateway" in answer.said
    assert not answer.out


def test_the_calls_of_the_reason_succeed_as_they_stand(host: Host):
    host.apply("three-gate")
    reason = pre_tool_use(host.writes()).said
    box = host.box()

    for line in reason.splitlines():
        if "{" in line:
            call = json.loads(line[line.index("{") : line.index("}") + 1])
            operation = call.pop("operation")
            assert box.call(operation, call)
    assert reason.count('{"operation"') == 2
    box.close()


@pytest.mark.parametrize(
    ("preset", "changes"),
    [
        ("minimal", {}),
        ("custom", {}),
        ("three-gate", {"enforcement": "lenient"}),
        ("three-gate", {"gates": {"teach": {}, "learn": {}, "reason": {}}}),
    ],
)
def test_nothing_is_refused_where_enforcement_is_lenient_or_no_gate_asks_for_anything(
    host: Host, preset: str, changes: dict[str, Any]
):
    host.apply(preset)
    config = json.loads(host.folder.config.read_text(encoding="utf-8"))
    for gate in changes.get("gates", {}):
        config["gates"][gate]["required_tools"] = []
    write_object(host.folder.config, {**config, **{name: changes[name] for name in changes if name != "gates"}})

    assert pre_tool_use(host.writes()) == SILENCE


def test_under_custom_enforcement_a_gate_is_as_strict_as_it_says_itself(host: Host):
    gates = {"teach": {}, "learn": {}, "reason": {"required_tools": ["guarded_cycle"], "enforcement": "strict"}}
    host.apply("custom", gates=gates)
    assert pre_tool_use(host.writes()).code == 2

    gates["reason"] = {**gates["reason"], "enforcement": "lenient"}
    host.apply("custom", gates=gates)
    assert pre_tool_use(host.writes()) == SILENCE


def test_nothing_is_refused_in_a_project_without_a_preset_or_outside_of_any(host: Host):
    assert pre_tool_use(host.writes()) == SILENCE

    host.apply("strict")
    outside = host.writes()
    assert pre_tool_use(outside._replace(place=outside.place._replace(root=None))) == SILENCE


@pytest.mark.parametrize(
    ("tool", "tool_input"),
    [
        ("Read", {"file_path": "a.txt"}),
        ("Grep", {"pattern": "x"}),
        ("Bash", {"command": "make test"}),
        ("mcp__thoughtbox__thoughtbox_gateway", {"operation": "compliance_snapshot"}),
        ("mcp__thoughtbox__record_experience", {}),
        ("", {}),
    ],
)
def test_tools_that_read_and_our_own_are_never_refused(host: Host, tool: str, tool_input: dict[str, Any]):
    host.apply("strict")

    assert pre_tool_use(host.told("PreToolUse", tool_name=tool, tool_input=tool_input)) == SILENCE


@pytest.mark.parametrize(
    ("tool", "command", "is_refused"),
    [
        ("apply_patch", PATCH.format("a.txt"), True),
        ("Bash", f"apply_patch <<'EOF'\n{PATCH.format('a.txt')}EOF\n", True),
        ("Bash", "git apply --check x.patch", False),
    ],
)
def test_a_patch_of_codex_is_a_tool_that_writes_files_also_as_a_command(
    host: Host, tool: str, command: str, is_refused: bool
):
    host.apply("three-gate")

    answer = pre_tool_use(host.told("PreToolUse", client="codex", tool_name=tool, tool_input={"command": command}))

    assert (answer.code == 2) == is_refused


@pytest.mark.parametrize(
    ("token", "is_open"),
    [({}, True), ({"version": 1}, True), ({"expires_in": -1}, False), ({"forged": True}, False)],
    ids=["live", "live, of the first version", "expired", "forged"],
)
def test_the_gate_is_open_to_a_session_token_that_is_live_and_signed_by_this_project(
    host: Host, token: dict[str, Any], is_open: bool
):
    host.apply("three-gate")
    give_token(host, **token)

    assert (pre_tool_use(host.writes()) == SILENCE) == is_open


OWN = [".claude/config.json", ".claude/signing.key", ".claude/tokens/x.json", ".claude/settings.local.json"]


@pytest.mark.parametrize("file", OWN)
def test_what_a_strict_gate_stands_on_is_not_written_by_file_tools_even_with_a_token(host: Host, file: str):
    host.apply("strict")
    give_token(host)
    link = host.root / "innocent"
    link.symlink_to(host.root / ".claude")

    told: list[Told] = [
        host.writes(file),
        host.writes(str(host.root / file)),
        host.writes(f"innocent/{file.removeprefix('.claude/')}"),
        host.told("PreToolUse", tool_name="apply_patch", tool_input={"command": PATCH.format(file)}),
    ]

    assert [pre_tool_use(each).code for each in told] == [2] * 4
    assert pre_tool_use(host.writes(".claude/agents/mine.md")) == SILENCE
    host.apply("three-gate")
    assert pre_tool_use(host.writes(file)) == SILENCE


@pytest.mark.parametrize("broken", ["config", "key"])
def test_a_broken_configuration_or_key_refuses_nothing_and_is_told_of(host: Host, broken: str):
    host.apply("strict")
    path = host.folder.config if broken == "config" else host.folder.signing_key
    path.write_text("{", encoding="utf-8")
    sent = json.dumps(dict(host.writes().input)).encode()

    code, out, err = host.hears("pre-tool-use", sent=sent)

    assert (code, out) == (0, "")
    assert str(path) in err
    assert err.count("\n") == 1


def test_a_project_is_the_one_that_claude_code_was_started_in_wherever_its_agent_is_now(
    host: Host, monkeypatch: pytest.MonkeyPatch
):
    host.apply("three-gate")
    inner = host.root / "packages" / "one"
    inner.mkdir(parents=True)
    (inner / "package.json").write_text("{}", encoding="utf-8")
    assert pre_tool_use(host.writes(cwd=str(inner))) == SILENCE

    monkeypatch.setenv("CLAUDE_PROJECT_DIR", str(host.root))

    assert pre_tool_use(host.writes(cwd=str(inner))).code == 2
