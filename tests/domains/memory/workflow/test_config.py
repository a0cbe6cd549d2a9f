"""Presets and configuration: listed, applied, checked, exported."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.domains.memory.workflow.conftest import rows
from tests.support.box import Box
from thoughtbox.domains.memory.configuration import (
    BUILT_IN,
    BUILT_IN_NAMES,
    GATES,
    MEMORY_DEFAULTS,
    active_config,
    enforcement,
    gates,
    token_ttl,
)
from thoughtbox.domains.memory.hashing import digest
from thoughtbox.domains.memory.project import ProjectFolder, write_object
from thoughtbox.errors import ConfigInvalid, PathRefused, PresetNotFound, ValidationFailed
from thoughtbox.operations import TABLE

MINE = {
    "name": "mine",
    "description": "Ours.",
    "enforcement": "moderate",
    "gates": {gate: {"description": gate, "required_tools": ["ledger_status"]} for gate in GATES},
    "token_ttl": {"operation": 1000, "session": 2000},
}


def config_of(folder: ProjectFolder) -> dict[str, Any]:
    return json.loads(folder.config.read_text(encoding="utf-8"))


def fields(found: list[dict[str, str]]) -> list[str]:
    return [finding["field"] for finding in found]


def test_four_presets_come_with_the_product_as_files_and_say_all_that_a_preset_says(quick: Box):
    assert sorted(path.stem for path in BUILT_IN.glob("*.json")) == sorted(BUILT_IN_NAMES)
    listed = quick.list_presets()
    assert [preset["name"] for preset in listed["presets"]] == ["three-gate", "minimal", "strict", "custom"]
    assert [preset["enforcement"] for preset in listed["presets"]] == ["moderate", "lenient", "strict", "custom"]
    assert (listed["count"], listed["built_in_count"], listed["custom_count"]) == (4, 4, 0)
    assert [preset["name"] for preset in listed["presets"] if preset["active"]] == ["three-gate"]
    for name in BUILT_IN_NAMES:
        content = json.loads((BUILT_IN / f"{name}.json").read_text(encoding="utf-8"))
        assert list(content) == ["name", "description", "enforcement", "gates", "token_ttl"]
        assert content["name"] == name
        assert list(content["gates"]) == list(GATES)
        checked = quick.validate_config(config=content)
        assert (checked["valid"], checked["errors"], checked["warnings"]) == (True, [], [])


def test_presets_ask_for_tools_that_there_are_and_none_that_is_deprecated():
    asked = {
        tool
        for name in BUILT_IN_NAMES
        for gate in json.loads((BUILT_IN / f"{name}.json").read_text(encoding="utf-8"))["gates"].values()
        for tool in gate["required_tools"]
    }
    assert asked <= {operation.bare for operation in TABLE if operation.room == "memory"}
    assert not asked & {"analyze_problem", "gather_context", "reason_through", "finalize_decision"}
    assert {"record_experience", "search_experiences", "context_pack", "guarded_cycle", "finalize_response"} <= asked


def test_a_preset_is_applied_over_what_the_project_has(quick: Box, folder: ProjectFolder):
    write_object(
        folder.config,
        {"name": "minimal", "max_cells_total": 7, "installedVersion": "1.0", "gates": {"teach": {}}, "mine": [1]},
    )
    answer = quick.apply_preset(preset_name="strict")

    assert (answer["applied"], answer["kept"]) == (True, ["installedVersion", "max_cells_total", "mine"])
    preset = json.loads((BUILT_IN / "strict.json").read_text(encoding="utf-8"))
    config = config_of(folder)
    assert config == {**preset, "max_cells_total": 7, "installedVersion": "1.0", "mine": [1]}
    assert [preset["name"] for preset in quick.list_presets()["presets"] if preset["active"]] == ["strict"]
    record = quick.ledger_record(id="th:1")["record"]
    assert record["data"]["topic"] == "memory.config"
    assert (record["data"]["change"], record["data"]["preset"]) == ("applied", "strict")
    assert record["data"]["hash"] == digest(config)
    assert not list(folder.claude.glob(".*.part"))


def test_applying_a_preset_to_a_session_begins_it_for_as_long_as_the_preset_says(quick: Box, folder: ProjectFolder):
    answer = quick.apply_preset(preset_name="strict", session_id="s1")
    ((preset, created, expires, active),) = rows(
        quick, "SELECT preset, created_at, expires_at, active FROM workflow_sessions"
    )
    assert (preset, expires - created, active) == ("strict", 30 * 60_000, 1)
    assert answer["expires_at"] == expires
    assert quick.get_config(session_id="s1")["session_preset"] == "strict"


def test_what_cannot_be_applied_leaves_everything_as_it_was(quick: Box, folder: ProjectFolder):
    quick.apply_preset(preset_name="minimal")
    before = folder.config.read_bytes()
    write_object(folder.presets / "broken.json", {"gates": {"teach": 3}})
    for name, refusal in (("unheard-of", PresetNotFound), ("broken", ConfigInvalid)):
        with pytest.raises(refusal):
            quick.apply_preset(preset_name=name)
    for name in ("../../evil", "a/b", "", ".hidden", "x" * 65, "три"):
        for operation in (quick.apply_preset, quick.export_config):
            with pytest.raises(ValidationFailed):
                operation(preset_name=name)
    assert folder.config.read_bytes() == before
    assert quick.ledger_status()["records"] == 1


def test_the_projects_own_presets_stand_beside_the_others(quick: Box, folder: ProjectFolder):
    write_object(folder.presets / "mine.json", MINE)
    (folder.presets / "odd name.json").write_text("{}", encoding="utf-8")
    (folder.presets / "unreadable.json").write_text("{", encoding="utf-8")

    listed = quick.list_presets()

    assert (listed["count"], listed["built_in_count"], listed["custom_count"]) == (6, 4, 2)
    mine, unreadable = listed["presets"][4:]
    assert (mine["name"], mine["type"], mine["path"], mine["error"]) == (
        *("mine", "custom", ".claude/presets/mine.json"),
        None,
    )
    assert unreadable["error"]
    quick.apply_preset(preset_name="mine")
    assert (token_ttl(folder).operation, token_ttl(folder).session) == (1000, 2000)


def test_an_exported_preset_appears_once_and_the_projects_own_counts(quick: Box, folder: ProjectFolder):
    answer = quick.export_config(preset_name="minimal")
    path = folder.presets / "minimal.json"
    assert (answer["file_path"], answer["size_bytes"]) == (".claude/presets/minimal.json", path.stat().st_size)
    assert json.loads(path.read_text(encoding="utf-8")) == json.loads(
        (BUILT_IN / "minimal.json").read_text(encoding="utf-8")
    )

    write_object(path, {**MINE, "description": "Ours now."})
    (found,) = [preset for preset in quick.list_presets()["presets"] if preset["name"] == "minimal"]
    assert (found["type"], found["overrides_built_in"], found["description"]) == ("custom", True, "Ours now.")
    quick.apply_preset(preset_name="minimal")
    assert config_of(folder)["name"] == "minimal"
    assert config_of(folder)["description"] == "Ours now."


def test_a_preset_goes_to_no_file_that_is_something_else(quick: Box, folder: ProjectFolder, tmp_path: Path):
    (folder.root / "package.json").write_text('{"name": "shop"}', encoding="utf-8")
    quick.apply_preset(preset_name="minimal")
    token = quick.verify_compliance(current_phase="learn", action="a")["operation_token"]
    outside = [str(tmp_path / "evil.json"), "../evil.json"]
    inside = ["package.json", "notes.txt", ".claude/config.json", f".claude/tokens/{token}.json"]
    for path in [*outside, *inside]:
        with pytest.raises(PathRefused):
            quick.export_config(preset_name="strict", file_path=path)
    (folder.root / "way").symlink_to(tmp_path)
    with pytest.raises(PathRefused):
        quick.export_config(preset_name="strict", file_path="way/evil.json")
    assert quick.export_config(preset_name="strict", file_path="kept/strict.json")["file_path"] == "kept/strict.json"
    assert not (tmp_path / "evil.json").exists()
    assert quick.authorize_operation(operation_token=token)["authorized"]


def test_a_configuration_is_checked_field_by_field(quick: Box):
    assert fields(quick.validate_config(config={})["errors"]) == ["name", "gates"]
    wrong = quick.validate_config(
        config={
            "name": "../x",
            "enforcement": "harsh",
            "gates": {"teach": {"required_tools": "x", "description": 3, "enforcement": "custom"}, "learn": 1},
            "token_ttl": {"operation": "5", "session": -1},
            "memory_enabled": 1,
            "max_cells_total": 0,
        }
    )
    assert not wrong["valid"]
    assert fields(wrong["errors"]) == [
        *("name", "gates.teach.required_tools", "gates.teach.description", "gates.teach.enforcement"),
        *("gates.learn", "gates.reason", "enforcement", "token_ttl.operation", "token_ttl.session"),
        *("memory_enabled", "max_cells_total"),
    ]
    assert "gates.reason" in wrong["message"]
    assert fields(quick.validate_config(config={"name": "x", "gates": [], "token_ttl": 5})["errors"]) == [
        "gates",
        "token_ttl",
    ]


def test_what_is_only_not_recommended_is_a_warning(quick: Box):
    found = quick.validate_config(
        config={
            "name": "mine",
            "gates": {
                "teach": {"description": "d", "required_tools": ["reason_through", "WebFetch"]},
                "learn": {},
                "reason": {"description": "d", "required_tools": [], "enforcement": "strict"},
                "act": {},
            },
        }
    )
    assert (found["valid"], found["errors"]) == (True, [])
    assert fields(found["warnings"]) == [
        *("description", "enforcement", "gates.teach.required_tools", "gates.teach.required_tools"),
        *("gates.learn.required_tools", "gates.learn.description", "gates.reason.enforcement", "gates.act"),
        *("token_ttl.operation", "token_ttl.session"),
    ]
    assert "guarded_cycle" in found["warnings"][2]["message"]


def test_what_counts_is_the_preset_the_projects_own_file_over_it_and_the_defaults(quick: Box, folder: ProjectFolder):
    shown = quick.get_config()
    assert (shown["active_preset"], shown["config_file"], shown["session_preset"]) == ("three-gate", None, None)
    assert shown["config"].items() >= MEMORY_DEFAULTS.items()

    write_object(folder.config, {"name": "strict", "max_cells_total": 7, "gates": {"learn": {"required_tools": []}}})
    shown = quick.get_config()
    assert (shown["active_preset"], shown["config_file"]) == ("strict", ".claude/config.json")
    assert shown["config"]["max_cells_total"] == 7
    assert shown["config"]["gates"]["learn"]["required_tools"] == []
    assert shown["config"]["gates"]["learn"]["description"]
    assert [len(gate.required_tools) for gate in gates(folder)] == [3, 0, 5]
    assert enforcement(folder) == "strict"


def test_a_configuration_that_says_nonsense_is_refused_with_its_field(quick: Box, folder: ProjectFolder):
    for told, field in (
        ({"enforcement": "harsh"}, "enforcement"),
        ({"token_ttl": {"operation": True}}, "token_ttl.operation"),
        ({"token_ttl": 5}, "token_ttl"),
        ({"gates": []}, "gates"),
        ({"gates": {"learn": 5}}, "gates.learn"),
        ({"gates": {"learn": {"required_tools": [1]}}}, "gates.learn.required_tools"),
    ):
        write_object(folder.config, {"name": "three-gate", **told})
        with pytest.raises(ConfigInvalid) as refused:
            quick.verify_compliance(current_phase="learn", action="a")
        assert refused.value.details["fields"] == [field]
    folder.config.write_text("{", encoding="utf-8")
    with pytest.raises(ConfigInvalid):
        quick.get_config()
    assert quick.list_presets()["count"] == 4


def test_a_configuration_that_names_no_preset_that_is_there_stands_on_the_default(folder: ProjectFolder):
    for name in ("gone", "../../etc/passwd", 5):
        write_object(folder.config, {"name": name})
        assert enforcement(folder) == "moderate"
        assert active_config(folder)["name"] == name
