"""What goes in and what comes out of the automation tools."""

from typing import Annotated, Any, Literal

from pydantic import Field

from thoughtbox.operations import Input, Key, Output, Text

Client = Annotated[Literal["claude-code", "codex"], Field(description="The host: claude-code or codex.")]
DryRun = Annotated[bool, Field(description="Only show what would be changed.")]

MOST_HIGHLIGHTS, MOST_REMINDERS, MOST_ITEMS = 5, 3, 100
LONGEST_SUMMARY, LONGEST_LINE, LONGEST_ITEM = 200, 100, 200

Lines = list[Annotated[Text, Field(max_length=LONGEST_LINE)]]
Items = list[Annotated[Text, Field(max_length=LONGEST_ITEM)]]


class InstallHooks(Input):
    client: Client = "claude-code"
    dry_run: DryRun = False


class UninstallHooks(InstallHooks):
    pass


class ReadSessionState(Input):
    session_id: Annotated[Key, Field(description="A session by its id: of reasoning, of workflow, or of memory.")]


class CheckHealth(Input):
    pass


class ImportData(Input):
    source_file: Annotated[
        str, Field(min_length=1, max_length=1000, description='A JSON file in the project: {"experiences": […]}.')
    ]


class ReadContext(Input):
    project_path: Annotated[str | None, Field(max_length=1000, description="The project's folder, if you name it.")] = (
        None
    )


class UpdateContext(ReadContext):
    enabled: Annotated[bool, Field(description="Whether hooks show it.")]
    summary: Annotated[
        str | None, Field(max_length=LONGEST_SUMMARY, description="What the project is, in 200 characters.")
    ] = None
    highlights: Annotated[
        Lines, Field(default_factory=list, max_length=MOST_HIGHLIGHTS, description="Up to 5 lines to know.")
    ]
    reminders: Annotated[
        Lines, Field(default_factory=list, max_length=MOST_REMINDERS, description="Up to 3 lines to mind.")
    ]
    pre_implementation: Annotated[
        Items,
        Field(
            default_factory=list, alias="preImplementation", max_length=MOST_ITEMS, description="Before writing files."
        ),
    ]
    post_implementation: Annotated[
        Items,
        Field(
            default_factory=list, alias="postImplementation", max_length=MOST_ITEMS, description="After writing files."
        ),
    ]


class HookShown(Output):
    event: str
    command: str


class FileChanged(Output):
    path: str
    diff: str
    backup: str | None


class HooksInstalled(Output):
    installed: bool
    client: str
    hooks: list[HookShown]
    location: Literal["project"]
    settings_updated: bool
    settings_path: str
    changes: list[FileChanged]
    notes: list[str]
    dry_run: bool
    message: str


class HooksUninstalled(Output):
    uninstalled: bool
    client: str
    removed_count: int
    removed_hooks: list[HookShown]
    changes: list[FileChanged]
    dry_run: bool
    message: str


class SessionState(Output):
    session_id: str
    active: bool
    reasoning_session: dict[str, Any] | None
    thoughts: list[dict[str, Any]]
    thought_count: int
    workflow_session: dict[str, Any] | None
    memory_session: dict[str, Any] | None
    activity: list[dict[str, Any]]


class Checked(Output):
    name: str
    ok: bool
    detail: str
    fix: str | None


class Health(Output):
    healthy: bool
    status: Literal["OK", "DEGRADED"]
    issues: list[str]
    warnings: list[str]
    checks: list[Checked]
    stats: dict[str, int]
    database_backend: str
    database_path: str | None
    token_dir: str | None
    python_version: str


class DataImported(Output):
    imported: int
    skipped: int
    duplicates: int
    errors: list[str]
    total_records: int
    source_file: str
    message: str


class ContextShown(Output):
    exists: bool
    project_path: str
    context_file: str
    enabled: bool | None
    summary: str | None
    highlights: list[str]
    reminders: list[str]
    pre_implementation: Annotated[list[str], Field(alias="preImplementation")]
    post_implementation: Annotated[list[str], Field(alias="postImplementation")]
    updated_at: str | None


class ContextUpdated(Output):
    success: bool
    project_path: str
    context_file: str
    enabled: bool
    message: str
