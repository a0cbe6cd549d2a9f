"""`presets`: which there are, what one says, and making one the project's."""

from __future__ import annotations

from argparse import Namespace

from thoughtbox.domains.memory.configuration import Preset, active_config, enforcement_of, gates_of
from thoughtbox.domains.memory.configuration import presets as presets_of
from thoughtbox.domains.memory.project import ProjectFolder
from thoughtbox.doors.cli.output import GOOD, Output, Styled, UsageError, count
from thoughtbox.doors.cli.projects import apply_preset, preset_named, project_folder
from thoughtbox.doors.cli.store import settings_of
from thoughtbox.settings import Settings


def presets(args: Namespace) -> int:
    settings, out = settings_of(args), Output(args)
    if args.action == "list":
        if args.name is not None:
            raise UsageError("presets list: it takes no name")
        return _list(out, project_folder(settings))
    if args.name is None:
        raise UsageError(f"presets {args.action}: the name of the preset is missing")
    preset = preset_named(project_folder(settings), args.name)
    return _show(out, preset) if args.action == "show" else _apply(out, settings, preset)


def _list(out: Output, folder: ProjectFolder) -> int:
    active = str(active_config(folder).get("name")) if folder.config.exists() else None
    found = [(preset, preset.content()) for preset in presets_of(folder)]
    if out.as_json:
        shown = [
            {
                "name": preset.name,
                "type": preset.kind,
                "enforcement": enforcement_of(content),
                "description": str(content.get("description", "")),
                "active": preset.name == active,
            }
            for preset, content in found
        ]
        out.json({"presets": shown, "active": active})
        return 0
    out.table(
        ("preset", "enforcement", "", "what for"),
        [
            (
                preset.name,
                enforcement_of(content),
                Styled("active", GOOD) if preset.name == active else "",
                str(content.get("description", "")),
            )
            for preset, content in found
        ],
        wraps=("what for",),
    )
    out.note(f"{count(len(found), 'preset')}." + ("" if active else " None is applied here: no gate is kept."))
    return 0


def _show(out: Output, preset: Preset) -> int:
    content = preset.content()
    if out.as_json:
        out.json(content)
        return 0
    out.paragraph(f"{preset.name} ({preset.kind}, {enforcement_of(content)}): {content.get('description', '')}")
    out.table(
        ("gate", "required tools", "what for"),
        [(gate.name, ", ".join(gate.required_tools) or "none", gate.description) for gate in gates_of(content)],
        wraps=("required tools", "what for"),
    )
    return 0


def _apply(out: Output, settings: Settings, preset: Preset) -> int:
    said = apply_preset(settings, preset.name)
    if out.as_json:
        out.json({"applied": preset.name, "message": said})
    else:
        out.say(said)
    return 0
