"""The verbs of the configuration: presets, what counts in the project, and whether it holds together."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from thoughtbox.domains.memory.config.models import (
    ApplyPreset,
    ConfigExported,
    ConfigShown,
    ConfigValidated,
    ExportConfig,
    FindingShown,
    ListPresets,
    PresetApplied,
    PresetShown,
    PresetsListed,
    ReadConfig,
    ValidateConfig,
)
from thoughtbox.domains.memory.config.records import write_config
from thoughtbox.domains.memory.config.validation import Finding, findings
from thoughtbox.domains.memory.configuration import (
    MEMORY_DEFAULTS,
    Preset,
    active_config,
    preset_named,
    presets,
    ttl_of,
)
from thoughtbox.domains.memory.folder import confined, project_of
from thoughtbox.domains.memory.hashing import digest
from thoughtbox.domains.memory.project import ProjectFolder, read_object, write_object
from thoughtbox.domains.memory.room import TOOLS, room
from thoughtbox.domains.memory.view.workflow import WorkflowSession, WorkflowSessions
from thoughtbox.domains.memory.workflow.compliance import last_reset_ms
from thoughtbox.domains.memory.workflow.records import write_workflow
from thoughtbox.errors import ConfigInvalid, PathRefused, PresetNotFound, ProjectUnavailable
from thoughtbox.operations import TABLE, Example, Tx

OF_A_PRESET = ("name", "description", "enforcement", "gates", "token_ttl")
"""What a preset says. All else in a project's configuration stays when another one is applied."""

_CONFIG = (ConfigInvalid, ProjectUnavailable)


@room.operation(
    "list_presets", title="List the presets", toolsets=TOOLS, errors=[ProjectUnavailable], example=Example({})
)
def list_presets(tx: Tx, call: ListPresets) -> PresetsListed:
    """The presets that can be applied: those that come with the product, and the project's own."""
    folder = project_of(tx)
    active = _active_name(folder)
    shown = [_shown(preset, active) for preset in presets(folder)]
    custom = sum(preset.type == "custom" for preset in shown)
    return PresetsListed(presets=shown, count=len(shown), built_in_count=len(shown) - custom, custom_count=custom)


@room.operation(
    "apply_preset",
    writes=True,
    effect="overwrites",
    title="Apply a preset",
    toolsets=TOOLS,
    errors=(*_CONFIG, PresetNotFound),
    example=Example({"preset_name": "three-gate"}),
)
def apply_preset(tx: Tx, call: ApplyPreset) -> PresetApplied:
    """Make a preset the project's: gates, enforcement and token lifetimes. Memory settings and all else stay."""
    folder = project_of(tx)
    content = _usable(_existing(tx, folder, call.preset_name))
    before = read_object(folder.config) or {}
    kept = {name: value for name, value in before.items() if name not in OF_A_PRESET}
    config = {**content, "name": call.preset_name, **kept}
    file = str(folder.config.relative_to(folder.root))
    write_config(tx, "applied", preset=call.preset_name, file=file, hash=digest(config))
    expires_at = None if call.session_id is None else _begin(tx, call.session_id, call.preset_name, config)
    write_object(folder.config, config)
    return PresetApplied(
        applied=True,
        preset_name=call.preset_name,
        config_file=file,
        kept=sorted(kept),
        session_id=call.session_id,
        expires_at=expires_at,
        message=f"{call.preset_name} counts from now on."
        + (f" Kept as they were: {', '.join(sorted(kept))}." if kept else ""),
    )


@room.operation(
    "validate_config",
    title="Check a configuration",
    toolsets=TOOLS,
    example=Example({"config": {"name": "mine", "gates": {"teach": {}, "learn": {}, "reason": {}}}}),
)
def validate_config(tx: Tx, call: ValidateConfig) -> ConfigValidated:
    """What is wrong with a configuration, and what would be better, each with the path of its field."""
    errors, warnings = findings(call.config, _known_tools())
    said = "It can be used" if not errors else f"It cannot be used: {_listed(errors)}"
    return ConfigValidated(
        valid=not errors,
        errors=_as_shown(errors),
        warnings=_as_shown(warnings),
        message=f"{said}{f'; {len(warnings)} warnings' if warnings else ''}.",
    )


@room.operation(
    "get_config", title="See what counts in the project", toolsets=TOOLS, errors=_CONFIG, example=Example({})
)
def get_config(tx: Tx, call: ReadConfig) -> ConfigShown:
    """What counts in the project: its preset, what its own file says over that, and the defaults of memory."""
    folder = project_of(tx)
    config = active_config(folder)
    session = None if call.session_id is None else tx.ask(WorkflowSessions).session(call.session_id)
    return ConfigShown(
        active_preset=str(config["name"]),
        config={**MEMORY_DEFAULTS, **config},
        config_file=str(folder.config.relative_to(folder.root)) if folder.config.is_file() else None,
        session_id=call.session_id,
        session_preset=session.preset if session is not None else None,
    )


