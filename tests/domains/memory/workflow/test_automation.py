"""Automation: hooks, health, state, import, context."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.domains.memory.workflow.test_gates import EXPERIENCE
from tests.support.box import START_MS, Box
from thoughtbox.domains.memory.project import ProjectFolder, write_object
from thoughtbox.errors import FileMissing, PathRefused, ValidationFailed

FOREIGN: dict[str, Any] = {
    "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "/opt/other/stop.sh"}]}]},
    "model": "x",
}


def settings_of(folder: ProjectFolder) -> Any:
    return json.loads((folder.claude / "settings.local.json").read_text(encoding="utf-8"))


def checked(box: Box) -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = {}
    for check in box.health_check()["checks"]:
        found.setdefault(check["name"], []).append(check)
    return found


def test_hooks_are_installed_beside_others_and_taken_out_alone(quick: Box, folder: ProjectFolder):
    write_object(folder.claude / "settings.local.json", FOREIGN)
    before = (folder.claude / "settings.local.json").read_bytes()

    planned = quick.install_hooks(dry_run=True)
    assert (planned["installed"], planned["settings_updated"], planned["dry_run"]) == (False, False, True)
    assert "+" in planned["changes"][0]["diff"]
    assert (folder.claude / "settings.local.json").read_bytes() == before
    assert quick.ledger_status()["records"] == 0

    answer = quick.install_hooks()
    assert (answer["installed"], answer["settings_updated"], answer["location"]) == (True, True, "project")
    assert answer["settings_path"] == ".claude/settings.local.json"
    assert {"SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PreCompact", "Stop"} <= {
        hook["event"] for hook in answer["hooks"]
    }
    assert settings_of(folder)["hooks"]["Stop"][0] == FOREIGN["hooks"]["Stop"][0]
    assert (folder.root / answer["changes"][0]["backup"]).read_bytes() == before
    assert quick.ledger_record(id="th:1")["record"]["data"]["change"] == "hooks_installed"
    assert quick.install_hooks()["changes"] == []

    gone = quick.uninstall_hooks()
    assert (gone["uninstalled"], gone["removed_count"]) == (True, len(answer["hooks"]))
    assert (folder.claude / "settings.local.json").read_bytes() == before
    assert quick.uninstall_hooks()["removed_hooks"] == []


def test_tools_touch_nothing_outside_the_project(quick: Box, folder: ProjectFolder, tmp_path: Path):
    elsewhere = tmp_path / "elsewhere.json"
    elsewhere.write_text("{}", encoding="utf-8")
    folder.claude.mkdir()
    (folder.claude / "settings.local.json").symlink_to(elsewhere)
    (folder.claude / "project-context.json").symlink_to(elsewhere)
    for refused in (
        quick.install_hooks,
        lambda: quick.update_project_context(enabled=True),
        lambda: quick.update_project_context(enabled=True, project_path=str(tmp_path)),
        lambda: quick.get_project_context(project_path=str(tmp_path)),
    ):
        with pytest.raises(PathRefused):
            refused()
    assert elsewhere.read_text(encoding="utf-8") == "{}"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["elsewhere.json", "project"]
    assert quick.ledger_status()["records"] == 0


def test_health_says_that_all_is_well_and_what_could_be_better(both: Box, folder: ProjectFolder):
    both.record_experience(**EXPERIENCE)
    both.install_hooks()
    both.verify_compliance(current_phase="learn", action="a", session_id="s1")

    health = both.health_check()

    assert (health["healthy"], health["status"], health["issues"], health["warnings"]) == (True, "OK", [], [])
    assert health["stats"] == {"experiences": 1, "reasoning_sessions": 0, "workflow_sessions": 1}
    assert health["token_dir"] == str(folder.tokens)
    assert health["database_backend"] in ("sqlite", "postgres")
    names = [check["name"] for check in health["checks"]]
    assert names == ["store", "chain", "project", "signing_key", "config", "tokens", "hooks"]


def test_health_names_what_is_wrong_and_what_to_do_and_never_throws(quick: Box, folder: ProjectFolder):
    quick.verify_compliance(current_phase="learn", action="a")
    quick.apply_preset(preset_name="minimal")
    quick.verify_compliance(current_phase="learn", action="a")
    folder.signing_key.chmod(0o644)
    old = {"token_id": "op-1-abc123xyz", "created_at": 1, "expires_at": 2, "type": "operation"}
    write_object(folder.tokens / "op-1-abc123xyz.json", old)
    (folder.tokens / f"session-{START_MS}-abcdefghi.json").write_text("{", encoding="utf-8")

    found = checked(quick)
    assert found["signing_key"][0]["detail"] == "others could read it, its mode was 0644; that is put right"
    assert folder.signing_key.stat().st_mode & 0o777 == 0o600
    assert found["hooks"][0]["fix"] == '{"operation": "install_hooks"}'
    details = [check["detail"] for check in found["tokens"]]
    assert details[0] == "1 token files have expired"
    assert details[1].startswith(f"session-{START_MS}-abcdefghi")

    call = json.loads(found["tokens"][0]["fix"])
    quick.call(call.pop("operation"), call)
    assert not (folder.tokens / "op-1-abc123xyz.json").exists()

    folder.signing_key.write_text("no key", encoding="ascii")
    folder.config.write_text("{", encoding="utf-8")
    health = quick.health_check()
    assert (health["healthy"], health["status"]) == (False, "DEGRADED")
    assert {issue.partition(":")[0] for issue in health["issues"]} >= {"signing_key", "config", "tokens"}
    write_object(folder.config, {"name": "minimal", "max_cells_total": "many"})
    assert any("max_cells_total" in issue for issue in quick.health_check()["issues"])


def test_health_finds_a_chain_that_was_tampered_with(quick: Box):
    quick.apply_preset(preset_name="minimal")
    quick.app.engine.write(
        "tests", lambda sql: sql.run("UPDATE records SET content = ? WHERE seq = 1", (b"{}",))
    ).result()
    health = quick.health_check()
    assert not health["healthy"]
    assert any(issue.startswith("chain: memory/project") for issue in health["issues"])


def test_the_state_of_a_session_is_what_is_known_of_it_under_its_id(quick: Box, folder: ProjectFolder):
    assert quick.get_session_state(session_id="nobody") == {
        "session_id": "nobody",
        "active": False,
        "reasoning_session": None,
        "thoughts": [],
        "thought_count": 0,
        "workflow_session": None,
        "memory_session": None,
        "activity": [],
    }
    quick.apply_preset(preset_name="minimal", session_id="s1")
    state = quick.get_session_state(session_id="s1")
    assert (state["active"], state["workflow_session"]["preset"]) == (True, "minimal")
    assert [event["event_type"] for event in state["activity"]] == ["memory.workflow"]
    quick.reset_workflow(session_id="s1")
    assert quick.get_session_state(session_id="s1")["active"] is False

    reasoning = quick.analyze_problem(problem="Why is the build slow?")["session_id"]
    quick.reason_through(session_id=reasoning, thought="The cache is cold", thought_number=1)
    state = quick.get_session_state(session_id=reasoning)
    assert (state["active"], state["thought_count"]) == (True, 1)
    assert state["reasoning_session"]["problem"] == "Why is the build slow?"
    assert state["thoughts"][0]["thought"] == "The cache is cold"

    memory = quick.compliance_snapshot(context="c")["session_id"]
    state = quick.get_session_state(session_id=str(memory))
    assert (state["active"], state["memory_session"]["last_phase"]) == (True, "SNAPSHOT")


def test_experiences_are_taken_in_from_a_file_of_the_project_and_counted_right(both: Box, folder: ProjectFolder):
    other = {**EXPERIENCE, "domain": "Process", "situation": "Releases took a day", "confidence": 0.9, "id": 77}
    rows = [EXPERIENCE, other, EXPERIENCE, {"type": "effective"}, "no object", {**EXPERIENCE, "domain": "Cooking"}]
    (folder.root / "old.json").write_text(json.dumps({"experiences": rows}), encoding="utf-8")

    answer = both.import_data(source_file="old.json")

    assert (answer["imported"], answer["duplicates"], answer["skipped"], answer["total_records"]) == (2, 1, 4, 6)
    assert [error.partition(":")[0] for error in answer["errors"]] == ["4", "5", "6"]
    found = both.search_experiences(query="test releases")["results"]
    assert sorted(row["confidence"] for row in found) == [0.5, 0.9]
    again = both.import_data(source_file="old.json")
    assert (again["imported"], again["duplicates"]) == (0, 3)


def test_what_is_no_file_of_experiences_in_the_project_is_refused(quick: Box, root: Path, tmp_path: Path):
    (tmp_path / "outside.json").write_text('{"experiences": []}', encoding="utf-8")
    (root / "list.json").write_text("[]", encoding="utf-8")
    (root / "broken.json").write_text("{", encoding="utf-8")
    for name, refusal in (
        ("../outside.json", PathRefused),
        ("missing.json", FileMissing),
        (".", FileMissing),
        ("list.json", ValidationFailed),
        ("broken.json", ValidationFailed),
    ):
        with pytest.raises(refusal):
            quick.import_data(source_file=name)


def test_the_projects_context_is_written_whole_and_read_again(quick: Box, folder: ProjectFolder):
    before = quick.get_project_context()
    assert (before["exists"], before["enabled"], before["highlights"]) == (False, None, [])
    told = {
        "enabled": True,
        "summary": "s" * 200,
        "highlights": ["h" * 100] * 5,
        "reminders": ["r" * 100] * 3,
        "preImplementation": ["p" * 200] * 7,
        "postImplementation": ["q" * 200],
    }
    answer = quick.update_project_context(**told, project_path=str(folder.root))
    assert answer == {
        "success": True,
        "project_path": str(folder.root),
        "context_file": ".claude/project-context.json",
        "enabled": True,
        "message": "Hooks show it from now on.",
    }
    shown = quick.get_project_context()
    assert shown.items() >= {**told, "exists": True}.items()
    kept = json.loads(folder.context.read_text(encoding="utf-8"))
    assert kept.items() >= told.items()
    assert kept["updated_at"].endswith("Z")

    quick.update_project_context(enabled=False)
    shown = quick.get_project_context()
    assert (shown["enabled"], shown["summary"], shown["highlights"], shown["preImplementation"]) == (
        False,
        None,
        [],
        [],
    )


def test_every_limit_of_the_projects_context_is_kept_and_its_field_named(quick: Box, folder: ProjectFolder):
    for told, field in (
        ({}, "enabled"),
        ({"enabled": "yes"}, "enabled"),
        ({"enabled": True, "summary": "s" * 201}, "summary"),
        ({"enabled": True, "highlights": ["h"] * 6}, "highlights"),
        ({"enabled": True, "highlights": ["h" * 101]}, "highlights"),
        ({"enabled": True, "highlights": "h"}, "highlights"),
        ({"enabled": True, "reminders": ["r"] * 4}, "reminders"),
        ({"enabled": True, "reminders": ["r" * 101]}, "reminders"),
        ({"enabled": True, "preImplementation": ["p" * 201]}, "preImplementation"),
        ({"enabled": True, "postImplementation": ["q" * 201]}, "postImplementation"),
        ({"enabled": True, "postImplementation": [5]}, "postImplementation"),
        ({"enabled": True, "unknown": 1}, "unknown"),
    ):
        with pytest.raises(ValidationFailed) as refused:
            quick.update_project_context(**told)
        assert field in str(refused.value.payload()), told
        assert refused.value.payload()["details"]["jsonrpc_code"] == -32602
    assert not folder.context.exists()
