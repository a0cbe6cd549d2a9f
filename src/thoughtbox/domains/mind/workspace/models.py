"""What goes in and what comes out."""

from typing import Annotated, Any

from pydantic import Field

from thoughtbox.domains.mind.arguments import BoundedInput, MindInput
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