@room.operation(
    "export_config",
    writes=True,
    effect="overwrites",
    title="Write a preset to a file",
    toolsets=TOOLS,
    errors=(*_CONFIG, PresetNotFound, PathRefused),
    example=Example({"preset_name": "three-gate"}),
)
def export_config(tx: Tx, call: ExportConfig) -> ConfigExported:
    """Write a preset to a file in the project, to be changed there; in .claude/presets it is the project's own."""
    folder = project_of(tx)
    content = {**_existing(tx, folder, call.preset_name).content(), "name": call.preset_name}
    path = _destination(tx, folder, call)
    file = _relative(folder, path)
    write_config(tx, "exported", preset=call.preset_name, file=file, hash=digest(content))
    write_object(path, content)
    return ConfigExported(
        exported=True,
        preset_name=call.preset_name,
        file_path=file,
        size_bytes=path.stat().st_size,
        message=f"{call.preset_name} stands in {file}.",
    )


def _destination(tx: Tx, folder: ProjectFolder, call: ExportConfig) -> Path:
    """Where a preset goes: never in the place of anything but a preset."""
    if call.file_path is None:
        return confined(tx, str(folder.presets / f"{call.preset_name}.json"))
    path = confined(tx, call.file_path)
    if path.suffix != ".json":
        raise _refused_path(call.file_path, "does not end in .json")
    if path == confined(tx, str(folder.config)) or path.is_relative_to(confined(tx, str(folder.tokens))):
        raise _refused_path(call.file_path, "is no place for a preset")
    if path.exists() and not _is_preset(path):
        raise _refused_path(call.file_path, "is there already, and is no preset")
    return path


def _refused_path(given: str, why: str) -> PathRefused:
    return PathRefused(
        f"`{given[:200]}` {why}",
        recovery="Leave file_path out, and it goes to .claude/presets.",
        details={"fields": ["file_path"]},
    )


def _is_preset(path: Path) -> bool:
    try:
        found = read_object(path)
    except ConfigInvalid:
        return False
    return found is not None and {"name", "gates"} <= found.keys()


def _relative(folder: ProjectFolder, path: Path) -> str:
    root = folder.root.resolve()
    return str(path.relative_to(root)) if path.is_relative_to(root) else str(path)


def _existing(tx: Tx, folder: ProjectFolder, name: str) -> Preset:
    found = preset_named(folder, name)
    if found is None:
        raise PresetNotFound(
            f"there is no preset `{name}`",
            recovery='{"operation": "list_presets"} shows those there are.',
            details={"fields": ["preset_name"]},
        )
    return found


def _usable(preset: Preset) -> dict[str, Any]:
    """What a preset says, if it can be used."""
    content = preset.content()
    errors = findings({"name": preset.name, **content}, _known_tools()).errors
    if errors:
        raise ConfigInvalid(
            f"the preset {preset.name} cannot be used: {_listed(errors)}",
            recovery=f"Put it right in {preset.path.name}; validate_config checks it.",
            details={"errors": [finding._asdict() for finding in errors]},
        )
    return content


def _begin(tx: Tx, session_id: str, preset: str, config: dict[str, Any]) -> int:
    """Begin the session with this preset, or go on with it: gates that were passed under another are closed again."""
    now, lifetime = tx.now_ms, ttl_of(config).session
    found = tx.ask(WorkflowSessions).session(session_id)
    if found is None or not found.stands(now):
        counts_from = max(now - lifetime, last_reset_ms(tx) or 0)
        found = WorkflowSession(session_id, preset, (), (), now, now + lifetime, counts_from, active=True)
    session = found._replace(preset=preset, gates_passed=(), expires_at=now + lifetime)
    write_workflow(tx, "applied", session._asdict(), f"Workflow session {session_id} stands under {preset}")
    return session.expires_at


def _active_name(folder: ProjectFolder) -> str | None:
    try:
        return str(active_config(folder)["name"])
    except ConfigInvalid:
        return None


def _shown(preset: Preset, active: str | None) -> PresetShown:
    """A preset of the list; one that cannot be read is there as well, and says so."""
    try:
        content, error = preset.content(), None
        errors = findings({"name": preset.name, **content}, ()).errors
        error = _listed(errors) if errors else None
    except ConfigInvalid as unreadable:
        content, error = {}, unreadable.message
    return PresetShown(
        name=preset.name,
        description=str(content.get("description", "")),
        enforcement=str(content.get("enforcement", "moderate")),
        type=preset.kind,
        path=f".claude/presets/{preset.path.name}" if preset.kind == "custom" else None,
        overrides_built_in=preset.hides_built_in,
        active=preset.name == active,
        error=error,
    )


def _known_tools() -> set[str]:
    return {name for known in TABLE.known.values() for name in (known.name, known.bare)}


def _listed(errors: list[Finding]) -> str:
    return "; ".join(f"{finding.field}: {finding.message}" for finding in errors)


def _as_shown(found: list[Finding]) -> list[FindingShown]:
    return [FindingShown(field=finding.field, message=finding.message) for finding in found]
