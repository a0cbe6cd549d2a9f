"""The project that a command is about, and its preset."""

from __future__ import annotations

from pathlib import Path

from thoughtbox.domains.memory.configuration import Preset
from thoughtbox.domains.memory.configuration import preset_named as found_preset
from thoughtbox.domains.memory.configuration import presets as all_presets
from thoughtbox.domains.memory.project import ProjectFolder
from thoughtbox.doors.cli.store import opened
from thoughtbox.errors import PresetNotFound
from thoughtbox.operations.caller import Caller
from thoughtbox.operations.dispatch import Call
from thoughtbox.settings import Settings


def project_folder(settings: Settings) -> ProjectFolder:
    """The project around; a folder that is none yet becomes one."""
    return ProjectFolder(settings.project_root or Path.cwd())


def preset_named(folder: ProjectFolder, name: str) -> Preset:
    found = found_preset(folder, name)
    if found is None:
        known = ", ".join(preset.name for preset in all_presets(folder))
        raise PresetNotFound(f"there is no preset `{name}`", recovery=f"There are {known}.")
    return found


def apply_preset(settings: Settings, name: str) -> str:
    """Make a preset the project's; what came of it, in a sentence."""

    root = project_folder(settings).root
    with opened(settings._replace(project_root=root)) as box:
        answer = box.dispatcher.call(
            Call(
                operation="apply_preset",
                workspace=settings.project,
                arguments={"preset_name": name},
                caller=Caller(agent=settings.agent or "cli", transport="cli"),
            )
        )
    return f"{answer['config_file']}: {answer['message']}"
