"""What goes in and what comes out."""

from typing import Annotated, Any

from pydantic import Field

from thoughtbox.domains.mind.arguments import BoundedInput, MindInput, Target
from thoughtbox.operations import Input, MaxChars, Output


class Init(MindInput):
    pass


class Defaults(Output):
    branch: str
    docs: dict[str, str]


class Initialized(Output):
    workspace: str
    storage_dir: str | None
    schema_version: str
    checkout: str
    defaults: Defaults


class ReadStatus(BoundedInput):
    pass


class WorkspaceStatus(Output):
    sparse = True

    workspace: str
    schema_version: str
    workspace_exists: bool
    checkout: str | None = None
    focus: Annotated[str | None, Field(description="Plan or task that calls are about when they name none.")] = None
    defaults: Defaults
    golden_path: list[dict[str, str]]
    last_task_event: dict[str, Any] | None = None
    last_event: Annotated[dict[str, Any] | None, Field(description="The same, under its old name.")] = None
    last_doc_entry: dict[str, Any] | None = None
    workspace_policy: dict[str, Any]


class ReadHelp(Input):
    max_chars: MaxChars = None


class Help(Output):
    text: str
    truncated: bool = False


class Diagnose(BoundedInput):
    target: Target = None
    task: Annotated[str | None, Field(description="The same, of a task.")] = None
    plan: Annotated[str | None, Field(description="The same, of a plan.")] = None


class Diagnosed(Output):
    sparse = True

    workspace: str
    checkout: str | None = None
    focus: str | None = None
    target: dict[str, Any] | None = None
    reasoning_ref: dict[str, str] | None = None
    summary: dict[str, int] | None = None
    issues: list[dict[str, Any]]
    patches: list[dict[str, Any]]
    context_health: dict[str, Any]
    warnings: list[dict[str, str]]
    golden_path: list[dict[str, str]]
    truncated: bool = False
