"""What goes in and what comes out of the configuration tools."""

from typing import Annotated, Any

from pydantic import AfterValidator, Field

from thoughtbox.domains.memory.configuration import PRESET_NAME
from thoughtbox.domains.memory.workflow.arguments import WorkflowSessionId
from thoughtbox.operations import Input, Output


def _preset_name(name: str) -> str:
    if not PRESET_NAME.fullmatch(name):
        raise ValueError("it has letters, digits, - and _, 64 at most")
    return name


PresetName = Annotated[
    Annotated[str, AfterValidator(_preset_name)], Field(description="The preset, such as three-gate or minimal.")
]


class ListPresets(Input):
    pass


class ApplyPreset(Input):
    preset_name: PresetName
    session_id: WorkflowSessionId = None


class ValidateConfig(Input):
    config: Annotated[dict[str, Any], Field(description="The configuration: name, gates, enforcement, token_ttl, …")]


class ReadConfig(Input):
    session_id: WorkflowSessionId = None


class ExportConfig(Input):
    preset_name: PresetName
    file_path: Annotated[
        str | None,
        Field(
            max_length=1000, description="Where in the project, ending in .json; by itself .claude/presets/NAME.json."
        ),
    ] = None


class PresetShown(Output):
    name: str
    description: str
    enforcement: str
    type: Annotated[str, Field(description="built-in, or custom: the project's own.")]
    path: str | None
    overrides_built_in: bool
    active: bool
    error: str | None


class PresetsListed(Output):
    presets: list[PresetShown]
    count: int
    built_in_count: int
    custom_count: int


class PresetApplied(Output):
    applied: bool
    preset_name: str
    config_file: str
    kept: list[str]
    session_id: str | None
    expires_at: int | None
    message: str


class FindingShown(Output):
    field: str
    message: str


class ConfigValidated(Output):
    valid: bool
    errors: list[FindingShown]
    warnings: list[FindingShown]
    message: str


class ConfigShown(Output):
    active_preset: str
    config: dict[str, Any]
    config_file: str | None
    session_id: str | None
    session_preset: str | None


class ConfigExported(Output):
    exported: bool
    preset_name: str
    file_path: str
    size_bytes: int
    message: str
